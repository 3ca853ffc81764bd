"""Random edits of the catalog's ports: applied, refused with a reason, or a defect; and a sample
of those applied, written in PyTorch and loaded there: whether shapes, parameters and MACs agree.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

import onnx
import onnx_ir as onnx_graph
from rich.console import Console
from rich.table import Table

from evaluation import guide
from evaluation.random_edits import RandomEdits
from modeldocs import catalog, edits, generators, loaders, normal
from modeldocs.diff import compare
from modeldocs.edits import Edit
from modeldocs.errors import ModeldocsError
from modeldocs.generators import Network
from modeldocs.ir import LayerGraph
from modeldocs.loaders import LoadRequest
from modeldocs.tasks.names import port_name
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.store import Store

REPOSITORY: Final = Path(__file__).resolve().parents[1]
PAGE: Final = guide.GUIDE / "edit.md"
MOST: Final = 3
"""Edits at once."""

_HEADS: Final = ("edits", "applied", "refused", "crashed", "loaded", "no program", "disagreed")


class Outcomes:
    """What became of random edits, by the kind of the first of them."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, outcome: str, text: str = "") -> None:
        self.counts[kind, outcome] += 1
        if text:
            sys.stdout.write(f"{outcome}: {text}\n")

    def rows(self) -> Iterator[tuple[str, ...]]:
        kinds = [*edits.OPTIONS, "all"]
        for kind in kinds:
            own = (kind,) if kind != "all" else edits.OPTIONS
            yield (
                kind,
                *(f"{sum(self.counts[one, head] for one in own):,}" for head in _HEADS[1:]),
            )


def main() -> None:
    """Make random edits, and print how many could be made and were right."""
    asked = _arguments()
    chance, console = Random(asked.seed), Console(width=160, highlight=False)
    ports = Ports(Store(REPOSITORY / ".modeldocs"))
    models = _models(ports, asked.only)
    outcomes = Outcomes()
    every = max(1, asked.count // max(asked.sample, 1))
    due = False
    end = time.monotonic() + asked.minutes * 60
    for number in range(asked.count):
        if time.monotonic() > end:
            break
        name = chance.choice(sorted(models))
        due = due or (number % every == 0 and asked.sample > 0)
        applied = _try(name, models[name], chance, outcomes)
        if applied is not None and due:
            due = not _hold_against_framework(name, *applied, outcomes)
        if (number + 1) % 100 == 0:
            console.print(number + 1, _all(outcomes))
    table = Table(*_HEADS)
    for row in outcomes.rows():
        table.add_row(*row)
    console.print(table)
    if not asked.only and asked.page:
        told = [guide.circumstances("bench-edits"), ""]
        guide.write(PAGE, "bench-edits", ["", *told, *guide.table(_HEADS, outcomes.rows())])


def _all(outcomes: Outcomes) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for (_, outcome), count in outcomes.counts.items():
        totals[outcome] += count
    return dict(totals)


def _models(ports: Ports, only: str) -> dict[str, bytes]:
    """The ports of the catalog in normal form, by their names."""
    found = {}
    for model in catalog.read(REPOSITORY / "models").models:
        for port in model.ports:
            name = port_name(model, port)
            loaded = ports.load({name: port})[name] if only in name else None
            if loaded is not None and loaded.failure is None:
                found[name] = ports.place.read(str(loaded.normal))
    return found


def _model(data: bytes) -> onnx_graph.Model:
    return onnx_graph.from_proto(onnx.load_from_string(data))


def _try(
    name: str, data: bytes, chance: Random, outcomes: Outcomes
) -> tuple[Sequence[Edit], onnx_graph.Model] | None:
    """Apply random edits to a port; None where they were refused."""
    made = RandomEdits(_graph(name, data), chance).some(chance.randint(1, MOST))
    kind = edits.written(made[0])[0]
    model = _model(data)
    try:
        edits.apply(model, made)
        _check_reading(model)
    except ModeldocsError:
        outcomes.add(kind, "refused")
        return None
    except Exception:
        outcomes.add(kind, "crashed", f"{name} {_text(made)}\n{traceback.format_exc(limit=-3)}")
        return None
    outcomes.add(kind, "applied")
    return made, model


_GRAPHS: dict[str, LayerGraph] = {}


def _graph(name: str, data: bytes) -> LayerGraph:
    if name not in _GRAPHS:
        _GRAPHS[name] = normal.read(_model(data))
    return _GRAPHS[name]


def _check_reading(model: onnx_graph.Model) -> None:
    graph = normal.read(model)
    known = [layer.outputs for layer in graph.layers]
    assert all(one.shape and None not in one.shape for outputs in known for one in outputs[:1])


def _text(made: Sequence[Edit]) -> str:
    return " ".join("--{} {}".format(*edits.written(one)) for one in made)


def _hold_against_framework(
    name: str, made: Sequence[Edit], model: onnx_graph.Model, outcomes: Outcomes
) -> bool:
    """Write an edited port in PyTorch and load it there; whether that could be done."""
    kind, graph = edits.written(made[0])[0], normal.read(model)
    target = generators.target("pytorch")
    try:
        code = target.draft(Network.of(model), "net").file(name).text
    except ModeldocsError:
        outcomes.add(kind, "no program")
        return False
    except Exception:
        text = f"{name} {_text(made)}: no program\n{traceback.format_exc(limit=-3)}"
        outcomes.add(kind, "disagreed", text)
        return True
    try:
        own = _loaded(code)
    except Exception as error:
        outcomes.add(kind, "disagreed", f"{name} {_text(made)}: {error}")
        return True
    outcomes.add(kind, "loaded")
    reason = _difference(graph, own)
    if reason:
        outcomes.add(kind, "disagreed", f"{name} {_text(made)}: {reason}")
    return True


def _loaded(code: str) -> LayerGraph:
    """A program, built and traced by PyTorch in this process, in normal form."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(code)
        request = LoadRequest(root=folder, path=str(file), name="program")
        return normal.normalise(loaders.loader("pytorch").load(request))


def _difference(graph: LayerGraph, own: LayerGraph) -> str:
    """What the framework has otherwise than the edited network; empty where nothing."""
    ours, theirs = graph.totals(), own.totals()
    for figure in ("parameters", "buffers", "macs"):
        if getattr(ours, figure) != getattr(theirs, figure):
            return f"{getattr(ours, figure)} {figure}, {getattr(theirs, figure)} in PyTorch"
    shapes = [
        one for one in compare(graph, own).changes if one.consequence in ("shape", "parameters")
    ]
    return shapes[0].title if shapes else ""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-edits", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="random edits")
    parser.add_argument("--sample", type=int, default=30, help="those that PyTorch loads")
    parser.add_argument("--minutes", type=float, default=600, help="the longest that it may take")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="NAME", help="ports whose name has this")
    parser.add_argument("--page", action="store_true", help="write the table into the guide")
    return parser.parse_args()


if __name__ == "__main__":
    main()
