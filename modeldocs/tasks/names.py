"""Names of ports and pairs, and which pairs there are."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from modeldocs.catalog import Model, Port


def port_name(model: Model, port: Port) -> str:
    """`lenet/caffe`, as the command line names it."""
    return f"{model.id}/{port.name}"


def pair_name(model: Model, a: Port, b: Port) -> str:
    """`lenet/caffe-vs-pytorch`."""
    return f"{model.id}/{a.name}-vs-{b.name}"


def pairs(model: Model, among: Iterable[Port]) -> list[tuple[Port, Port]]:
    """Pairs of a model's ports to compare, its reference port on the left side of its own."""
    ports = sorted(among, key=lambda port: (port.name != model.manifest.reference, port.name))
    return list(combinations(ports, 2))
