"""The plain data of a fold: groups of layers, nested, each drawn as one node until it is opened."""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs.struct import Struct


class Variation(Struct, frozen=True):
    """What differs between the instances of a repeat: one number or setting, instance by instance.

    `name` is what it is (`channels`, `image`, `strides`); `values` has one value for each instance.
    """

    name: str
    values: tuple[str, ...]


class Group(Struct, frozen=True):
    """Layers that are drawn as one node, in topological order.

    `kind` is `fused` (a layer with the normalisation and activation that follow it), `block` (a
    region with one entry and one join), `branch`, `repeat` (`members` are its instances), `stage`
    or `network` (the whole). `title` names the idiom (`Bottleneck`, `Attention`) or is empty.
    `shares_weights` says of a repeat that its instances use the same parameters.
    """

    kind: str
    members: tuple[str | Group, ...]
    """Ids of layers, and groups."""
    title: str = ""
    name: str = ""
    """What the source calls it: a module's path or the common beginning of its layers' names."""
    varies: tuple[Variation, ...] = ()
    shares_weights: bool = False

    @property
    def id(self) -> str:
        """The first and the last layer in it, and for a repeat how many instances it has.

        No two groups of a fold have the same: a group is never the only member of another.
        """
        layers = list(self.layers())
        ends = f"{layers[0]}..{layers[-1]}"
        return f"{ends}x{len(self.members)}" if self.kind == "repeat" else ends

    def layers(self) -> Iterator[str]:
        """Ids of all layers in it, in topological order."""
        for member in self.members:
            if isinstance(member, Group):
                yield from member.layers()
            else:
                yield member

    def groups(self) -> Iterator[Group]:
        """The groups in it, at any depth, outer ones first."""
        for member in self.members:
            if isinstance(member, Group):
                yield member
                yield from member.groups()
