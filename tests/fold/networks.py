"""Generated networks to fold: chains, blocks and hubs put together by a seed."""

from __future__ import annotations

import random

from modeldocs.ir import LayerGraph
from tests.diff.graphs import Net

SHAPE = (1, 8, 16)
UNARY = ("Relu", "Tanh", "Sigmoid", "Abs", "Gelu")
BINARY = ("Add", "Mul", "Max", "Concat")


def tangled(layers: int, seed: int) -> LayerGraph:
    """A network without structure: each layer reads one to three of any layers before it.

    Its outputs are all values that no layer reads.
    """
    chance = random.Random(seed)
    net = Net(SHAPE)
    values = ["input-1"]
    while len(net.layers) < layers:
        near = values[-20:] if chance.random() < 0.8 else values
        sources = list(dict.fromkeys(chance.choice(near) for _ in range(chance.randint(1, 3))))
        operator = chance.choice(BINARY[:3] if len(sources) > 1 else UNARY)
        values.append(net.add(operator, sources, SHAPE))
    read = {operand.value for layer in net.layers for operand in layer.inputs}
    return net.graph(*(value for value in values[1:] if value not in read))


def blocks(layers: int, seed: int, *, hub: bool = True) -> LayerGraph:
    """Residual blocks, repeated now and then; each reads one hub where `hub` asks for it."""
    chance = random.Random(seed)
    net = Net(SHAPE, SHAPE)
    mask = net.same("Sigmoid", "input-2")
    last = "input-1"
    while len(net.layers) < layers:
        body = [chance.choice(UNARY) for _ in range(chance.randint(1, 6))]
        for _ in range(chance.choice((1, 1, 2, 3, 5))):
            value = last
            for operator in body:
                value = net.same(operator, value)
            if hub:
                value = net.add("Mul", [value, mask], SHAPE)
            last = net.add("Add", [value, last], SHAPE)
    return net.graph(last)
