"""Decomposed idioms put back together: what a framework spelled in many nodes, as one.

The result need not be valid ONNX (a `Gemm` may take a tensor of any rank): only the layers are
read off it. Every rewritten node carries the origins of all that it replaced.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import onnx_ir as ir

from modeldocs import origin
from modeldocs.normal import values

Recogniser = Callable[[ir.Node], bool]


def recognise(model: ir.Model) -> None:
    """Rewrite every idiom, smaller ones first: later ones are made of earlier ones."""
    for recogniser in RECOGNISERS:
        for node in list(model.graph):
            if node.graph is not None:
                recogniser(node)


def affine_batch_normalization(node: ir.Node) -> bool:
    """BatchNormalization without gamma and beta, then Mul and Add per channel (Caffe's Scale)."""
    if not values.is_operator(node, "BatchNormalization") or not _is_bare(node):
        return False
    multiply = _next_with_parameter(node, "Mul")
    if multiply is None:
        return False
    gamma = _parameter_operand(multiply)
    add = _next_with_parameter(multiply, "Add")
    beta = _parameter_operand(add) if add is not None else None
    channels = values.shape(node.inputs[3])
    if gamma is None or not _per_channel(gamma, channels) or not _per_channel(beta, channels):
        return False
    last = add if add is not None else multiply
    operands = [node.inputs[0], _flat(gamma), _flat(beta) or node.inputs[2], *node.inputs[3:5]]
    absorbed = [node, multiply, add] if add is not None else [node, multiply]
    _replace(absorbed, "BatchNormalization", operands, dict(node.attributes), last.outputs[0])
    return True


def _is_bare(node: ir.Node) -> bool:
    scale, shift = values.constant(node.inputs[1]), values.constant(node.inputs[2])
    return (
        scale is not None and shift is not None and bool((scale == 1).all() and (shift == 0).all())
    )


def _next_with_parameter(node: ir.Node, operator: str) -> ir.Node | None:
    consumer = values.sole_consumer(node.outputs[0])
    matches = values.is_operator(consumer, operator)
    return consumer if matches and consumer and _parameter_operand(consumer) else None


def _parameter_operand(node: ir.Node) -> ir.Value | None:
    return next((value for value in node.inputs if value and values.is_parameter(value)), None)


def _per_channel(value: ir.Value | None, channels: tuple[int, ...] | None) -> bool:
    if value is None:
        return True
    dims = values.shape(value)
    return dims is not None and channels is not None and math.prod(dims) == channels[0] == max(dims)


def _flat(value: ir.Value | None) -> ir.Value | None:
    """The per-channel parameter as a vector, as BatchNormalization holds it."""
    if value is not None and value.dtype is not None:
        count = (math.prod(values.shape(value) or ()),)
        value.shape = ir.Shape(count)
        value.const_value = origin.absent_tensor(str(value.name), count, value.dtype)
    return value


def local_response_normalization(node: ir.Node) -> bool:
    """X / (k + alpha * mean of squares over `size` channels) ** beta, as PyTorch spells LRN."""
    if not values.is_operator(node, "Div") or not isinstance(node.inputs[0], ir.Value):
        return False
    source = node.inputs[0]
    power = _producer(node.inputs[1], "Pow")
    beta = values.scalar(power.inputs[1]) if power else None
    add = _producer(power.inputs[0], "Add") if power else None
    scaled, bias = _constant_and_rest(add)
    multiply = _producer(scaled, "Mul")
    mean, alpha = _constant_and_rest(multiply)
    pool = _above(mean, "AveragePool", through=("Squeeze", "Reshape", "Transpose"))
    square = _above(
        pool.inputs[0] if pool else None, "Mul", through=("Pad", "Reshape", "Unsqueeze")
    )
    if square is None or pool is None or list(square.inputs) != [source, source]:
        return False
    size = max(values.attribute(pool, "kernel_shape", (1,)))
    if beta is None or alpha is None or bias is None:
        return False
    settings = [
        ir.AttrFloat32("alpha", alpha),
        ir.AttrFloat32("beta", beta),
        ir.AttrFloat32("bias", bias),
        ir.AttrInt64("size", size),
    ]
    assert power is not None and add is not None and multiply is not None
    _replace(
        [square, pool, multiply, add, power, node],
        "LRN",
        [source],
        {item.name: item for item in settings},
        node.outputs[0],
    )
    return True


def layer_normalization(node: ir.Node) -> bool:
    """(x - mean) / sqrt(var + epsilon) * scale + bias over the last axes."""
    if not values.is_operator(node, "Add"):
        return False
    shift, multiply = _parameter_operand(node), None
    multiply = next((p for v in node.inputs if (p := _producer(v, "Mul"))), None)
    scale = _parameter_operand(multiply) if multiply else None
    divide = (
        next((p for v in multiply.inputs if (p := _producer(v, "Div"))), None) if multiply else None
    )
    centred = _producer(divide.inputs[0], "Sub") if divide else None
    root = _producer(divide.inputs[1], "Sqrt") if divide else None
    variance, epsilon = _constant_and_rest(_producer(root.inputs[0], "Add") if root else None)
    mean = _producer(variance, "ReduceMean")
    if None in (shift, scale, centred, mean, epsilon) or centred is None or mean is None:
        return False
    square = _producer(mean.inputs[0], "Pow", "Mul")
    if square is None or square.inputs[0] is not centred.outputs[0]:
        return False
    assert multiply is not None and divide is not None and root is not None and epsilon is not None
    dims = values.shape(scale)
    settings = [ir.AttrFloat32("epsilon", epsilon), ir.AttrInt64("axis", -len(dims or (1,)))]
    _replace(
        [centred, square, mean, root, divide, multiply, node],
        "LayerNormalization",
        [centred.inputs[0], scale, shift],
        {item.name: item for item in settings},
        node.outputs[0],
    )
    return True


def gelu(node: ir.Node) -> bool:
    """X * 0.5 * (1 + erf(x / sqrt 2)), its factors in any order."""
    if not values.is_operator(node, "Mul"):
        return False
    factors = _factors(node)
    numbers = [values.scalar(value) for value in factors if values.scalar(value) is not None]
    rest = [value for value in factors if values.scalar(value) is None]
    if numbers != [0.5] or len(rest) != 2:
        return False
    for source, other in (rest, rest[::-1]):
        inner, one = _constant_and_rest(_producer(other, "Add"))
        erf = _producer(inner, "Erf")
        scaled = _producer(erf.inputs[0], "Div", "Mul") if erf else None
        read, factor = _constant_and_rest(scaled)
        if one != 1.0 or erf is None or scaled is None or factor is None or read is not source:
            continue
        if math.isclose(
            factor if scaled.op_type == "Div" else 1 / factor, math.sqrt(2), rel_tol=1e-5
        ):
            approximate = {"approximate": ir.AttrString("approximate", "none")}
            _replace([scaled, erf, node], "Gelu", [source], approximate, node.outputs[0])
            return True
    return False


def _factors(node: ir.Node) -> list[ir.Value]:
    """Operands of a product of products, the inner ones read by it alone."""
    found: list[ir.Value] = []
    for value in node.inputs:
        inner = _producer(value, "Mul")
        if inner is not None and values.sole_consumer(inner.outputs[0]) is node:
            found.extend(_factors(inner))
        elif value is not None:
            found.append(value)
    return found


def swish(node: ir.Node) -> bool:
    """X * sigmoid(x), also known as SiLU."""
    if not values.is_operator(node, "Mul"):
        return False
    for source, other in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        sigmoid = _producer(other, "Sigmoid")
        if sigmoid is not None and sigmoid.inputs[0] is source:
            _replace([sigmoid, node], "Swish", [source], {}, node.outputs[0])
            return True
    return False


def dense(node: ir.Node) -> bool:
    """A product with a parameter, and the parameter vector added to it, as one Gemm."""
    if not values.is_operator(node, "MatMul") or values.rank(node.inputs[1]) != 2:
        return False
    weight = node.inputs[1]
    transpose = _producer(weight, "Transpose")
    root = transpose.inputs[0] if transpose else weight
    if not values.is_parameter(root):
        return False
    add = values.sole_consumer(node.outputs[0])
    bias = _parameter_operand(add) if add is not None and values.is_operator(add, "Add") else None
    if bias is not None and values.rank(bias) != 1:
        bias = None
    absorbed = [node, add] if bias is not None and add is not None else [node]
    transposed = ir.AttrInt64("transB", 1 if transpose else 0)
    operands = [node.inputs[0], root, *([bias] if bias is not None else [])]
    _replace(absorbed, "Gemm", operands, {"transB": transposed}, absorbed[-1].outputs[0])
    return True


def _producer(value: ir.Value | None, *operators: str) -> ir.Node | None:
    node = value.producer() if value is not None else None
    return node if values.is_operator(node, *operators) else None


def _above(value: ir.Value | None, operator: str, through: Sequence[str]) -> ir.Node | None:
    """The nearest `operator` above a value, past nodes that only rearrange."""
    node = value.producer() if value is not None else None
    while values.is_operator(node, *through) and node is not None:
        node = node.inputs[0].producer() if node.inputs[0] is not None else None
    return node if values.is_operator(node, operator) else None


def _constant_and_rest(node: ir.Node | None) -> tuple[ir.Value | None, float | None]:
    """The computed operand and the number of an operator that takes one of each."""
    if node is None or len(node.inputs) != 2:
        return None, None
    first, second = node.inputs
    number = values.scalar(second)
    return (first, number) if number is not None else (second, values.scalar(first))


def _replace(
    old: Sequence[ir.Node],
    operator: str,
    operands: Sequence[ir.Value | None],
    attributes: dict[str, ir.Attr],
    result: ir.Value,
) -> None:
    """Put one node in place of `old`, whose last result was `result`; drop what is unread now."""
    graph = old[-1].graph
    assert isinstance(graph, ir.Graph)
    made = ir.Node("", operator, operands, attributes.values(), num_outputs=1)
    output = made.outputs[0]
    output.shape, output.type, output.name = result.shape, result.type, result.name
    origin.merge(made, *old)
    graph.insert_after(old[-1], made)
    ir.convenience.replace_all_uses_with(result, output, replace_graph_outputs=True)
    _remove_dead(graph, [*old])


def _remove_dead(graph: ir.Graph, candidates: list[ir.Node]) -> None:
    """Remove what nothing reads any more, and what only that had read."""
    while candidates:
        node = candidates.pop()
        if node.graph is None or any(v.uses() or v.is_graph_output() for v in node.outputs):
            continue
        above = [producer for v in node.inputs if v is not None and (producer := v.producer())]
        graph.remove(node, safe=True)
        candidates.extend(above)


RECOGNISERS: tuple[Recogniser, ...] = (
    affine_batch_normalization,
    local_response_normalization,
    dense,
    layer_normalization,
    gelu,
    swish,
)
"""Order matters: dense layers first, so that their bias is not taken for a norm's."""
