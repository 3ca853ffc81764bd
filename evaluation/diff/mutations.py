"""A graph with edits planted in it, every name another and the layers in another order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import msgspec

from modeldocs.ir import GraphInput, Layer, LayerGraph, Operand

from .attributes import attribute
from .blocks import block_in, block_out
from .crowding import crowded
from .draft import Draft
from .edit import Bench, Claims, Edit, Ids
from .plumbing import Misfit
from .preprocessing import preprocess
from .regrouping import fuse, split
from .respelt import Respelt, unchanged
from .retuning import layout, retype, stride, width
from .rewiring import delete, insert, swap
from .rows import Row, rows

Kind = Callable[[Bench], Edit | None]
Sides = tuple[frozenset[str], frozenset[str]]
"""Layers of the old graph, and of the new one."""

KINDS: Final[tuple[tuple[Kind, int], ...]] = (
    (attribute, 3),
    (delete, 2),
    (insert, 2),
    (retype, 2),
    (stride, 1),
    (swap, 1),
    (fuse, 1),
    (split, 1),
    (layout, 1),
    (width, 1),
    (preprocess, 1),
    (block_in, 1),
    (block_out, 1),
)
"""Kinds of edits and how often each is drawn."""

_DRAWS: Final = 60
"""Draws for each edit before a graph is held to have room for no more."""


@dataclass(frozen=True, slots=True)
class Mutated:
    """A graph made from another: which layers correspond, and what was done.

    `mapping` holds the layers (and inputs) of the old graph with those of the new one, several
    with one where they were fused or split; layers put in or taken out are not in it, nor are
    those spelled otherwise: `respelt` has them, and `touched` those that rewrites were about.
    `alike` has one word for layers of which nobody can tell which were put in or taken out.
    `listed` are the new layers in the order of the old graph, which they are shuffled out of.
    """

    graph: LayerGraph
    mapping: tuple[tuple[Ids, Ids], ...]
    edits: tuple[Edit, ...]
    listed: Ids = ()
    respelt: Sides = (frozenset(), frozenset())
    touched: Sides = (frozenset(), frozenset())
    alike: tuple[dict[str, str], dict[str, str]] = ({}, {})


def mutate(graph: LayerGraph, k: int, seed: int, base: Respelt | None = None) -> Mutated:
    """Plant `k` edits (fewer where the graph has no room), rename everything and shuffle.

    They are planted in the graph itself, or in one that computes the same. Edits that leave
    shapes which do not fit are drawn again; no two touch the same layer.
    """
    chance = Random(f"{graph.name} {k} {seed}")
    base = base or unchanged(graph)
    draft, edits = _planted(base, rows(graph), k, chance)
    return _shuffled(graph, base, draft.finished(), edits, chance)


def _planted(
    base: Respelt, blocks: tuple[Row, ...], k: int, chance: Random
) -> tuple[Draft, list[Edit]]:
    edits: list[Edit] = []
    draft = Draft(base.graph)
    closed = frozenset(draft.layers) - base.kept | base.touched
    claims = Claims(changed=set(closed))
    kinds, weights = zip(*KINDS, strict=True)
    for _ in range(_DRAWS * k):
        if len(edits) == k:
            break
        trial = Bench(draft.copy(), chance, claims.copy(), closed, blocks)
        try:
            edit = chance.choices(kinds, weights)[0](trial)
            trial.draft.settle()
        except Misfit:
            continue
        if edit is not None and not crowded(trial, [*edits, edit]):
            edits.append(edit)
            draft, claims = trial.draft, trial.claims
    return draft, edits


def _shuffled(
    old: LayerGraph, base: Respelt, new: LayerGraph, edits: list[Edit], chance: Random
) -> Mutated:
    layers = _reordered(new, chance)
    numbers = chance.sample(range(10 * len(layers) + 10), len(layers))
    ids = {layer.id: f"x{number}" for layer, number in zip(layers, numbers, strict=True)}
    names = {entry.id: f"{chance.random():.12f}" for entry in _entries(new)}
    parameters = {name: f"{chance.random():.12f}" for name in sorted(new.parameters())}
    graph = msgspec.structs.replace(
        new,
        name="mutated",
        inputs=tuple(msgspec.structs.replace(x, name=names[x.id], origins=()) for x in new.inputs),
        layers=tuple(_renamed(layer, ids, names, parameters) for layer in layers),
        outputs=tuple(
            msgspec.structs.replace(x, name=f"out {place}", source=_reading(x.source, ids))
            for place, x in enumerate(new.outputs)
        ),
    )
    told = tuple(
        replace(edit, new=tuple(ids.get(name, name) for name in edit.new)) for edit in edits
    )
    gone = frozenset(layer.id for layer in old.layers) - base.kept
    loose = frozenset(ids[name] for name in ids if name.startswith("respelt-"))
    alike = {name: word for edit in edits for name, word in edit.alike.items()}
    return Mutated(
        graph,
        _mapping(old, ids, told),
        told,
        tuple(ids[layer.id] for layer in new.layers),
        (gone, loose),
        (base.touched, frozenset(ids[name] for name in base.touched if name in ids)),
        (alike, {ids[name]: word for name, word in alike.items() if name in ids}),
    )


def _mapping(
    old: LayerGraph, ids: dict[str, str], edits: tuple[Edit, ...]
) -> tuple[tuple[Ids, Ids], ...]:
    """What became of each layer, in the order of the old graph."""
    became: dict[str, tuple[Ids, Ids]] = {}
    for edit in edits:
        if edit.kind in ("fuse", "split"):
            became |= dict.fromkeys(edit.old, (edit.old, edit.new))
    pairs: dict[tuple[Ids, Ids], None] = {}
    for entry in _entries(old):
        if entry.id in became:
            pairs[became[entry.id]] = None
        elif not isinstance(entry, Layer):
            pairs[(entry.id,), (entry.id,)] = None
        elif entry.id in ids:
            pairs[(entry.id,), (ids[entry.id],)] = None
    return tuple(pairs)


def _entries(graph: LayerGraph) -> list[GraphInput | Layer]:
    return [*graph.inputs, *graph.layers]


def _reordered(graph: LayerGraph, chance: Random) -> list[Layer]:
    """The layers in any order in which each comes after those that it reads."""
    made = {layer.id: layer for layer in graph.layers}
    waiting = {x.id: {one.value for one in x.inputs if one.value in made} for x in graph.layers}
    users: dict[str, list[str]] = {name: [] for name in made}
    for name, read in waiting.items():
        for source in read:
            users[source].append(name)
    ready = [name for name, read in waiting.items() if not read]
    order = []
    while ready:
        name = ready.pop(chance.randrange(len(ready)))
        order.append(made[name])
        for user in sorted(users[name]):
            waiting[user].discard(name)
            if not waiting[user]:
                ready.append(user)
    return order


def _renamed(
    layer: Layer, ids: dict[str, str], names: dict[str, str], parameters: dict[str, str]
) -> Layer:
    return msgspec.structs.replace(
        layer,
        id=ids[layer.id],
        name=names[layer.id],
        inputs=tuple(_reading(operand, ids) for operand in layer.inputs),
        parameters=tuple(
            msgspec.structs.replace(one, name=parameters[one.name]) for one in layer.parameters
        ),
        modules=(),
        origins=(),
    )


def _reading(operand: Operand, ids: dict[str, str]) -> Operand:
    return msgspec.structs.replace(operand, value=ids.get(operand.value, operand.value))
