"""Ports in their framework: a checkpoint randomised, or another's loaded; and run.

`python -m evaluation.maps.worker FOLDER …` reads `request.json`, `inputs.npz` and, for a port that
takes weights over, `weights.npz` in each folder; it writes `weights.npz`, `outputs.npz` and
`report.json` there.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import numpy as np

from modeldocs.loaders import LoadRequest

from . import checkpoints
from .checkpoints import Arrays


class Task(msgspec.Struct, frozen=True):
    """The port, whether it takes weights over, and how many draws of its inputs are run."""

    framework: str
    load: LoadRequest
    target: bool = False
    draws: int = 1


class Report(msgspec.Struct, frozen=True):
    """What is learned; what did not fit: names that the checkpoint lacks, other shapes, and what no
    entry sets; and how many outputs a draw has.
    """

    learned: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    outputs: int = 0


def read(file: Path) -> Arrays:
    """Arrays by name; names in an archive are numbered, since a file cannot have every name."""
    with np.load(file, allow_pickle=False) as archive:
        return {str(name): archive[str(i)] for i, name in enumerate(archive["names"])}


def write(file: Path, arrays: Arrays) -> None:
    """What `read` reads."""
    names = np.array(list(arrays), np.str_)
    numbered = {str(i): array for i, array in enumerate(arrays.values())}
    np.savez(file, names=names, **numbered)


def main(folder: Path) -> None:
    """Run the task of a folder."""
    task = msgspec.json.decode((folder / "request.json").read_bytes(), type=Task)
    inputs = list(read(folder / "inputs.npz").values())
    with checkpoints.opened(task.framework, task.load) as checkpoint:
        own = checkpoints.randomised(checkpoint, "B" if task.target else "A")
        report = Report(learned=tuple(sorted(checkpoint.learned())))
        if task.target:
            given = read(folder / "weights.npz")
            own, report = _replaced(own, given, checkpoint.learned())
        checkpoint.load(own)
        size = len(inputs) // task.draws
        draws = [checkpoint.run(inputs[i * size : (i + 1) * size]) for i in range(task.draws)]
    outputs = [one for draw in draws for one in draw]
    report = msgspec.structs.replace(report, outputs=len(draws[0]))
    write(folder / "weights.npz", own)
    write(folder / "outputs.npz", {str(i): one for i, one in enumerate(outputs)})
    (folder / "report.json").write_bytes(msgspec.json.encode(report))


def _replaced(own: Arrays, given: Arrays, learned: set[str]) -> tuple[Arrays, Report]:
    """A checkpoint with what another gives; what is left has values that nothing else has."""
    fits = {name for name, array in given.items() if name in own and own[name].shape == array.shape}
    report = Report(
        learned=tuple(sorted(learned)),
        absent=tuple(name for name in given if name not in own),
        shapes=tuple(name for name in given if name in own and name not in fits),
        unset=tuple(name for name in own if name in learned and name not in fits),
    )
    return {name: given[name] if name in fits else own[name] for name in own}, report


if __name__ == "__main__":
    for place in sys.argv[1:]:
        main(Path(place))
