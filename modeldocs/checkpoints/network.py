"""A network and what it stores, as its loader tells it in a process of its own."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

import msgspec

from modeldocs import isolation
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.loaders import checkpoint_worker, loader, loading
from modeldocs.loaders.checkpoint_layout import LAYOUT, OWN, CheckpointLayout
from modeldocs.loaders.worker import LoadOutcome
from modeldocs.numeric.proof.prover import ProofSubject
from modeldocs.struct import Struct

LIMITS: Final = Limits(seconds=3600.0, memory_mb=8192, file_mb=2**20)
"""Limits of reading and writing checkpoints, whose files may be as large as a disk."""


class StoringNetwork(Struct, frozen=True):
    """What a network stores, the file of its own values, and the file of its normal form."""

    subject: ProofSubject
    layout: CheckpointLayout
    own: str
    normal: str


@contextlib.contextmanager
def storing(
    subject: ProofSubject, normal: str, mapped: Collection[str]
) -> Iterator[StoringNetwork]:
    """A network with its layout, and a file of values for what is not `mapped`, until the block
    ends.

    Raises:
        ModeldocsError: it cannot be built, or its framework's checkpoints are not known.
    """
    file = subject.request.source
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as given:
        Path(given, checkpoint_worker.MAPPED).write_bytes(msgspec.json.encode(sorted(mapped)))
        with loading.running(
            subject.framework,
            subject.request,
            subject.limits.wider(LIMITS),
            checkpoint_worker.__name__,
            given,
            proving=False,
        ) as outcome:
            failure = outcome.result(LoadOutcome, file=file).failure
            if failure is not None:
                raise failure.error()
            try:
                layout = msgspec.json.decode(outcome.read(LAYOUT), type=CheckpointLayout)
            except (OSError, msgspec.MsgspecError) as error:
                raise isolation.unreadable(error, file) from None
            yield StoringNetwork(subject, layout, str(outcome.file(OWN)), normal)


def written(network: StoringNetwork, file: Path, ending: str | None) -> str:
    """The spelling of the keys in a file that is written for a network.

    Raises:
        ModeldocsError: its framework reads no file of that ending.
    """
    endings = network.layout.written
    if ending in endings:
        return endings[ending]
    title = loader(network.subject.framework).title
    if not endings:
        raise ModeldocsError(
            f"checkpoints of {title} are read, not written",
            file=network.subject.request.source,
            fix="give a port of another framework as the second",
        )
    raise ModeldocsError(
        f"{title} reads no checkpoint of that ending",
        file=file,
        fix=f"give it one of {', '.join(endings)}",
    )
