"""Small networks to compare, built as a loader and the normal form would leave them."""

from __future__ import annotations

import random
from collections import Counter
from math import prod
from typing import Any

import msgspec

from modeldocs.ir import GraphInput, GraphOutput, Layer, LayerGraph, Operand, Parameter, TensorType

Attributes = dict[str, Any]


class Net:
    """A graph under construction; each method adds a layer and returns its id."""

    def __init__(self, *inputs: tuple[int, ...], name: str = "net") -> None:
        self.name = name
        self.types = {f"input-{n}": kind(shape) for n, shape in enumerate(inputs, 1)}
        self.inputs = [GraphInput(id=i, name=i, type=t) for i, t in self.types.items()]
        self.layers: list[Layer] = []
        self.counts: Counter[str] = Counter()

    def add(
        self,
        operator: str,
        sources: list[str],
        shape: tuple[int, ...],
        attributes: Attributes | None = None,
        parameters: dict[str, tuple[int, ...]] | None = None,
        **more: Any,
    ) -> str:
        stem = operator.lower()
        self.counts[stem] += 1
        key = f"{stem}-{self.counts[stem]}"
        self.layers.append(
            Layer(
                id=key,
                name=f"{stem}{self.counts[stem]}",
                operator=operator,
                inputs=tuple(
                    Operand(slot=slot, value=source, type=self.types[source])
                    for slot, source in enumerate(sources)
                ),
                outputs=(kind(shape),),
                attributes=attributes or {},
                parameters=tuple(
                    Parameter(
                        name=f"{key}.{role}",
                        role=role,
                        shape=dims,
                        dtype="float32",
                        trainable=role not in ("mean", "var"),
                    )
                    for role, dims in (parameters or {}).items()
                ),
                **more,
            )
        )
        self.types[key] = kind(shape)
        return key

    def shape(self, source: str) -> tuple[int, ...]:
        return self.types[source].shape

    def same(self, operator: str, source: str, **attributes: Any) -> str:
        return self.add(operator, [source], self.shape(source), attributes)

    def conv(
        self,
        source: str,
        out: int,
        k: int = 1,
        s: int = 1,
        p: int = 0,
        *,
        bias: bool = False,
        group: int = 1,
        padding: str | None = None,
        dilation: int = 1,
    ) -> str:
        n, channels, h, w = self.shape(source)
        attributes: Attributes = {"kernel_shape": [k, k], "strides": [s, s], "pads": [p] * 4}
        if group > 1:
            attributes["group"] = group
        if dilation > 1:
            attributes["dilations"] = [dilation] * 2
        size = [(x + 2 * p - (k - 1) * dilation - 1) // s + 1 for x in (h, w)]
        weights = {"weight": (out, channels // group, k, k)} | ({"bias": (out,)} if bias else {})
        return self.add("Conv", [source], (n, out, *size), attributes, weights, padding=padding)

    def norm(self, source: str, epsilon: float = 1e-5, *, scale: bool = True) -> str:
        channels = (self.shape(source)[1],)
        roles = (["scale"] if scale else []) + ["bias", "mean", "var"]
        weights = dict.fromkeys(roles, channels)
        shape, attributes = self.shape(source), {"epsilon": epsilon}
        return self.add("BatchNormalization", [source], shape, attributes, weights)

    def relu(self, source: str) -> str:
        return self.same("Relu", source)

    def pool(
        self,
        source: str,
        k: int,
        s: int,
        pads: tuple[int, ...] | int = 0,
        *,
        ceil: bool = False,
        operator: str = "MaxPool",
        **attributes: Any,
    ) -> str:
        n, c, h, w = self.shape(source)
        pads = (pads,) * 4 if isinstance(pads, int) else pads
        size = []
        for x, first, last in ((h, pads[0], pads[2]), (w, pads[1], pads[3])):
            span = x + first + last - k
            count = (-(-span // s) if ceil else span // s) + 1
            size.append(count - 1 if ceil and (count - 1) * s >= x + first else count)
        told = {"kernel_shape": [k, k], "strides": [s, s], "pads": list(pads), **attributes}
        if ceil:
            told["ceil_mode"] = 1
        return self.add(operator, [source], (n, c, *size), told)

    def join(self, *sources: str) -> str:
        return self.add("Add", list(sources), self.shape(sources[0]))

    def concat(self, *sources: str) -> str:
        n, _, *rest = self.shape(sources[0])
        channels = sum(self.shape(source)[1] for source in sources)
        return self.add("Concat", list(sources), (n, channels, *rest), {"axis": 1})

    def dense(self, source: str, out: int) -> str:
        n, *rest = self.shape(source)
        weights = {"weight": (out, prod(rest)), "bias": (out,)}
        return self.add("Gemm", [source], (n, out), {"transB": 1}, weights)

    def linear(self, source: str, out: int) -> str:
        """A matrix product over the last axis, as transformers have it."""
        *rest, width = self.shape(source)
        weights = {"weight": (width, out), "bias": (out,)}
        return self.add("MatMul", [source], (*rest, out), {}, weights)

    def global_pool(self, source: str) -> str:
        n, c, *_ = self.shape(source)
        return self.add("GlobalAveragePool", [source], (n, c, 1, 1))

    def graph(self, *outputs: str) -> LayerGraph:
        ends = outputs or (self.layers[-1].id,)
        return LayerGraph(
            name=self.name,
            inputs=tuple(self.inputs),
            layers=tuple(self.layers),
            outputs=tuple(
                GraphOutput(name=f"out{n}", source=Operand(slot=0, value=v, type=self.types[v]))
                for n, v in enumerate(ends)
            ),
        )


def kind(shape: tuple[int, ...]) -> TensorType:
    return TensorType(shape=shape, dtype="float32")


def chain(length: int, operator: str = "Relu", shape: tuple[int, ...] = (1, 8)) -> LayerGraph:
    """Layers that are all alike, one after the other."""
    net = Net(shape)
    last = "input-1"
    for _ in range(length):
        last = net.same(operator, last)
    return net.graph()


def resnet50(
    *,
    epsilon: float = 1e-5,
    stride_first: bool = False,
    bias: bool = False,
    softmax: bool = False,
    caffe_pool: bool = False,
    size: int = 224,
    batch: int = 1,
    blocks: tuple[int, ...] = (3, 4, 6, 3),
    dropout: bool = False,
) -> LayerGraph:
    net = Net((batch, 3, size, size))

    def unit(source: str, out: int, k: int = 1, s: int = 1, p: int = 0) -> str:
        return net.norm(net.conv(source, out, k, s, p, bias=bias), epsilon)

    last = net.relu(unit("input-1", 64, 7, 2, 3))
    last = net.pool(last, 3, 2, 0, ceil=True) if caffe_pool else net.pool(last, 3, 2, 1)
    for stage, count in enumerate(blocks):
        width = 64 * 2**stage
        for block in range(count):
            stride = 2 if stage and not block else 1
            inner = net.relu(unit(last, width, 1, stride if stride_first else 1))
            inner = net.relu(unit(inner, width, 3, 1 if stride_first else stride, 1))
            inner = unit(inner, 4 * width)
            skip = last if block else unit(last, 4 * width, 1, stride)
            last = net.relu(net.join(inner, skip))
    last = net.global_pool(last)
    last = net.same("Dropout", last, ratio=0.5) if dropout else last
    last = net.dense(last, 1000)
    return net.graph(net.same("Softmax", last) if softmax else last)


def alexnet(
    *, group: int = 2, pool_first: bool = False, norms: bool = True, widths: tuple[int, ...] = ()
) -> LayerGraph:
    """CaffeNet (pool first) and AlexNet as Caffe's zoo has them."""
    net = Net((1, 3, 227, 227))
    outs = widths or (96, 256, 384, 384, 256)

    def reduce(source: str) -> str:
        if pool_first or not norms:
            source = net.pool(source, 3, 2, ceil=True)
        if norms:
            source = net.same("LRN", source, size=5, alpha=1e-4, beta=0.75)
        return source if pool_first or not norms else net.pool(source, 3, 2, ceil=True)

    last = reduce(net.relu(net.conv("input-1", outs[0], 11, 4, bias=True)))
    last = reduce(net.relu(net.conv(last, outs[1], 5, 1, 2, bias=True, group=group)))
    last = net.relu(net.conv(last, outs[2], 3, 1, 1, bias=True))
    last = net.relu(net.conv(last, outs[3], 3, 1, 1, bias=True, group=group))
    last = net.relu(net.conv(last, outs[4], 3, 1, 1, bias=True, group=group))
    last = net.pool(last, 3, 2, ceil=True)
    for _ in range(2):
        last = net.same("Dropout", net.relu(net.dense(last, 4096)), ratio=0.5)
    return net.graph(net.same("Softmax", net.dense(last, 1000)))


def inception(
    blocks: int = 9, *, epsilon: float = 1e-3, scale: bool = True, count_pads: int = 0
) -> LayerGraph:
    """Branches of unequal length, joined in order."""
    net = Net((1, 3, 149, 149))

    def unit(source: str, out: int, k: int = 1, p: int = 0) -> str:
        return net.relu(net.norm(net.conv(source, out, k, 1, p), epsilon, scale=scale))

    last = net.pool(unit("input-1", 32, 3), 3, 2)
    for block in range(blocks):
        width = 32 + 16 * (block // 3)
        mean = net.pool(last, 3, 1, 1, operator="AveragePool", count_include_pad=count_pads)
        last = net.concat(
            unit(last, width),
            unit(unit(last, width), width, 5, 2),
            unit(unit(unit(last, width), width, 3, 1), width, 3, 1),
            unit(mean, width),
        )
    return net.graph(net.same("Softmax", net.dense(net.global_pool(last), 1000)))


def transformer(blocks: int = 6, *, width: int = 64, length: int = 16) -> LayerGraph:
    """Self-attention told out: Q, K and V are three products of equal shape."""
    net = Net((1, length, width))
    last = "input-1"
    for _ in range(blocks):
        normed = layer_norm(net, last)
        q, k, v = (net.linear(normed, width) for _ in range(3))
        scores = net.add("MatMul", [q, k], (1, length, length))
        mixed = net.add("MatMul", [net.same("Softmax", scores), v], (1, length, width))
        last = net.join(net.linear(mixed, width), last)
        inner = net.same("Gelu", net.linear(layer_norm(net, last), 4 * width))
        last = net.join(net.linear(inner, width), last)
    return net.graph(layer_norm(net, last))


def layer_norm(net: Net, source: str) -> str:
    width = (net.shape(source)[-1],)
    weights = {"scale": width, "bias": width}
    return net.add("LayerNormalization", [source], net.shape(source), {"epsilon": 1e-5}, weights)


def twins(branches: int = 4, length: int = 3) -> LayerGraph:
    """Branches that nothing tells apart, added two by two and then together."""
    net = Net((1, 8, 14, 14))
    ends = []
    for _ in range(branches):
        last = "input-1"
        for _ in range(length):
            last = net.relu(net.conv(last, 8, 3, 1, 1))
        ends.append(last)
    sums = [net.join(ends[n], ends[n + 1]) for n in range(0, branches, 2)]
    return net.graph(net.add("Add", sums, (1, 8, 14, 14)) if len(sums) > 1 else sums[0])


def reordered(graph: LayerGraph, seed: int) -> LayerGraph:
    """The same graph with every name and id another, in another topological order."""
    chance = random.Random(seed)
    waiting, done = list(graph.layers), {entry.id for entry in graph.inputs}
    order: list[Layer] = []
    while waiting:
        ready = [x for x in waiting[:40] if all(o.value in done for o in x.inputs)]
        chosen = chance.choice(ready)
        waiting.remove(chosen)
        order.append(chosen)
        done.add(chosen.id)
    ids = {layer.id: f"n{number}" for number, layer in enumerate(order)}

    def renamed(operand: Operand) -> Operand:
        return msgspec.structs.replace(operand, value=ids.get(operand.value, operand.value))

    def parameter(layer: str, role: Parameter) -> Parameter:
        return msgspec.structs.replace(role, name=f"{layer}/{role.role}")

    return msgspec.structs.replace(
        graph,
        layers=tuple(
            msgspec.structs.replace(
                layer,
                id=ids[layer.id],
                name=f"renamed {chance.random()}",
                inputs=tuple(map(renamed, layer.inputs)),
                parameters=tuple(parameter(ids[layer.id], p) for p in layer.parameters),
            )
            for layer in order
        ),
        outputs=tuple(
            msgspec.structs.replace(output, source=renamed(output.source))
            for output in graph.outputs
        ),
    )


NETS = {
    "resnet": lambda: resnet50(blocks=(2, 2, 2, 2), size=64),
    "alexnet": alexnet,
    "inception": lambda: inception(4),
    "transformer": lambda: transformer(4),
    "twins": twins,
    "chain": lambda: chain(30),
}
"""Small networks of every shape that laws are tried on."""
