"""Two checkpoints compared: the result as a document, and the process that makes it."""

from __future__ import annotations

from pathlib import Path

from modeldocs import isolation
from modeldocs.checkpoints import comparing, formats
from modeldocs.checkpoints.comparing import (
    ComparedFile,
    ComparedFiles,
    CompareFilesRequest,
    TensorDifference,
)
from modeldocs.checkpoints.conversion import MisfitError
from modeldocs.checkpoints.network import LIMITS, StoringNetwork
from modeldocs.diff import Weights
from modeldocs.struct import Struct

FORMAT = 1
"""Version of the document; raised when a field changes its name or its meaning."""


class CheckpointDiff(Struct, frozen=True):
    """What `modeldocs diff A B --weights-a F --weights-b G` tells.

    `compared` is the number of B's tensors that the map gives of A's, `types` how many of those are
    the same but for the rounding of a type; `uncompared` are B's others. `remarks` are what a
    reader has to know of the map.
    """

    a: str
    b: str
    weights_a: str
    weights_b: str
    compared: int
    types: dict[str, int]
    differences: tuple[TensorDifference, ...]
    uncompared: tuple[str, ...]
    remarks: tuple[str, ...]
    format: int = FORMAT


def compare(
    pair: tuple[StoringNetwork, StoringNetwork],
    files: tuple[Path, Path],
    weights: Weights,
    roles: dict[str, str],
) -> ComparedFiles:
    """Compare the files of A and B through the map of A's weights to B's; `roles` are those of B's
    tensors by name.

    Raises:
        MisfitError: a file does not fit its network.
        ModeldocsError: one cannot be read.
    """
    a, b = (
        ComparedFile(str(file.resolve()), one.subject.name, one.layout)
        for one, file in zip(pair, files, strict=True)
    )
    request = CompareFilesRequest(a, b, weights.mapped, roles)
    reads = [place for file in files for place in formats.reads(file)]
    with isolation.run(comparing.__name__, request, LIMITS, reads=reads) as outcome:
        found = outcome.result(ComparedFiles, doing="comparing the weights ")
    if found.failure is not None:
        raise MisfitError(found.failure.error(), found.misfits)
    return found
