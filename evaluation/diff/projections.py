"""Dense layers of one input as one of their joined width and a Split, and the other way round."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values

from .respeller import Respeller, name_of


@dataclass(frozen=True, slots=True)
class _Dense:
    """x · Wᵀ (+ b): the product, the sum if there is one, and the parameters."""

    product: ir.Node
    total: ir.Node | None
    turn: ir.Node
    bias: ir.Value | None

    @property
    def last(self) -> ir.Node:
        return self.total or self.product

    @property
    def width(self) -> int:
        return (values.shape(self.turn.inputs[0]) or (0,))[0]


def joined(respeller: Respeller) -> None:
    """Query, key and value (or gate and up) as one dense layer and a Split."""
    readers: dict[tuple[int, str], list[_Dense]] = defaultdict(list)
    for product in respeller.sites("MatMul"):
        if (dense := _dense(product)) is not None:
            module = name_of(product).rpartition(".")[0]
            readers[id(product.inputs[0]), module].append(dense)
    for group in readers.values():
        if len(group) > 1 and len({dense.bias is None for dense in group}) == 1:
            _join(respeller, group)


def _join(respeller: Respeller, group: list[_Dense]) -> None:
    widths = [dense.width for dense in group]
    first = min(group, key=lambda dense: list(respeller.graph).index(dense.product))
    before, source = first.product, first.product.inputs[0]
    made = _written(respeller, before, source, sum(widths), biased=first.bias is not None)
    sizes = respeller.builder.numbers(widths, "widths")
    cut = ir.Node("", "Split", [made, sizes], [ir.AttrInt64("axis", -1)], num_outputs=len(group))
    origin.attach(cut, origin.Provenance(name=f"respelt split of {made.name}"))
    for dense, output in zip(group, cut.outputs, strict=True):
        output.name = respeller.builder.name(f"{made.name}/part")
        output.type, output.shape = made.type, dense.last.outputs[0].shape
    respeller.graph.insert_before(before, cut)
    for dense, output in zip(group, cut.outputs, strict=True):
        _replace(respeller, dense, output)


def parted(respeller: Respeller) -> None:
    """A dense layer and the Split of its output as one dense layer for each part."""
    for cut in respeller.sites("Split"):
        maker = cut.inputs[0].producer() if cut.inputs[0] is not None else None
        product = maker if values.is_operator(maker, "MatMul") else _product(maker)
        dense = _dense(product) if product is not None else None
        rank, axis = values.rank(cut.inputs[0]), values.attribute(cut, "axis", 0)
        if dense is None or rank is None or dense.last is not maker or axis % rank != rank - 1:
            continue
        if values.sole_consumer(cut.inputs[0]) is not cut:
            continue
        for output in cut.outputs:
            width = (values.shape(output) or (0,))[-1]
            biased = dense.bias is not None
            made = _written(respeller, cut, dense.product.inputs[0], width, biased=biased)
            ir.convenience.replace_all_uses_with(output, made)
        respeller.touch(cut)
        respeller.graph.remove(cut, safe=True)
        _remove(respeller, dense)


def _written(
    respeller: Respeller, before: ir.Node, source: ir.Value, width: int, *, biased: bool
) -> ir.Value:
    """X · Wᵀ (+ b) with new parameters of a width."""
    shape = values.shape(source) or ()
    weight = _parameter(respeller, (width, shape[-1]))
    turned = respeller.node(
        "Transpose",
        [weight],
        {"perm": [1, 0]},
        before=before,
        like=source,
        shape=(shape[-1], width),
    )
    out = (*shape[:-1], width)
    made = respeller.node("MatMul", [source, turned], before=before, like=source, shape=out)
    if biased:
        bias = _parameter(respeller, (width,))
        made = respeller.node("Add", [made, bias], before=before, like=source, shape=out)
    return made


def _parameter(respeller: Respeller, shape: tuple[int, ...]) -> ir.Value:
    made = origin.declare_parameter(respeller.builder.name("respelt parameter"), shape)
    respeller.graph.register_initializer(made)
    return made


def _replace(respeller: Respeller, dense: _Dense, made: ir.Value) -> None:
    ir.convenience.replace_all_uses_with(dense.last.outputs[0], made)
    _remove(respeller, dense)


def _remove(respeller: Respeller, dense: _Dense) -> None:
    respeller.touch(dense.last, dense.product)
    gone = [dense.product] if dense.total is None else [dense.total, dense.product]
    respeller.graph.remove(gone, safe=True)


def _product(total: ir.Node | None) -> ir.Node | None:
    """The product that a sum adds a bias to."""
    if not values.is_operator(total, "Add"):
        return None
    makers = [value.producer() for value in total.inputs if value is not None]
    return next((node for node in makers if values.is_operator(node, "MatMul")), None)


def _dense(product: ir.Node) -> _Dense | None:
    """The dense layer that a product is of; None where it is of none, or leaves the graph."""
    if not values.is_operator(product, "MatMul") or product.inputs[0] is None:
        return None
    turn = product.inputs[1].producer() if product.inputs[1] is not None else None
    if not values.is_operator(turn, "Transpose") or not values.is_parameter(turn.inputs[0]):
        return None
    reader = values.sole_consumer(product.outputs[0])
    if values.is_operator(reader, "Add"):
        bias = next((v for v in reader.inputs if v is not product.outputs[0]), None)
        if values.is_parameter(bias):
            return _Dense(product, reader, turn, bias)
    if product.outputs[0].is_graph_output() or values.shape(turn.inputs[0]) is None:
        return None
    return _Dense(product, None, turn, None)
