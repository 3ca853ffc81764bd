"""What is written in a closed group: its title, what varies in it, and how large it is."""

from __future__ import annotations

from collections.abc import Mapping

from modeldocs import formatting
from modeldocs.diagram.level import instance
from modeldocs.fold import Group, Variation
from modeldocs.ir import Layer
from modeldocs.ir.layer import count_values

Layers = Mapping[str, Layer]


def group_title(group: Group, layers: Layers) -> str:
    """`Bottleneck`, `3 × Conv 3×3 · 64 → 64 + Relu`, or the names of its first and last layer."""
    title = group.title or _untitled(group, layers)
    return f"{len(group.members)} × {title}" if group.kind == "repeat" else title


def _untitled(group: Group, layers: Layers) -> str:
    one = instance(group)
    members = [layers[identity] for identity in one.layers()]
    if one.kind == "fused":
        first, *more = members
        return " + ".join([formatting.headline(first), *(layer.operator for layer in more)])
    return group.name or f"{members[0].name} … {members[-1].name}"


def description(group: Group, title: str) -> list[str]:
    """Lines below the title: the source's name for it, and what varies between instances."""
    lines = [group.name] if group.name and group.name not in title else []
    lines += [_variation(one) for one in group.varies]
    return [*lines, "shared weights"] if group.shares_weights else lines


def _variation(varies: Variation) -> str:
    """`channels 64 → 512`; all values where the first is the last."""
    values = [value or "none" for value in varies.values]
    if values[0] != values[-1]:
        return f"{varies.name} {values[0]} → {values[-1]}"
    return f"{varies.name} {', '.join(dict.fromkeys(values))}"


def facts(group: Group, layers: Layers) -> str:
    """`10 layers · 70.4 k parameters → 1×256×56×56`."""
    members = [layers[identity] for identity in group.layers()]
    parameters = {one.name: one for layer in members for one in layer.parameters if one.trainable}
    words = [f"{len(members)} layers"]
    if count := count_values(parameters.values()):
        words.append(f"{formatting.count(count)} parameters")
    last = members[-1].outputs
    shape = f"  → {formatting.shape(last[0])}" if len(last) == 1 else ""
    return " · ".join(words) + shape
