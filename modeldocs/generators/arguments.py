"""The arguments of a block: which literals differ between its instances, and what to call them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from modeldocs.generators import identifier, syntax
from modeldocs.generators.literals import Code, Literal
from modeldocs.generators.program import BlockArgument

Column = tuple[tuple[str, object], ...]
"""The values of one literal with the names of their types, instance by instance: True is not 1."""

_WIDTHS: Final = {
    "in_channels": "channels",
    "out_channels": "channels",
    "num_channels": "channels",
    "num_features": "channels",
    "in_features": "features",
    "out_features": "features",
    "normalized_shape": "features",
    "embedding_dim": "features",
    "features": "features",
    "filters": "channels",
    "units": "features",
}
"""What the settings that are numbers of channels have in common."""

_DEFAULTED: Final = (
    "bias", "dilation", "feature_group_count", "groups", "kernel_dilation", "padding", "stride",
    "strides", "use_bias",
)  # fmt: skip
"""Settings that most layers leave as they are."""

_TYPES: Final = {"NoneType": "None", "tuple": "tuple[int, ...]", "Code": "int"}
"""The annotations of types whose names are not theirs; what is computed is a size."""


@dataclass(frozen=True)
class Arguments:
    """Arguments, their values by instance, and what replaces each literal; None where it stays."""

    arguments: tuple[BlockArgument, ...]
    values: list[dict[str, object]]
    expressions: list[ast.expr | None]


def arguments_of(
    columns: Sequence[tuple[Literal, ...]],
    labels: Mapping[str, str],
    count: int,
    *,
    is_chain: bool = True,
) -> Arguments:
    """The arguments for the literals of a block in its `count` instances; `labels` are the names of
    its parts by key.

    `is_chain` is whether its last part writes what it returns. Literals that are equal in every
    instance are one argument, and one that is always the same multiple of another follows from it.
    """
    values = [_column(column) for column in columns]
    differing = [index for index, column in enumerate(values) if _differs(column)]
    groups: dict[Column, list[Literal]] = {}
    for index in differing:
        groups.setdefault(values[index], []).append(columns[index][0])
    bases = _bases(list(groups))
    kept = [key for key in groups if bases[key] == (key, 1)]
    names = _names({key: groups[key] for key in kept}, labels, is_chain=is_chain)
    expressions: list[ast.expr | None] = [None] * len(columns)
    for index in differing:
        base, factor = bases[values[index]]
        name = ast.Name(id=names[base])
        expressions[index] = (
            name if factor == 1 else syntax.expression("factor * base", factor=factor, base=name)
        )
    defaults = {key: _default(names[key], key) for key in kept}
    order = sorted(kept, key=lambda key: (defaults[key] is not None, not _is_width(names[key])))
    return Arguments(
        tuple(BlockArgument(names[key], _type(key), defaults[key]) for key in order),
        [{names[key]: key[instance][1] for key in order} for instance in range(count)],
        expressions,
    )


def _column(literals: Sequence[Literal]) -> Column:
    return tuple((type(one.value).__name__, _hashable(one.value)) for one in literals)


def _hashable(value: object) -> object:
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value


def _differs(column: Column) -> bool:
    """Whether values differ, or are computed of what a block cannot see."""
    return isinstance(column[0][1], Code) or any(one != column[0] for one in column)


def _bases(columns: Sequence[Column]) -> dict[Column, tuple[Column, int]]:
    """For each column of integers, the smallest column that it is a multiple of, and the factor."""
    found: dict[Column, tuple[Column, int]] = {}
    for column in columns:
        candidates = [
            (other, factor) for other in columns if (factor := _factor(column, other)) is not None
        ]
        found[column] = max(candidates, key=lambda one: one[1], default=(column, 1))
    return found


def _factor(column: Column, other: Column) -> int | None:
    """The number that one column of integers is another times; None where there is none."""
    if column == other:
        return 1
    factors = set()
    for (_, value), (_, base) in zip(column, other, strict=True):
        if type(value) is not int or type(base) is not int or base < 2 or value % base:
            return None
        factors.add(value // base)
    factor = factors.pop()
    return factor if not factors and factor > 0 else None


def _names(
    groups: Mapping[Column, list[Literal]], labels: Mapping[str, str], *, is_chain: bool
) -> dict[Column, str]:
    """A name for each argument, by what it sets.

    Of several numbers of channels the first that is read is `in_channels` and the last that is
    written `out_channels`; a single other one is `channels`, several are named after their parts.
    """
    ends = _ends(groups, is_chain=is_chain)
    kinds = {key: _kind(group[0]) for key, group in groups.items()}
    others = Counter(kinds[key] for key in groups if key not in ends)
    names: dict[Column, str] = {}
    for key, group in groups.items():
        name = ends.get(key) or kinds[key]
        if key not in ends and others[kinds[key]] > 1:
            label = labels.get(group[0].owner, "")
            name = f"{label}_{name}" if label else name
        names[key] = identifier.unique(name, list(names.values()))
    return names


def _kind(one: Literal) -> str:
    return _WIDTHS.get(one.setting, one.setting) or "size"


def _ends(groups: Mapping[Column, list[Literal]], *, is_chain: bool) -> dict[Column, str]:
    """The names of what a block reads and writes, where these are two of several widths."""
    widths = [key for key, group in groups.items() if group[0].setting in _WIDTHS]
    if len(widths) < 2:
        return {}
    first = groups[widths[0]][0].setting
    ends = {widths[0]: first} if first.startswith("in_") else {}
    written = [key for key in widths if key not in ends]
    last = groups[written[-1]][-1].setting
    if is_chain and len(written) > 1 and last.startswith(("out_", "num_f")):
        ends[written[-1]] = f"out_{_WIDTHS[last]}"
    return ends


def _is_width(name: str) -> bool:
    """Whether an argument is a number of channels, which stand first."""
    return name.rstrip("_0123456789").endswith(("channels", "features"))


def _default(name: str, column: Column) -> ast.expr | None:
    """The value of a setting in half of the instances or more; None for other arguments."""
    if name not in _DEFAULTED:
        return None
    (_, value), count = Counter(column).most_common(1)[0]
    is_literal = value is None or isinstance(value, bool | int | str)
    return syntax.literal(value) if is_literal and 2 * count >= len(column) else None


def _type(column: Column) -> str:
    kinds = sorted({kind for kind, _ in column})
    return " | ".join(dict.fromkeys(_TYPES.get(kind, kind) for kind in kinds))
