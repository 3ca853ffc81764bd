"""Layouts of checkpoints: what a network stores, by the names of its graph and of its files.

A loader whose networks have checkpoints has, besides `load`:

    def checkpoint(self, request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]

It builds the network as `load` does, and returns what it stores, with the values of what is not in
`mapped`: counts of batches, tables of positions, states of random generators.
"""

from __future__ import annotations

from modeldocs.struct import Struct

LAYOUT, OWN = "layout.json", "own.npz"
"""The files of a layout, and of the values that a new network has."""


class StoredTensor(Struct, frozen=True):
    """A tensor of a checkpoint: its name in the graph, its shape and its type as numpy has it.

    `aliases` are other names of the same tensor. `divisor` is the name of a tensor of one element
    that it is divided by when it is read, as Caffe keeps sums for its statistics.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str = "float32"
    aliases: tuple[str, ...] = ()
    divisor: str = ""


class CheckpointLayout(Struct, frozen=True):
    """What a network stores.

    `spellings` have the keys of all tensors, in their order, by the kind of file that spells them
    so; `groups` are the tensors' names by layer, in the order of files that name neither. `written`
    is the spelling for each ending of a file that a checkpoint is written to.
    """

    tensors: tuple[StoredTensor, ...]
    spellings: dict[str, tuple[str, ...]]
    written: dict[str, str] = {}
    groups: tuple[tuple[str, ...], ...] = ()

    def keys(self, spelling: str) -> dict[str, str]:
        """The keys by name of the tensors."""
        names = (one.name for one in self.tensors)
        return dict(zip(names, self.spellings[spelling], strict=True))


PLAIN = "names"
"""The spelling of files that use the graph's own names."""


def plain(tensors: list[StoredTensor], *, written: bool = True) -> CheckpointLayout:
    """The layout of a network whose files use the names of its graph."""
    endings = (".safetensors", ".npz") if written else ()
    return CheckpointLayout(
        tensors=tuple(tensors),
        spellings={PLAIN: tuple(one.name for one in tensors)},
        written=dict.fromkeys(endings, PLAIN),
    )
