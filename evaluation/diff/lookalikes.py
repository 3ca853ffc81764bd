"""Whether another layer could as well have been put in or taken out: the graph would be the same.

Of a row p, d1 … dn, q with d1 … dn gone, nobody can tell which are gone where q equals d1 or p
equals dn; the same holds of a row that was put in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from modeldocs.ir import Layer


def taken_out(layers: Mapping[str, Layer], gone: set[str], name: str) -> bool:
    """Whether a layer of a graph that goes is one of a row that could be another."""
    users = _users(layers)
    first, upper = name, before(layers, name)
    while upper in gone and len(layers[upper].inputs) == 1:
        first, upper = upper, before(layers, upper)
    last, lower = name, behind(layers, users, name)
    while len(lower) == 1 and lower[0] in gone:
        last, lower = lower[0], behind(layers, users, lower[0])
    return _same(layers, first, lower) or _same(layers, last, [upper])


def before(layers: Mapping[str, Layer], name: str) -> str:
    """What a layer reads; Dropouts, which compute nothing, are passed over."""
    read = layers[name].inputs[0].value
    return before(layers, read) if _idle(layers, read) else read


def behind(layers: Mapping[str, Layer], users: dict[str, list[str]], name: str) -> list[str]:
    """What reads a layer, past Dropouts."""
    found = []
    for user in users.get(name, []):
        found += behind(layers, users, user) if _idle(layers, user) else [user]
    return found


def _idle(layers: Mapping[str, Layer], name: str) -> bool:
    return name in layers and layers[name].operator == "Dropout"


def put_in(layers: Mapping[str, Layer], new: set[str], name: str) -> bool:
    """Whether a layer that came is one of a row that could be another."""
    return taken_out(layers, new | {name}, name)


def _same(layers: Mapping[str, Layer], name: str, others: Iterable[str]) -> bool:
    return any(other in layers and word(layers[other]) == word(layers[name]) for other in others)


def word(layer: Layer) -> tuple[object, ...]:
    """What a layer is beside where it stands, as far as an edit could not have changed it."""
    return layer.operator, tuple(sorted((one.role, one.shape) for one in layer.parameters))


def _users(layers: Mapping[str, Layer]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for layer in layers.values():
        for operand in layer.inputs:
            found.setdefault(operand.value, []).append(layer.id)
    return found
