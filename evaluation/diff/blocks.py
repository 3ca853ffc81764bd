"""Whole residual blocks put in or taken out."""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs.ir import Layer

from .draft import Draft, replace
from .edit import Bench, Edit
from .lookalikes import word
from .rows import TAIL, Block, Row, reads


def block_out(bench: Bench) -> Edit | None:
    """A block that is gone."""
    found = _chosen(bench)
    if found is None:
        return None
    row, block = found
    draft, last = bench.draft, block.layers[-1]
    alike = _alike(draft, row.blocks)
    near = _beside(bench, row.blocks)
    draft.redirect(last, lambda one: replace(one, value=block.before, output=0), skip=())
    for name in block.layers:
        del draft.layers[name]
    readers = set(draft.users()[block.before])
    bench.claims.change(*alike, *near)
    bench.claims.in_rows.update(alike, near)
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
    alike, ids, after = _alike(draft, row.blocks), {block.before: last}, last
    near = _beside(bench, row.blocks)
    for name in block.layers:
        after = draft.add(after, _copied(draft.layers[name], ids, draft.made))
        ids[name] = after
    made = tuple(ids[name] for name in block.layers)
    draft.redirect(last, lambda one: replace(one, value=after), skip=made)
    bench.claims.change(*alike, *made, *near)
    bench.claims.in_rows.update(alike, made, near)
    alike |= {ids[name]: alike[name] for name in block.layers}
    return Edit("block in", (), made, alike=alike) if readers else None


def _copied(layer: Layer, ids: dict[str, str], number: int) -> Layer:
    inputs = tuple(replace(one, value=ids.get(one.value, one.value)) for one in layer.inputs)
    held = tuple(replace(one, name=f"{one.name} again {number}") for one in layer.parameters)
    return replace(layer, inputs=inputs, parameters=held)


def _alike(draft: Draft, row: tuple[Block, ...]) -> dict[str, str]:
    """One word for the layers of equal blocks of a row: any of the blocks may be the one."""
    first = row[0].layers
    alike = {name: f"block {first[n]}" for one in row for n, name in enumerate(one.layers)}
    before, end = draft.layers.get(row[0].before), draft.layers[first[-1]]
    if before is not None and end.operator in TAIL and word(before) == word(end):
        alike[before.id] = alike[first[-1]]  # so may the one that stands before the row
    users, last = draft.users(), row[-1]
    heads = [name for name in last.layers if reads(draft, name, last.before)]
    for head in heads[:-1]:
        for reader in users[last.layers[-1]]:
            steps = _in_step(draft, users, head, reader)
            alike |= {y: alike[x] for x, y in steps if x in alike}
    return alike | {other: alike[one] for one, other in _before(draft, row).items()}


def _before(draft: Draft, row: tuple[Block, ...]) -> dict[str, str]:
    """What stands before a row, where it is a block like its last one but for the order of axes:
    by layer of that one, the layer in its place.
    """
    held = set(row[-1].layers)
    found: dict[str, str] = {}
    waiting = [(row[-1].layers[-1], row[0].before)]
    while waiting:
        one, other = waiting.pop()
        if other not in draft.layers or word(draft.layers[one]) != word(draft.layers[other]):
            return {}
        found[one] = other
        above = [x.value for x in draft.layers[other].inputs]
        for x in draft.layers[one].inputs:
            told = word(draft.layers[x.value]) if x.value in held else None
            match = next(
                (y for y in above if y in draft.layers and word(draft.layers[y]) == told), ""
            )
            if told is not None and x.value not in found:
                waiting.append((x.value, match))
    return found if found.keys() == held else {}


def _beside(bench: Bench, row: tuple[Block, ...]) -> set[str]:
    """The layers around both ends of a row: an edit there would be taken for one of the block.

    So would one of what stands before it, where that is no residual block but as long as one.
    """
    draft = bench.draft
    ends = row[0].before, row[-1].layers[-1]
    found = {name for end in ends for name in draft.near(end)}
    blocks = {name for other in bench.rows for block in other.blocks for name in block.layers}
    edge = {row[0].before}
    for _ in row[0].layers:
        edge = {name for name in edge if name in draft.layers} - blocks
        found |= edge
        edge = {one.value for name in edge for one in draft.layers[name].inputs}
    return {name for name in found if name in draft.layers}


def _in_step(
    draft: Draft, users: dict[str, list[str]], one: str, other: str
) -> Iterator[tuple[str, str]]:
    """Equal layers along two lines: those that a block begins with, and those behind it."""
    while word(draft.layers[one]) == word(draft.layers[other]):
        yield one, other
        if len(users[one]) != 1 or len(users[other]) != 1:
            return
        one, other = users[one][0], users[other][0]


def _chosen(bench: Bench) -> tuple[Row, Block] | None:
    """A block of a row that no edit has touched, of a chain that has no other such edit."""
    rows = [row for row in bench.rows if row.chain not in bench.claims.chains]
    row = bench.chance.choice(rows) if rows else None
    if row is None or not _untouched(bench, row.blocks):
        return None
    bench.claims.chains.add(row.chain)
    return row, bench.chance.choice(row.blocks)


def _untouched(bench: Bench, blocks: tuple[Block, ...]) -> bool:
    draft, claims = bench.draft, bench.claims
    if any(name not in draft.layers for block in blocks for name in block.layers):
        return False
    names = [*_alike(Draft(draft.graph), blocks), *_alike(draft, blocks)]
    names += _beside(bench, blocks)
    around = {blocks[0].before} | draft.beside(names)
    return (
        claims.free(*names)
        and not any(claims.at_bridge(name) for name in (blocks[0].before, *names))
        and not any(name.startswith(("new-", "respelt-")) for name in around)
        and not any(name in draft.ends() for name in names)
    )
