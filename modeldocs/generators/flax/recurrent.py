"""Recurrent layers in Flax: `nnx.RNN` and `nnx.Bidirectional` of a cell."""

from __future__ import annotations

import ast

import msgspec

from modeldocs.generators import edge_moves, recurrent, syntax
from modeldocs.generators.flax.cells import Cell, cell, weights
from modeldocs.generators.layouts import tensor
from modeldocs.generators.lowered import TensorForm
from modeldocs.generators.operation import LoweredOperation
from modeldocs.generators.recurrent import CELL, STATE, Recurrence
from modeldocs.generators.site import Lowering, Site
from modeldocs.generators.syntax import call
from modeldocs.generators.templates import item
from modeldocs.ir import Reshape, TensorType


def recurrence(site: Site) -> ast.expr:
    """A layer over all steps; last states are those of its last steps, but for the cell's."""
    found = recurrent.recurrence(site, runs_backwards=True, starts=True)
    own = cell(site, found)
    layer = site.member(_layer(own, found), **weights(own, found))
    settings = _start(site, found)
    if 2 in found.used:
        settings["return_carry"] = True
    run = call(layer, recurrent.sequence(site), **settings)
    if found.used == (0,):
        site.gives((0, found.sequence))
        return run
    return _with_states(site, found, run)


def _layer(own: Cell, found: Recurrence) -> ast.expr:
    sizes = {"in_features": found.inputs, "hidden_features": found.units}
    if found.directions == 2:
        both = (call("nnx.RNN", call(own.name, **sizes)) for _ in range(2))
        return call("nnx.Bidirectional", *both)
    settings = {"reverse": True, "keep_order": True} if found.is_reversed else {}
    return call("nnx.RNN", call(own.name, **sizes), **settings)


def _start(site: Site, found: Recurrence) -> dict[str, object]:
    """What the cells start with, where it is given."""
    slots = (CELL, STATE) if site.layer.operator == "LSTM" else (STATE,)
    if not any(site.has(slot) for slot in slots):
        return {}
    carries: list[ast.expr] = []
    for direction in range(found.directions):
        held = [_state(site, found, slot, direction) if site.has(slot) else None for slot in slots]
        given = next(one for one in held if one is not None)
        states = [one if one is not None else call("jnp.zeros_like", given) for one in held]
        carries.append(states[0] if len(states) == 1 else _tuple(states))
    return {"initial_carry": carries[0] if len(carries) == 1 else _tuple(carries)}


def _state(site: Site, found: Recurrence, slot: int, direction: int) -> ast.expr:
    """What one direction starts with, batch x units."""
    edge, shape = site.edge(slot), site.shape(slot)
    if edge is None or found.directions == 2:
        return item(site.operand(slot), direction)
    steps = edge_moves.fewest(
        site.lowered.shapes[tensor(edge.value, edge.output)],
        [*edge.steps, Reshape(shape, shape[1:])],
    )
    kind = TensorType(shape[1:], edge.type.dtype)
    read = msgspec.structs.replace(edge, steps=tuple(steps), type=kind)
    return site.lowered.read(read, site.layer.id)


def _with_states(site: Site, found: Recurrence, run: ast.expr) -> ast.expr:
    """The expression of the last state that is read; what comes before it, as operations."""
    name = site.layer.id
    steps, carry = tensor(name, 0) if 0 in found.used else f"{name}.steps", f"{name}.carry"
    if 0 in found.used:
        site.lowered.forms[steps] = found.sequence
    site.lowered.variables[carry] = "carry"
    results = (carry, steps) if 2 in found.used else (steps,)
    states = {1: _last(found, syntax.value(steps)), 2: _cell(found, syntax.value(carry))}
    made = [(place, states[place]) for place in found.used if place]
    site.lowered.operations.append(LoweredOperation(name, results, run, tuple(site.parts)))
    site.parts = []
    *before, (place, last) = made
    for one, expression in before:
        site.lowered.forms[tensor(name, one)] = _form(found)
        operation = LoweredOperation(name, (tensor(name, one),), expression)
        site.lowered.operations.append(operation)
    site.gives((place, _form(found)))
    return last


def _form(found: Recurrence) -> TensorForm:
    """A last state, batch x (directions · units)."""
    if found.directions == 2:
        return found.state
    shape = (found.batch, found.units)
    return TensorForm(shape, (Reshape(shape, (1, *shape)),))


def _last(found: Recurrence, steps: ast.expr) -> ast.expr:
    """The last state, which is a step: the first one where the layer runs backwards."""
    if found.directions == 1:
        return syntax.expression(f"y[:, {0 if found.is_reversed else -1}]", y=steps)
    template = "jnp.concatenate([y[:, -1, :units], y[:, 0, units:]], axis=-1)"
    return syntax.expression(template, y=steps, units=found.units)


def _cell(found: Recurrence, carry: ast.expr) -> ast.expr:
    """The last state of an LSTM's cell, which comes first in what it carries."""
    if found.directions == 1:
        return item(carry, 0)
    template = "jnp.concatenate([carry[0][0], carry[1][0]], axis=-1)"
    return syntax.expression(template, carry=carry)


def _tuple(items: list[ast.expr]) -> ast.expr:
    return ast.Tuple(elts=items, ctx=ast.Load())


TABLE: dict[str, Lowering] = {"GRU": recurrence, "LSTM": recurrence, "RNN": recurrence}
