"""Weights of equal members, such as the experts of a mixture, that one network stores in one array
and the other in an array for each member.

Which arrays belong together follows from their names, which differ in numbers alone, and from how
much is stored. In which order several of them are joined is only shown by running.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from modeldocs.normal import values
from modeldocs.numeric.parity import inverse, stored_weights
from modeldocs.numeric.parity.affine import Expressions
from modeldocs.numeric.parity.expression import Expression, concatenate, read
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.transfer import Transfer
from modeldocs.numeric.parity.weight_slices import Shape

_NUMBER: Final = re.compile(r"\d+")
_MOST: Final = 24
"""Ways of joining that are tried."""
_MOST_JOINED: Final = 3
"""Arrays of one member in one stack: queries, keys and values, or a gate and what it gates."""


_Family = list[Expression]
"""Arrays of one shape, one for each member."""
_Named = tuple[str, Expression]


def candidates(transferred: Transfer) -> Iterator[Expressions]:
    """B's weights that nothing gives, of A's that nothing reads, for each way of joining them."""
    ours, theirs = _unread(transferred), _unset(transferred)
    if not ours or not theirs:
        return
    if len(ours) > len(theirs):
        ways = (dict(one) for one in _ways(ours, theirs))
    else:
        stored = _by_name([*theirs, *ours])
        ways = (inverse.solved(dict(one), stored) for one in _ways(theirs, ours))
    known = stored_weights.rebuilt(transferred.a)
    sources = stored_weights.sources(transferred.b)
    for way in itertools.islice(ways, _MOST):
        given = {name: one for name, one in way.items() if known.keys() >= set(one.reads())}
        found = inverse.all_substituted(sources, given)
        if found:
            yield found


def _by_name(arrays: Sequence[Expression]) -> Expressions:
    return {str(one.step.name): one for one in arrays}


def _unread(transferred: Transfer) -> list[Expression]:
    """A's stored arrays that no weight of B is computed from, in their order."""
    read_of = {name for one in transferred.expressions.values() for name in one.reads()}
    return [one for one in _arrays(transferred.a) if one.step.name not in read_of]


def _unset(transferred: Transfer) -> list[Expression]:
    """B's stored arrays that are not known, in their order."""
    sources = stored_weights.sources(transferred.b)
    lacking = {name for one in transferred.unset for name in sources[one].reads()}
    return [one for one in _arrays(transferred.b) if one.step.name in lacking]


def _arrays(graph: RunnableGraph) -> list[Expression]:
    stored = graph.model.graph.initializers
    return [read(name, values.shape(stored[name]) or ()) for name in stored_weights.names(graph)]


def _ways(members: Sequence[Expression], stacks: Sequence[Expression]) -> Iterator[list[_Named]]:
    """Stacks by name, computed of members; the layers that have them compute them alike."""
    for families in _families(members):
        for layers in range(len(stacks), 0, -1):
            if len(stacks) % layers == len(families) % layers == 0:
                yield from _of_layers(_parts(families, layers), _parts(stacks, layers))


def _families(members: Sequence[Expression]) -> Iterator[list[_Family]]:
    """Members in families of one size, whose names differ in one number alone; the largest first.

    Each number of a name may be that of the member: of a layer, an expert, or a part of it.
    """
    alike: dict[tuple[str, Shape], _Family] = {}
    for one in members:
        alike.setdefault((_NUMBER.sub("#", str(one.step.name)), one.shape), []).append(one)
    by_size = [_by_size(some) for some in alike.values()]
    order = {str(one.step.name): place for place, one in enumerate(members)}
    for size in sorted(set.intersection(*(set(one) for one in by_size)), reverse=True):
        found = [family for of_alike in by_size for family in of_alike[size]]
        if size > 1:
            yield sorted(found, key=lambda family: order[str(family[0].step.name)])


def _by_size(alike: _Family) -> dict[int, list[_Family]]:
    """Arrays of one form of name in families, for each number of the name in which members of a
    family may differ, by the size that all of them have.
    """
    numbers = [tuple(_NUMBER.findall(str(one.step.name))) for one in alike]
    found: dict[int, list[_Family]] = {}
    for place in range(len(numbers[0])):
        families: dict[tuple[str, ...], _Family] = {}
        for one, of_name in zip(alike, numbers, strict=True):
            families.setdefault((*of_name[:place], *of_name[place + 1 :]), []).append(one)
        sizes = {len(family) for family in families.values()}
        if len(sizes) == 1:
            found.setdefault(sizes.pop(), list(families.values()))
    return found


_Item = TypeVar("_Item", Expression, _Family)


def _parts(items: Sequence[_Item], count: int) -> list[Sequence[_Item]]:
    """So many equal parts of a list."""
    size = len(items) // count
    return [items[start : start + size] for start in range(0, len(items), size)]


def _of_layers(
    families: Sequence[Sequence[_Family]], stacks: Sequence[Sequence[Expression]]
) -> Iterator[list[_Named]]:
    """The same where it is known which are those of each layer."""
    shapes = [[one.shape for one in some] for some in stacks]
    if any(some != shapes[0] for some in shapes):
        return
    ways = [_assigned(some, list(made)) for some, made in zip(stacks, families, strict=True)]
    for of_layers in zip(*ways, strict=False):  # shapes that differ leave fewer ways
        yield [item for way in of_layers for item in way]


def _assigned(stacks: Sequence[Expression], families: list[_Family]) -> Iterator[list[_Named]]:
    """The first stack of some families, the others of those that are left."""
    if not stacks:
        if not families:
            yield []
        return
    stack = stacks[0]
    for count in range(1, _MOST_JOINED + 1):
        for some in itertools.permutations(families, count):
            size = sum(one.size for family in some for one in family)
            if size != stack.size or len({family[0].shape for family in some}) > 1:
                continue
            left = [family for family in families if all(family is not one for one in some)]
            for joined in _joined(some, stack.shape):
                for rest in _assigned(stacks[1:], left):
                    yield [(str(stack.step.name), joined), *rest]


def _joined(families: Sequence[_Family], shape: Shape) -> Iterator[Expression]:
    """One array of a shape: members along its first axis, for each of them the arrays of its
    families along the first or the last axis, one after the other or in turns.
    """
    for is_turned in (False, True) if len(families) > 1 else (False,):
        every = [_stack(family, is_turned=is_turned) for family in families]
        count, *sizes = every[0].shape
        tried = [concatenate(every, 1)] if sizes else []
        if len(every) > 1 and sizes:
            rows = [one.reshape(count, sizes[0], 1, *sizes[1:]) for one in every]
            tried.append(concatenate(rows, 2).reshape(tried[0].shape))
        for joined in tried:
            for one in (joined, _turned(joined)) if len(sizes) > 1 else (joined,):
                if _is_merged(one.shape, shape):
                    yield one.reshape(shape)
        if len(sizes) < 2:
            return


def _turned(stack: Expression) -> Expression:
    """A stack, the axes of each member in reversed order."""
    return stack.transpose((0, *range(stack.ndim - 1, 0, -1)))


def _stack(family: _Family, *, is_turned: bool) -> Expression:
    """Arrays of one shape as one array, with an axis of members before theirs."""
    stack = concatenate([one.reshape(1, *one.shape) for one in family], 0)
    return _turned(stack) if is_turned else stack


def _is_merged(shape: Shape, merged: Shape) -> bool:
    """Whether a shape is another one, perhaps with its first axes in one."""
    wide, other = ([size for size in one if size != 1] for one in (shape, merged))
    return wide == other or [math.prod(wide[:2]), *wide[2:]] == other
