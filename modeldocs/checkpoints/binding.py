"""Which tensor of a file is which of a network's, and what of the two does not fit."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from modeldocs.checkpoints.tensors import Shape, Tensors
from modeldocs.errors import ModeldocsError
from modeldocs.loaders.checkpoint_layout import CheckpointLayout, StoredTensor
from modeldocs.struct import Struct

MISSING, UNEXPECTED, OTHER_SHAPE = "missing", "unexpected", "other shape"
_MAX_NEAREST: Final = 100
"""Names for which the nearest spelling is searched; the others of a long list are told without."""


class Misfit(Struct, frozen=True):
    """A tensor that does not fit: its key, why, and the nearest key on the other side, if any."""

    key: str
    why: str
    nearest: str = ""

    @property
    def text(self) -> str:
        """`missing: conv1.weight, nearest in the file: module.conv1.weight`."""
        where = "file" if self.why.startswith(MISSING) else "network"
        nearest = f", nearest in the {where}: {self.nearest}" if self.nearest else ""
        return f"{self.key}: {self.why}{nearest}"


@dataclass(frozen=True)
class BoundTensors(Mapping[str, np.ndarray]):
    """The tensors of a file by the names of a network's graph, each read when it is asked for.

    `places` are the keys in the file, by name.
    """

    layout: CheckpointLayout
    tensors: Tensors
    places: Mapping[str, str]

    @cached_property
    def _stored(self) -> dict[str, StoredTensor]:
        return {one.name: one for one in self.layout.tensors}

    def __getitem__(self, name: str) -> np.ndarray:
        """The array of a tensor, in the network's shape.

        Raises:
            KeyError: the file does not have it.
        """
        stored = self._stored[name]
        array = self.tensors.read(self.places[name]).reshape(stored.shape)
        if not stored.divisor or stored.divisor not in self.places:
            return array
        divisor = float(self[stored.divisor].reshape(-1)[0])
        # As in Caffe, statistics that were never updated have the divisor 0 and are zeros.
        return np.asarray(array * (0.0 if divisor == 0 else 1 / divisor), array.dtype)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def bind(
    layout: CheckpointLayout, tensors: Tensors, needed: Set[str]
) -> tuple[BoundTensors, list[Misfit]]:
    """The tensors of a file as a network's, and what does not fit.

    Of the network's tensors, those in `needed` may not be missing; a file may have none that the
    network does not store.
    """
    keys = _by_place(layout, tensors) or _spelt(layout, tensors)
    present = _present(layout, tensors, keys)
    misfits: list[Misfit] = []
    left = [key for key in tensors.shapes if key not in set(keys.values())]
    for one in layout.tensors:
        key = present.get(one.name)
        if key is None:
            if one.name in needed:
                misfits.append(_missing(keys[one.name], one.shape, tensors, left, len(misfits)))
        elif not tensors.fits(key, one.shape):
            why = f"{OTHER_SHAPE}, {_text(tensors.shapes[key])} in the file, "
            misfits.append(Misfit(key, f"{why}{_text(one.shape)} in the network"))
    absent = [keys[one.name] for one in layout.tensors if one.name not in present]
    for key in left:
        nearest = _nearest(key, absent) if len(misfits) < _MAX_NEAREST else ""
        misfits.append(Misfit(key, UNEXPECTED, nearest))
    return BoundTensors(layout, tensors, present), misfits


def error(misfits: list[Misfit], file: str, network: str) -> ModeldocsError:
    """The error for a checkpoint that does not fit a network."""
    kinds = {kind: sum(one.why.startswith(kind) for one in misfits) for kind in _KINDS}
    told = ", ".join(f"{count} {_KINDS[kind]}" for kind, count in kinds.items() if count)
    prefix = _prefix(misfits)
    fix = "give the checkpoint of that network, or the network of that checkpoint"
    if prefix:
        fix = f"take {prefix!r} off the beginning of its names"
    return ModeldocsError(f"does not fit {network}: {told}", file=file, fix=fix)


_KINDS: Final = {
    MISSING: "missing",
    UNEXPECTED: "unexpected",
    OTHER_SHAPE: "of another shape",
}


def _prefix(misfits: list[Misfit]) -> str:
    """What stands before every unexpected name, behind which it is one that is missing."""
    missing = {one.key for one in misfits if one.why.startswith(MISSING)}
    unexpected = [one.key for one in misfits if one.why == UNEXPECTED]
    for name in sorted(missing):
        for key in unexpected:
            prefix = key.removesuffix(name)
            if prefix != key and all(prefix + one in unexpected for one in missing):
                return prefix
    return ""


def _spelt(layout: CheckpointLayout, tensors: Tensors) -> dict[str, str]:
    """The keys by name, in the spelling of which the file has most."""
    spelt = [layout.keys(spelling) for spelling in layout.spellings]
    return max(spelt, key=lambda keys: sum(key in tensors.shapes for key in keys.values()))


def _by_place(layout: CheckpointLayout, tensors: Tensors) -> dict[str, str]:
    """The keys by name where a file has layers in the network's order under names of its own."""
    sizes = [len(own) for own in layout.groups]
    if not sizes or [len(own) for own in tensors.groups] != sizes:
        return {}
    pairs = zip(layout.groups, tensors.groups, strict=True)
    found = {name: key for ours, own in pairs for name, key in zip(ours, own, strict=True)}
    return {one.name: found.get(one.name, one.name) for one in layout.tensors}


def _present(layout: CheckpointLayout, tensors: Tensors, keys: Mapping[str, str]) -> dict[str, str]:
    """The keys that the file has, by name; a tensor may be there under another of its names."""
    found = {}
    for one in layout.tensors:
        names = (one.name, *one.aliases)
        there = next((keys[name] for name in names if keys.get(name) in tensors.shapes), None)
        if there is not None:
            found[one.name] = there
    return found


def _missing(key: str, shape: Shape, tensors: Tensors, left: list[str], told: int) -> Misfit:
    same = [one for one in left if tensors.fits(one, shape)]
    nearest = _nearest(key, same) or _nearest(key, left) if told < _MAX_NEAREST else ""
    return Misfit(key, f"{MISSING}, {_text(shape)} in the network", nearest)


def _nearest(key: str, among: list[str]) -> str:
    if suffixed := [one for one in among if one.endswith(f".{key}") or key.endswith(f".{one}")]:
        return min(suffixed, key=len)
    return next(iter(difflib.get_close_matches(key, among, 1, 0.5)), "")


def _text(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))})"
