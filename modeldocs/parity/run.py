"""Parity in this process: two models and their diff in, a `Parity` out."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.closeness import Difference
from modeldocs.diff import Diff, Pair, Parity, Uncompared
from modeldocs.errors import ModeldocsError
from modeldocs.parity import design, layout, numbers, sizes, transfer
from modeldocs.parity.blame import Blame
from modeldocs.parity.design import Designer, Draws
from modeldocs.parity.numbers import Network, Numbers
from modeldocs.parity.route import Route
from modeldocs.parity.search import Search
from modeldocs.parity.side import Edge, Side, side
from modeldocs.parity.unit import Unit, joined, units

Arrays = design.Arrays


def compare_models(a: ir.Model, b: ir.Model, diff: Diff) -> Parity:
    """Both models with A's designed weights. The models are changed on the way.

    `diff` is that of their graphs in normal form. Nothing is confined here: that is what
    `modeldocs.parity.compare` is for.

    Raises:
        ModeldocsError: nothing corresponds, or onnxruntime cannot run a model at all.
    """
    ours, theirs = side(a), side(b)
    pairs = units(ours, theirs, diff)
    if not pairs:
        raise ModeldocsError("no layers of the two correspond")
    draws = Draws()
    designer = Designer(ours, draws, sizes.wanted(ours))
    held = designer.all()
    carried = transfer.weights(ours, theirs, pairs, held, draws)
    pairs = joined(ours, theirs, pairs, carried.together, diff)
    inputs = design.inputs(ours, draws)
    first = Network(ours, held, inputs, designer.size)
    second = Network(theirs, carried.made, fed(ours, theirs, inputs, diff, draws))
    found = Numbers()
    known = numbers.run_free(first, second, pairs, found)
    numbers.run_alone(first, second, pairs, known, draws, found)
    return _told(ours, theirs, diff, pairs, found, carried.permuted)


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


def _told(
    a: Side, b: Side, diff: Diff, pairs: list[Unit], found: Numbers, permuted: list[str]
) -> Parity:
    divergences = tuple(Search(a, b, pairs, found, Blame(a, b, diff)).divergences())
    end, outputs = _end(a, b, pairs, found)
    return Parity(
        outputs=outputs,
        end=end,
        first=divergences[0] if divergences else None,
        divergences=divergences,
        compared=sum(i in found.free or i in found.alone for i in range(len(pairs))),
        uncompared=tuple(_uncompared(pairs, found)),
        permuted=tuple(permuted),
    )


def _uncompared(pairs: list[Unit], found: Numbers) -> list[Uncompared]:
    told: list[Uncompared] = []
    for i, unit in enumerate(pairs):
        reason = found.reasons.get(i) or (found.unrun.get(i) if i not in found.alone else None)
        if reason is not None:
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
