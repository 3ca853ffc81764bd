"""Residual blocks of a graph, and the rows of equal ones."""

from __future__ import annotations

from dataclasses import dataclass

from modeldocs.ir import Layer, LayerGraph

from .digests import slot_of
from .draft import Draft
from .lookalikes import word

TAIL = frozenset(("Relu", "Clip", "LayerNormalization", "RMSNormalization"))
"""What may stand behind a sum and still be of its block, as in BERT and ResNet."""

_LARGEST = 60
"""Layers of a block."""


@dataclass(frozen=True, slots=True)
class Block:
    """Layers between a value and the sum of that value with what they make of it."""

    before: str
    layers: tuple[str, ...]
    """In topological order; the last one gives the value that goes on."""
    told: tuple[object, ...]
    """What each of them is; equal blocks have this in common."""


@dataclass(frozen=True, slots=True)
class Row:
    """Equal blocks behind each other.

    `chain` is where the values begin that these blocks, and any others of the network, add to one
    by one. One more of one kind here and one less there may be as many more and less of another in
    between, so that a chain has no more than one block put in or taken out.
    """

    chain: str
    blocks: tuple[Block, ...]


def rows(graph: LayerGraph) -> tuple[Row, ...]:
    """The rows of equal blocks of a graph, one block at least."""
    blocks = _found(Draft(graph))
    behind = {block.before: block for block in blocks}
    made, seen = [], set()
    begins = _beginnings(graph)
    for block in blocks:
        if block.layers in seen:
            continue
        row = [block]
        while (after := behind.get(row[-1].layers[-1])) and after.told == block.told:
            row.append(after)
        seen.update(one.layers for one in row)
        made.append(Row(begins[block.before], tuple(row)))
    return tuple(made)


def _beginnings(graph: LayerGraph) -> dict[str, str]:
    """By value, where the sums begin that it is the last of: past what keeps its shape."""
    shapes = {entry.id: entry.type.shape for entry in graph.inputs}
    begins = {entry.id: entry.id for entry in graph.inputs}
    bits = {name: 1 << place for place, name in enumerate(shapes)}
    above = dict(bits)
    for layer in graph.layers:
        read = [one.value for one in layer.inputs]
        bits[layer.id] = 1 << len(bits)
        above[layer.id] = bits[layer.id]
        for name in read:
            above[layer.id] |= above[name]
        shapes[layer.id] = layer.outputs[0].shape if layer.outputs else None
        begins[layer.id] = layer.id
        held = read if len(read) == 1 else [x for x in read if _is_above(x, read, bits, above)]
        if len(held) == 1 and shapes[held[0]] == shapes[layer.id]:
            begins[layer.id] = begins[held[0]]
    return begins


def _is_above(name: str, read: list[str], bits: dict[str, int], above: dict[str, int]) -> bool:
    """Whether all other operands of a layer are made of this one."""
    return all(above[other] & bits[name] for other in read)


def _found(draft: Draft) -> list[Block]:
    """All residual blocks of a graph that can be taken out, in their order."""
    users, places = draft.users(), {name: place for place, name in enumerate(draft.layers)}
    blocks = []
    for layer in draft.layers.values():
        if layer.operator == "Add" and len(layer.inputs) == 2 and not layer.parameters:
            for held, other in (layer.inputs, layer.inputs[::-1]):
                names = _between(draft, users, held.value, other.value, layer)
                if names:
                    order = tuple(sorted(names, key=places.__getitem__))
                    told = _told(draft, held.value, order)
                    blocks.append(Block(held.value, order, told))
                    break
    return blocks


def _between(
    draft: Draft, users: dict[str, list[str]], before: str, made: str, total: Layer
) -> set[str]:
    """The block from `before` to a sum; empty where it is open, or another shape comes out."""
    inner = _inside(draft, before, made)
    if not any(reads(draft, name, before) for name in inner):
        return set()
    if any(not {*users[name]} <= {*inner, total.id} for name in inner):
        return set()
    names = {*inner, total.id}
    last, entry = total, draft.layers.get(before)
    if entry is not None and entry.operator in TAIL and len(users[total.id]) == 1:
        behind = draft.layers[users[total.id][0]]
        if word(behind) == word(entry) and total.id not in draft.ends():
            last = behind
            names.add(last.id)
    shape = entry.outputs if entry is not None else (draft.inputs[before].type,)
    turned = any(one.steps for one in total.inputs if one.value == before)
    return set() if turned or shape != last.outputs else names


def _inside(draft: Draft, before: str, made: str) -> set[str]:
    """What a value is made of, back to `before`; nothing where it is made of more."""
    inner: set[str] = set()
    waiting = [made] if made != before else []
    while waiting:
        name = waiting.pop()
        if name in inner or name == before:
            continue
        if name not in draft.layers or len(inner) == _LARGEST:
            return set()
        inner.add(name)
        waiting += [one.value for one in draft.layers[name].inputs]
    return inner


def _told(draft: Draft, before: str, order: tuple[str, ...]) -> tuple[object, ...]:
    places = {name: place for place, name in enumerate((before, *order))}
    return tuple(
        (
            word(layer),
            repr(sorted(layer.attributes.items())),
            tuple(sorted((slot_of(layer, x.slot), places.get(x.value, -1)) for x in layer.inputs)),
        )
        for layer in (draft.layers[name] for name in order)
    )


def reads(draft: Draft, name: str, value: str) -> bool:
    """Whether a layer has a value among its operands."""
    return any(operand.value == value for operand in draft.layers[name].inputs)
