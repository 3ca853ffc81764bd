"""Names of ports and of pairs of ports."""

from __future__ import annotations

from modeldocs.catalog import Model, Port


def port_name(model: Model, port: Port) -> str:
    """`lenet/caffe`, the name of a port on the command line."""
    return f"{model.id}/{port.name}"


def pair_name(model: Model, a: Port, b: Port) -> str:
    """`lenet/caffe-vs-pytorch`."""
    return f"{model.id}/{a.name}-vs-{b.name}"


def program_name(model: Model, target: str) -> str:
    """`lenet/keras`, the name of a program of a model in a target."""
    return f"{model.id}/{target}"


def program_pair_name(model: Model, target: str, port: Port) -> str:
    """`lenet/~keras-vs-keras`: a program in a target, and a port; no port has such a name."""
    return f"{model.id}/~{target}-vs-{port.name}"
