"""The parity of two networks, computed in this process."""

from __future__ import annotations

from typing import Final

import msgspec

from modeldocs.diff import EQUAL, Diff, Direction, Divergence, Parity, Weights
from modeldocs.numeric.parity import (
    input_marks,
    inverse,
    mirroring,
    stored_order,
    weight_init,
    weight_report,
)
from modeldocs.numeric.parity.carried_networks import CarriedNetworks, CarriedRun, groups_of
from modeldocs.numeric.parity.programs import Programs
from modeldocs.numeric.parity.regions.row_orders import Placed
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.transfer import transfer

EPSILON: Final = "epsilon"
"""The attribute of a norm that is added to what it divides by."""

_EFFECTS: Final = (
    "first",
    "divergences",
    "acting",
    "idle",
    "ending",
    "partly",
    "clusters",
    "lacking",
)


def compare_networks(ours: Programs, theirs: Programs, diff: Diff) -> Parity:
    """Run both networks with A's designed weights, then with B's.

    `diff` is that of their graphs. Nothing is isolated here:
    `modeldocs.numeric.parity.compare` does that.

    Raises:
        ModeldocsError: no layers correspond, or onnxruntime cannot run a network at all.
    """
    back, found, found_back = mirroring.diff(diff), Placed(), Placed()
    first = _direction(ours, theirs, diff, found)
    second = _direction(theirs, ours, back, found_back)
    first = _with_others(first, ours, theirs, diff, found_back)
    second = _with_others(second, theirs, ours, back, found)
    return Parity(*_agreed(first, mirroring.direction(second)))


def _agreed(first: Direction, second: Direction) -> tuple[Direction, Direction]:
    """Both directions, where one has shown what the other network lacks: layers are left out of the
    network that weights are given to, which has to be the one that has them.
    """
    for one, other in ((first, second), (second, first)):
        if one.lacking and other.verdict == "diverges" and not other.lacking:
            found = msgspec.structs.replace(
                other,
                **{name: getattr(one, name) for name in _EFFECTS},
            )
            return (first, found) if one is first else (found, second)
    return first, second


def weight_map(a: RunnableGraph, b: RunnableGraph, diff: Diff) -> Weights:
    """How B's weights are computed from A's, without running either.

    Raises:
        ModeldocsError: no layers correspond.
    """
    return weight_report.report(transfer(a, b, groups_of(a, b, diff)))


def _with_others(
    direction: Direction, ours: Programs, theirs: Programs, diff: Diff, other: Placed
) -> Direction:
    """A direction, or, where it does not hold, the same with the weights that follow from those
    that running found for the other direction, if it holds with them.
    """
    if direction.verdict == "holds" or not other.expressions:
        return direction
    networks = CarriedNetworks(ours, theirs, diff)
    if not networks.place_free(inverse.given_back(ours.graph, theirs.graph, other.expressions)):
        return direction
    again = _direction(ours, theirs, diff, networks.found)
    return again if again.verdict == "holds" else direction


def _direction(ours: Programs, theirs: Programs, diff: Diff, placed: Placed) -> Direction:
    """Both networks with A's designed weights.

    Where one of them compares its inputs with integers, such as that of padding, they are first run
    on inputs without these: weights that give the same for one of them may be wrong for others.
    """
    marks = input_marks.marks(ours.graph) | input_marks.marks(theirs.graph)
    if not marks:
        return _on_inputs(ours, theirs, diff, placed)
    given = placed.copy()
    plain = _on_inputs(ours, theirs, diff, given, marks)
    if plain.verdict != "holds":
        return _on_inputs(ours, theirs, diff, placed)
    placed.add(given)
    found = _on_inputs(ours, theirs, diff, given)
    if found.verdict != "diverges":
        return found
    by_marks = tuple(
        number
        for number in found.acting
        if number not in plain.acting and diff.changes[number - 1].consequence != "shape"
    )
    return msgspec.structs.replace(plain, marks=tuple(sorted(marks)), by_marks=by_marks)


def _on_inputs(
    ours: Programs,
    theirs: Programs,
    diff: Diff,
    placed: Placed,
    without: frozenset[int] = frozenset(),
) -> Direction:
    """Both networks with A's designed weights, of which small ones show every epsilon.

    Where they differ on these, they are compared on values of usual size. If they differ there
    too, that is what is told. If not, what was found on the way of the weights is used on the small
    ones, where more is seen: nothing but an epsilon may differ. `placed` are weights of B that
    structure has no place for; those that are found are added to it.
    """
    networks = CarriedNetworks(ours, theirs, diff, placed, without=without)
    found = _if_returning_same(networks.run()) or _in_stored_order(networks)
    if found is not None and not found.divergences:
        return found
    given = len(placed.expressions)
    usual = _placed(CarriedNetworks(ours, theirs, diff, placed, usual=True, without=without))
    same = _if_returning_same(usual)
    told = usual.direction() if same is None else same
    if same is None and told.divergences:
        return _with_epsilons(told, diff)
    del usual
    if found is None or len(placed.expressions) > given:
        run = CarriedNetworks(ours, theirs, diff, placed, without=without).run()
        found = _if_returning_same(run) or run.direction()
    if not found.divergences or told.outputs is None:
        return found
    if same is None and not all(_is_of_epsilon(one, diff) for one in found.divergences):
        return found
    if told.divergences and any(one.settings != (EPSILON,) for one in found.divergences):
        return found
    small = tuple(n for n in found.acting if diff.changes[n - 1].attribute == EPSILON)
    acting = () if same is not None else told.acting
    return msgspec.structs.replace(
        told, first=None, divergences=(), acting=acting, only_small=True, small=small
    )


def _is_of_epsilon(one: Divergence, diff: Diff) -> bool:
    return one.change is not None and diff.changes[one.change - 1].attribute == EPSILON


def _in_stored_order(networks: CarriedNetworks) -> Direction | None:
    """Both with the weights that nothing gives taken in the order in which they are stored; None
    where that does not make them the same.
    """
    if not networks.transferred.unset:
        return None
    of = CarriedNetworks(networks.ours, networks.theirs, networks.diff, without=networks.without)
    if not of.place_free(stored_order.weights(of.ours.graph, of.theirs.graph)):
        return None
    found = _if_returning_same(of.run())
    if found is not None:
        networks.place(of.found)
    return found


def _with_epsilons(apart: Direction, diff: Diff) -> Direction:
    """What differs on values of usual size, which do not show that epsilons differ as well."""
    epsilons = {n for n in apart.idle if diff.changes[n - 1].attribute == EPSILON}
    return msgspec.structs.replace(
        apart,
        acting=tuple(sorted({*apart.acting, *epsilons})),
        idle=tuple(n for n in apart.idle if n not in epsilons),
    )


def _if_returning_same(run: CarriedRun) -> Direction | None:
    """What was measured of two networks that return the same on the numbers drawn for them; None
    where they do not.

    What is equal on some inputs is run on others, where these may take other ways: another branch,
    the rows that a mask left out.
    """
    if Direction(returned=run.returned).returns not in _RETURNING_SAME:
        return None
    found = run.direction()
    if found.divergences:
        return found
    if found.returns == "same" and weight_init.has_opposite(run.networks.ours.graph):
        other = run.networks.run(opposite=True).direction()
        if other.returns != "same" or other.divergences:
            return other
    return found


_RETURNING_SAME: Final = ("same", "part", "form")
"""What two networks return that compute the same."""


def _placed(networks: CarriedNetworks) -> CarriedRun:
    """Both networks run, with the weights of B that make more of it equal, as far as some are
    found.
    """
    while True:
        run = networks.run()
        same = all(one.relation in EQUAL for one in run.returned)
        placed = Placed() if same else run.placed()
        if not placed.expressions:
            return run
        networks.place(placed)
