"""The pairs of a model's ports that are compared, by the policy of its manifest.

All pairs are compared of a model of few ports. Their number grows with the square of the ports:
of a model of more than `ALL_UP_TO` each port is compared with the reference, with its nearest
other port, and where families would else be in doubt, which is linear in the ports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final

from modeldocs.catalog import Model, Port
from modeldocs.catalog.manifest import PairPolicy
from modeldocs.verdict import layer_histogram
from modeldocs.verdict.layer_histogram import LayerHistogram

ALL_UP_TO: Final = 12
"""Number of ports up to which all pairs are compared, where the manifest names no policy."""

Pairs = tuple[tuple[Port, Port], ...]


def policy(model: Model) -> PairPolicy | list[tuple[str, str]]:
    """The policy of the manifest, else that of the number of ports."""
    if model.manifest.pairs is not None:
        return model.manifest.pairs
    return "all" if len(model.ports) <= ALL_UP_TO else "nearest"


def every(model: Model, among: Iterable[Port]) -> Pairs:
    """All pairs of ports, sorted by name; the reference port is A in all of its pairs."""
    return tuple(combinations(_ordered(model, among), 2))


def chosen(model: Model, loaded: Iterable[Port], outlines: Mapping[str, LayerHistogram]) -> Pairs:
    """The pairs of those ports of a model that are compared by a policy other than `all`.

    Each port is compared with the reference, or with the first that loaded in its place. `outlines`
    are those of ports by name; the policy `nearest` needs them.
    """
    ports = _ordered(model, loaded)
    if not ports:
        return ()
    reference, *others = [port.name for port in ports]
    names = [(reference, other) for other in others]
    rule = policy(model)
    if rule == "nearest":
        known = {name: outlines[name] for name in others if name in outlines}
        names += layer_histogram.spanning_tree(known)
    elif not isinstance(rule, str):
        names += rule
    return named(model, ports, names)


def named(model: Model, among: Iterable[Port], names: Iterable[tuple[str, str]]) -> Pairs:
    """The pairs of those names, in the order of `every`; pairs of other ports are left out."""
    ports = _ordered(model, among)
    places = {port.name: number for number, port in enumerate(ports)}
    found = {
        tuple(sorted((places[a], places[b])))
        for a, b in names
        if a in places and b in places and a != b
    }
    return tuple((ports[a], ports[b]) for a, b in sorted(found))


def _ordered(model: Model, ports: Iterable[Port]) -> list[Port]:
    return sorted(ports, key=lambda port: (port.name != model.manifest.reference, port.name))
