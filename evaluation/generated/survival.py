"""Work in processes that may die: onnxruntime aborts on some graphs that are not valid."""

from __future__ import annotations

import multiprocessing
import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

Item, Result = TypeVar("Item"), TypeVar("Result")

_CONTEXT = multiprocessing.get_context("fork")


def mapped(work: Callable[[Item], Result], items: Sequence[Item], jobs: int = 2) -> list[Result]:
    """The results of work on the items, without those that its process died of."""
    parts = [items[start::jobs] for start in range(jobs)]
    with ThreadPoolExecutor(jobs) as pool:
        return [one for part in pool.map(lambda part: list(_surviving(work, part)), parts)
                for one in part]  # fmt: skip


def _surviving(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    start = 0
    while start < len(items):
        with tempfile.NamedTemporaryFile() as file:
            process = _CONTEXT.Process(target=_run, args=(work, items[start:], file.name))
            process.start()
            process.join()
            done = list(_read(Path(file.name)))
        yield from done
        start += len(done) + 1


def _run(work: Callable[[Any], Any], items: Sequence[Any], file: str) -> None:
    with Path(file).open("wb", buffering=0) as out:
        for item in items:
            out.write(pickle.dumps(work(item)))


def _read(file: Path) -> Iterator[Any]:
    with file.open("rb") as stream:
        while True:
            try:
                yield pickle.load(stream)
            except (EOFError, pickle.UnpicklingError):
                return
