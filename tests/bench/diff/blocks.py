"""Whole residual blocks put in or taken out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from modeldocs.graph import Layer

from .draft import Draft, replace
from .edit import Bench, Edit
from .lookalikes import word

_TAIL = frozenset(("Relu", "Clip", "LayerNormalization", "RMSNormalization"))
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


def block_out(bench: Bench) -> Edit | None:
    """A block that is gone."""
    found = _chosen(bench)
    if found is None:
        return None
    row, block = found
    draft, last = bench.draft, block.layers[-1]
    alike = _alike(draft, row)
    draft.redirect(last, lambda one: replace(one, value=block.before, output=0), skip=())
    for name in block.layers:
        del draft.layers[name]
    readers = set(draft.users()[block.before])
    bench.claims.change(*alike)
    bench.claims.bridge(block.before, readers)
    return Edit("block out", block.layers, (), alike=alike)


def block_in(bench: Bench) -> Edit | None:
    """One more block behind another, with weights of its own."""
    found = _chosen(bench)
    if found is None:
        return None
    row, block = found
    draft, last = bench.draft, block.layers[-1]
    readers = set(draft.users()[last])
    alike, ids, after = _alike(draft, row), {block.before: last}, last
    for name in block.layers:
        after = draft.add(after, _copied(draft.layers[name], ids, draft.made))
        ids[name] = after
    made = tuple(ids[name] for name in block.layers)
    draft.redirect(last, lambda one: replace(one, value=after), skip=made)
    bench.claims.change(*alike, *made)
    alike |= {ids[name]: alike[name] for name in block.layers}
    return Edit("block in", (), made, alike=alike) if readers else None


def _copied(layer: Layer, ids: dict[str, str], number: int) -> Layer:
    inputs = tuple(replace(one, value=ids.get(one.value, one.value)) for one in layer.inputs)
    held = tuple(replace(one, name=f"{one.name} again {number}") for one in layer.parameters)
    return replace(layer, inputs=inputs, parameters=held)


def _alike(draft: Draft, row: list[Block]) -> dict[str, str]:
    """One word for the layers of equal blocks of a row: any of the blocks may be the one."""
    first = row[0].layers
    alike = {name: f"block {first[n]}" for one in row for n, name in enumerate(one.layers)}
    before, end = draft.layers.get(row[0].before), draft.layers[first[-1]]
    if before is not None and end.operator in _TAIL and word(before) == word(end):
        alike[before.id] = alike[first[-1]]  # so may the one that stands before the row
    users, last = draft.users(), row[-1]
    heads = [name for name in last.layers if _reads(draft, name, last.before)]
    for head in heads[:-1]:
        for reader in users[last.layers[-1]]:
            alike |= {y: alike[x] for x, y in _in_step(draft, users, head, reader)}
    return alike


def _in_step(
    draft: Draft, users: dict[str, list[str]], one: str, other: str
) -> Iterator[tuple[str, str]]:
    """Equal layers along two lines: those that a block begins with, and those behind it."""
    while word(draft.layers[one]) == word(draft.layers[other]):
        yield one, other
        if len(users[one]) != 1 or len(users[other]) != 1:
            return
        one, other = users[one][0], users[other][0]


def _reads(draft: Draft, name: str, value: str) -> bool:
    return any(operand.value == value for operand in draft.layers[name].inputs)


def _chosen(bench: Bench) -> tuple[list[Block], Block] | None:
    """A block of a row of equal ones that no edit has touched, and that row."""
    draft = bench.draft
    blocks = found(draft)
    rows = [row for row in _rows(blocks) if _untouched(bench, row)]
    if not rows:
        return None
    row = bench.chance.choice(rows)
    return row, bench.chance.choice(row)


def _untouched(bench: Bench, row: list[Block]) -> bool:
    draft, claims = bench.draft, bench.claims
    names = list(_alike(draft, row))
    ends = {row[0].before, *names}
    return (
        claims.free(*names)
        and not any(claims.at_bridge(name) for name in ends)
        and not any(bench.beside_new(name) for name in names)
        and not any(name in draft.ends() for name in names)
    )


def _rows(blocks: list[Block]) -> list[list[Block]]:
    """Blocks behind each other that are equal; where two kinds take turns, no row is made."""
    behind = {block.before: block for block in blocks}
    rows, seen = [], set()
    for block in blocks:
        if block.layers in seen:
            continue
        row = [block]
        while (after := behind.get(row[-1].layers[-1])) and after.told == block.told:
            row.append(after)
        seen.update(one.layers for one in row)
        rows.append(row)
    return rows


def found(draft: Draft) -> list[Block]:
    """All residual blocks of a graph that can be taken out, in their order."""
    users = draft.users()
    blocks = []
    for layer in draft.layers.values():
        if layer.operator == "Add" and len(layer.inputs) == 2 and not layer.parameters:
            for held, other in (layer.inputs, layer.inputs[::-1]):
                block = _between(draft, users, held.value, other.value, layer)
                if block is not None:
                    blocks.append(block)
                    break
    return blocks


def _between(
    draft: Draft, users: dict[str, list[str]], before: str, made: str, total: Layer
) -> Block | None:
    """The block from `before` to a sum; None where it is open, or another shape comes out."""
    inner = _inside(draft, before, made)
    if not any(_reads(draft, name, before) for name in inner):
        return None
    if any(not {*users[name]} <= {*inner, total.id} for name in inner):
        return None
    names = {*inner, total.id}
    last, entry = total, draft.layers.get(before)
    if entry is not None and entry.operator in _TAIL and len(users[total.id]) == 1:
        behind = draft.layers[users[total.id][0]]
        if word(behind) == word(entry) and total.id not in draft.ends():
            last = behind
            names.add(last.id)
    shape = entry.outputs if entry is not None else (draft.inputs[before].type,)
    turned = any(one.notes for one in total.inputs if one.value == before)
    if turned or shape != last.outputs:
        return None
    order = tuple(name for name in draft.layers if name in names)
    return Block(before, order, _told(draft, before, order))


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
            tuple((one.slot, places.get(one.value)) for one in layer.inputs),
        )
        for layer in (draft.layers[name] for name in order)
    )
