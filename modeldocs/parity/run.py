"""Parity in this process: two models in normal form and their diff in, a `Parity` out."""

from __future__ import annotations

import msgspec
import onnx_ir as ir

from modeldocs.diff import Diff, Direction, Divergence, Match, Pair, Parity, Uncompared, Weights
from modeldocs.diff.function.arrangement import Arrangement
from modeldocs.errors import ModeldocsError
from modeldocs.numerics.closeness import Difference
from modeldocs.parity import design, instructions, layout, numbers, sizes
from modeldocs.parity.blame import Blame
from modeldocs.parity.design import Designer, Draws
from modeldocs.parity.numbers import Network, Numbers
from modeldocs.parity.route import Route
from modeldocs.parity.search import Search
from modeldocs.parity.side import Edge, Side, side
from modeldocs.parity.transfer import Transfer, transfer
from modeldocs.parity.unit import Unit, joined, units

Arrays = design.Arrays


def compare_models(a: ir.Model, b: ir.Model, diff: Diff) -> Parity:
    """Both models with A's designed weights, and with B's. They are in normal form; they change.

    `diff` is that of their graphs in normal form. Nothing is confined here: that is what
    `modeldocs.parity.compare` is for.

    Raises:
        ModeldocsError: nothing corresponds, or onnxruntime cannot run a model at all.
    """
    ours, theirs = side(a), side(b)
    return Parity(
        a_to_b=_direction(ours, theirs, diff),
        b_to_a=_swapped(_direction(theirs, ours, mirrored(diff))),
    )


def carried(a: ir.Model, b: ir.Model, diff: Diff) -> Weights:
    """How B's weights are made of A's, without running either; the models are changed.

    Raises:
        ModeldocsError: nothing corresponds.
    """
    ours, theirs = side(a), side(b)
    return instructions.weights(transfer(ours, theirs, _units(ours, theirs, diff)))


def mirrored(diff: Diff) -> Diff:
    """The matches and changes of a diff, with B's layers first."""
    replace = msgspec.structs.replace
    return replace(
        diff,
        a=diff.b,
        b=diff.a,
        matches=tuple(_mirrored(match) for match in diff.matches),
        changes=tuple(
            replace(change, pairs=tuple((b, a) for a, b in change.pairs)) for change in diff.changes
        ),
    )


def _mirrored(match: Match) -> Match:
    order = Arrangement(match.sizes, match.order).inverse()
    return msgspec.structs.replace(
        match, a=match.b, b=match.a, sizes=order.sizes, order=order.order
    )


def _units(a: Side, b: Side, diff: Diff) -> list[Unit]:
    found = units(a, b, diff)
    if not found:
        raise ModeldocsError("no layers of the two correspond")
    return found


def _direction(a: Side, b: Side, diff: Diff) -> Direction:
    """Both networks with A's designed weights."""
    pairs = _units(a, b, diff)
    draws = Draws()
    designer = Designer(a, draws, sizes.wanted(a))
    held = designer.all()
    made = transfer(a, b, pairs)
    pairs = joined(a, b, pairs, made.together, diff)
    inputs = design.inputs(a, draws)
    first = Network(a, held, inputs, designer.size)
    second = Network(b, made.values(held, draws), fed(a, b, inputs, diff, draws))
    found = Numbers()
    known = numbers.run_free(first, second, pairs, draws, found)
    numbers.run_alone(first, second, pairs, known, draws, found)
    return _told(Blame(a, b, diff), pairs, found, made)


def _swapped(told: Direction) -> Direction:
    """What was found with B's layers first, with A's first."""
    first, end = told.first, told.end
    return msgspec.structs.replace(
        told,
        end=(end[1], end[0]) if end else None,
        first=_turned(first) if first else None,
        divergences=tuple(map(_turned, told.divergences)),
        uncompared=tuple(
            Uncompared(pair=(one.pair[1], one.pair[0]), reason=one.reason)
            for one in told.uncompared
        ),
        weights=msgspec.structs.replace(
            told.weights,
            carried=tuple(
                msgspec.structs.replace(one, pair=(one.pair[1], one.pair[0]))
                for one in told.weights.carried
            ),
        ),
    )


def _turned(held: Divergence) -> Divergence:
    return msgspec.structs.replace(held, pair=(held.pair[1], held.pair[0]))


def fed(a: Side, b: Side, inputs: Arrays, diff: Diff, draws: Draws) -> Arrays:
    """A's inputs as B reads them: in its layout, of its type; what B alone has is designed."""
    made = design.inputs(b, draws)
    counterpart = diff.counterpart()
    for name, value in a.entries.items():
        for other in counterpart.get(name, ()):
            if other in b.entries:
                array = inputs[str(value.name)]
                routes = _same_readers(a, b, name, other, counterpart)
                found = layout.carried(array, *routes) if routes[0] else None
                end = str(b.entries[other].name)
                found = layout.fitted(array, made[end].shape) if found is None else found
                if found is not None and found.shape == made[end].shape:
                    made[end] = found.astype(made[end].dtype)
    return made


def _same_readers(
    a: Side, b: Side, ours: str, theirs: str, counterpart: dict[str, tuple[str, ...]]
) -> tuple[list[Route], list[Route]]:
    """The routes from an input to layers that correspond, on both sides."""
    found: tuple[list[Route], list[Route]] = ([], [])
    others: list[Edge] = b.readers.get(str(b.entries[theirs].name), [])
    for edge in a.readers.get(str(a.entries[ours].name), []):
        same = [one for one in others if one.layer in counterpart.get(edge.layer, ())]
        if same:
            found[0].append(edge.route)
            found[1].append(same[0].route)
    return found


def _told(blame: Blame, pairs: list[Unit], found: Numbers, made: Transfer) -> Direction:
    a, b = made.a, made.b
    divergences = tuple(Search(a, b, pairs, found, blame).divergences())
    end, outputs = _end(a, b, pairs, found)
    return Direction(
        outputs=outputs,
        end=end,
        first=divergences[0] if divergences else None,
        divergences=divergences,
        compared=sum(i in found.free or i in found.alone for i in range(len(pairs))),
        uncompared=tuple(_uncompared(pairs, found)),
        weights=instructions.weights(made),
    )


def _uncompared(pairs: list[Unit], found: Numbers) -> list[Uncompared]:
    """What ran neither alone nor, on equal inputs, in its network."""
    told: list[Uncompared] = []
    for i, unit in enumerate(pairs):
        free = found.free.get(i)
        if i not in found.alone and (free is None or not free.small):
            reason = found.reasons.get(i) or found.unrun.get(i) or "it was not run"
            told.append(Uncompared(pair=unit.pair, reason=reason))
    return told


def _end(
    a: Side, b: Side, pairs: list[Unit], found: Numbers
) -> tuple[Pair | None, Difference | None]:
    """The layers that both networks end with, and how far they are apart.

    Where the outputs are not of layers that correspond, it is the last ones that do: one port may
    end in a softmax that the other lacks.
    """
    ends = set(a.returned.values()), set(b.returned.values())
    ran = [i for i in range(len(pairs)) if i in found.free]
    closing = [i for i in ran if ends[0] & set(pairs[i].a.ids) and ends[1] & set(pairs[i].b.ids)]
    if not ran:
        return None, None
    chosen = max(closing or ran[-1:], key=lambda i: (found.free[i].size(), i))
    return pairs[chosen].pair, found.free[chosen]
