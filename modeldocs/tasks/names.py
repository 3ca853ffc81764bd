"""Names of ports and of pairs of ports."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from modeldocs.catalog import Model, Port


def port_name(model: Model, port: Port) -> str:
    """`lenet/caffe`, the name of a port on the command line."""
    return f"{model.id}/{port.name}"


def pair_name(model: Model, a: Port, b: Port) -> str:
    """`lenet/caffe-vs-pytorch`."""
    return f"{model.id}/{a.name}-vs-{b.name}"


def pairs(model: Model, among: Iterable[Port]) -> list[tuple[Port, Port]]:
    """Pairs of ports to compare, sorted by name; the reference port is A in all of its pairs."""
    ports = sorted(among, key=lambda port: (port.name != model.manifest.reference, port.name))
    return list(combinations(ports, 2))
