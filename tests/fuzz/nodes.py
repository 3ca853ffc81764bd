"""Nodes exchanged for other operators of their language, with settings of the kinds they have.

Such graphs are well formed: it is what the operators mean that does not fit together.
"""

from __future__ import annotations

import functools
import importlib
import json
import re
from random import Random
from typing import Any

from .damage import FLOATS, NUMBERS
from .trees import TEXTS

SMALL = (0, 1, 2, 3, 4, 8, -1, -2)
_STRINGS = (
    *("", "SAME_UPPER", "VALID", "NOTSET", "SAME", "EXPLICIT", "NCHW", "NHWC", "DCR", "CRD"),
    *("nearest", "linear", "cubic", "reflect", "edge", "wrap", "forward", "bidirectional", "tanh"),
    *("mean", "sum", "ij,jk->ik", "...a,ab->...b", "ALPHABETICAL", "LINEAR"),
)


def _integer(chance: Random) -> int:
    return chance.choice(SMALL if chance.random() < 0.8 else NUMBERS)


def _number(chance: Random) -> float:
    return chance.choice((0.5, 1e-5, 1.0, *FLOATS))


def onnx_node(data: bytes, chance: Random) -> bytes:
    """An ONNX node made another operator of the standard, with a constant for an operand."""
    import onnx

    model = onnx.ModelProto()
    model.ParseFromString(data)
    if not model.graph.node:
        return data
    graph = model.graph
    node = chance.choice(graph.node)
    schema = chance.choice(_schemas())
    names = [t.name for t in graph.initializer] + [v.name for v in graph.input]
    names += [name for other in graph.node for name in other.output]
    for _ in range(chance.randrange(3)):
        names.append(_constant(graph, chance))
        names += names[-1:] * 4
    if chance.random() < 0.8:
        node.op_type, node.domain = schema.name, ""
        del node.attribute[:]
        most = min(schema.max_input, schema.min_input + 3)
        wanted = chance.randint(schema.min_input, max(schema.min_input, most))
        del node.input[wanted:]
        while len(node.input) < wanted:
            node.input.append(chance.choice(names))
        for _ in range(schema.min_output - len(node.output)):
            node.output.append(f"more_{len(names)}_{len(node.output)}")
        for name, told in sorted(schema.attributes.items()):
            if told.required or chance.random() < 0.4:
                _attribute(node.attribute.add(name=name), told.type.name, chance)
    if node.input and chance.random() < 0.4:
        node.input[chance.randrange(len(node.input))] = chance.choice(names)
    if chance.random() < 0.5:
        del graph.value_info[:]
    made: bytes = model.SerializeToString(deterministic=True)
    return made


@functools.cache
def _schemas() -> list[Any]:
    import onnx

    held = [s for s in onnx.defs.get_all_schemas() if s.domain == ""]
    return sorted(held, key=lambda schema: schema.name)


def _constant(graph: Any, chance: Random) -> str:
    """A small tensor of any type and shape among the initializers."""
    name = f"constant_{len(graph.initializer)}"
    size = chance.choice((0, 1, 1, 2, 2, 3, 4, 8))
    dims = chance.choice(([], [size], [size], [size], [1, size], [size, 1, 1]))
    count = 1
    for dim in dims:
        count *= dim
    kind = chance.choice((7, 7, 7, 1, 1, 6, 9, 11, 10))
    tensor = graph.initializer.add(name=name, data_type=kind, dims=dims)
    if kind == 7:
        tensor.int64_data.extend(_integer(chance) for _ in range(count))
    elif kind == 11:
        tensor.double_data.extend(_number(chance) for _ in range(count))
    elif kind == 1:
        tensor.float_data.extend(min(max(_number(chance), -3e38), 3e38) for _ in range(count))
    else:
        tensor.int32_data.extend(chance.choice((0, 1, 2, 3)) for _ in range(count))
    return name


def _attribute(made: Any, kind: str, chance: Random) -> None:
    from onnx import AttributeProto

    made.type = getattr(AttributeProto, kind)
    count = chance.choice((0, 1, 2, 2, 2, 3, 4))
    if kind == "INT":
        made.i = _integer(chance)
    elif kind == "INTS":
        made.ints.extend(_integer(chance) for _ in range(count))
    elif kind == "FLOAT":
        made.f = min(max(_number(chance), -3e38), 3e38)
    elif kind == "FLOATS":
        made.floats.extend(0.5 for _ in range(count))
    elif kind == "STRING":
        made.s = chance.choice(_STRINGS).encode()
    elif kind == "STRINGS":
        made.strings.extend(chance.choice(_STRINGS).encode() for _ in range(count))
    elif kind == "TENSOR":
        made.t.data_type, made.t.dims[:] = chance.choice((1, 7)), [1]
        made.t.raw_data = bytes(8 if made.t.data_type == 7 else 4)


def tensorflow_node(data: bytes, chance: Random) -> bytes:
    """A node of a GraphDef made another operator that the loader knows, its attributes set."""
    from tensorflow.core.framework import graph_pb2

    graph = graph_pb2.GraphDef()
    graph.ParseFromString(data)
    nodes = [*graph.node, *(n for f in graph.library.function for n in f.node_def)]
    if not nodes:
        return data
    node = chance.choice(nodes)
    names = [other.name for other in nodes]
    if chance.random() < 0.7:
        told = chance.choice(_tensorflow_operators())
        node.op = told.name
        wanted = len(told.input_arg)
        del node.input[wanted:]
        while len(node.input) < wanted:
            node.input.append(chance.choice(names))
        for attribute in told.attr:
            if attribute.name not in node.attr or chance.random() < 0.3:
                _tensorflow_attribute(node.attr[attribute.name], attribute, chance)
    else:
        constant = graph.node.add(name=f"constant_{len(names)}", op="Const")
        kind = chance.choice((3, 9, 1))
        constant.attr["dtype"].type = kind
        tensor = constant.attr["value"].tensor
        tensor.dtype = kind
        size = chance.choice((0, 1, 2, 3, 4))
        if chance.random() < 0.8:
            tensor.tensor_shape.dim.add(size=size)
        held = {3: tensor.int_val, 9: tensor.int64_val, 1: tensor.float_val}[kind]
        value = _integer(chance)
        held.append(max(-(2**31), min(value, 2**31 - 1)) if kind == 3 else value)
        if node.input:
            node.input[chance.randrange(len(node.input))] = constant.name
    made: bytes = graph.SerializeToString(deterministic=True)
    return made


@functools.cache
def _tensorflow_operators() -> list[Any]:
    from tensorflow.python.framework import op_def_registry

    from modeldocs.loaders.tensorflow import operators
    from modeldocs.loaders.tensorflow.operation import EMITTERS

    assert operators  # it fills the emitters
    held = [op_def_registry.get(name) for name in sorted(EMITTERS)]
    return [one for one in held if one is not None]


def _tensorflow_attribute(value: Any, told: Any, chance: Random) -> None:
    if told.HasField("default_value") and chance.random() < 0.5:
        value.CopyFrom(told.default_value)
    elif told.type == "int":
        value.i = _integer(chance)
    elif told.type == "bool":
        value.b = chance.random() < 0.5
    elif told.type == "float":
        value.f = chance.choice((0.5, 0.0, float("nan"), -1.0))
    elif told.type == "string":
        value.s = chance.choice(_STRINGS).encode()
    elif told.type == "type":
        value.type = chance.choice((1, 3, 9, 10, 7, 20))
    elif told.type == "list(int)":
        value.list.i[:] = [_integer(chance) for _ in range(chance.choice((0, 1, 2, 4, 5)))]
    elif told.type == "shape":
        value.shape.dim.add(size=_integer(chance))


def mxnet_node(data: bytes, chance: Random) -> bytes:
    """A node of a symbol made another operator that the loader knows, its settings of any value."""
    from modeldocs.loaders.mxnet.assembly import EMITTERS

    held = json.loads(data)
    nodes = [node for node in held["nodes"] if node["op"] != "null"]
    if not nodes:
        return data
    node = chance.choice(nodes)
    if chance.random() < 0.6:
        node["op"] = chance.choice(sorted(EMITTERS))
    inputs = node["inputs"]
    if inputs and chance.random() < 0.4:
        inputs[chance.randrange(len(inputs))] = [chance.randrange(len(held["nodes"])), 0, 0]
    if chance.random() < 0.3:
        inputs.append([chance.randrange(max(1, held["nodes"].index(node))), 0, 0])
    settings = node.setdefault("attrs", {})
    for _ in range(chance.randrange(4)):
        settings[chance.choice((*settings, *MXNET_SETTINGS))] = chance.choice(
            (*TEXTS, *map(str, SMALL), "(2, 2)", "(0, -1)", "(-2, -3)", "((1, 2), (3, 4))", "max")
        )
    return json.dumps(held).encode()


MXNET_SETTINGS = tuple(
    """
    kernel stride pad dilate num_filter num_group num_hidden no_bias axis axes shape begin end step
    dim num_outputs squeeze_axis act_type pool_type global_pool eps fix_gamma scale mode p scalar
    pooling_convention slope target_shape reps depth size1 size2 keepdims exclude dtype __shape__
    __dtype__ flatten transpose_a transpose_b state_size num_layers bidirectional sizes ratios steps
    offsets clip nms_threshold output_size height width repeats k a_min p_value layout sample_type
    num_args adj workspace num_embed input_dim output_dim ret_typ pad_width constant_value
    begin_axis reverse lhs_axes
    """.split()  # noqa: SIM905
)


def caffe_layer(data: bytes, chance: Random) -> bytes:
    """A layer of a prototxt of another type, or with settings that Caffe has for some layer."""
    from modeldocs.loaders.caffe.format.schema import messages
    from modeldocs.loaders.caffe.operation import EMITTERS

    importlib.import_module("modeldocs.loaders.caffe.operators")  # which registers them
    text = data.decode("utf-8", "replace")
    types = list(re.finditer(r'type: "(\w+)"', text))
    if not types:
        return data
    chosen = chance.choice(types)
    kind = chance.choice(sorted(EMITTERS)) if chance.random() < 0.7 else chosen[1]
    held = messages()["LayerParameter"]
    fields = [name for name, told in held.items() if told.type in messages()]
    near = [name for name in fields if name.replace("_", "")[:4] == kind.lower()[:4]]
    name = chance.choice(near if near and chance.random() < 0.8 else sorted(fields))
    inner = messages()[held[name].type]
    told = " ".join(
        f"{field}: {_caffe_value(inner[field].type, chance)}"
        for field in chance.sample(sorted(inner), min(len(inner), chance.randrange(1, 5)))
        if inner[field].type not in messages()
    )
    made = f'type: "{kind}" {name} {{ {told} }}'
    return (text[: chosen.start()] + made + text[chosen.end() :]).encode()


def _caffe_value(kind: str, chance: Random) -> str:
    from modeldocs.loaders.caffe.format.schema import enums

    if kind in enums():
        return str(chance.choice(sorted(enums()[kind].values())))
    if kind == "bool":
        return chance.choice(("true", "false"))
    if kind == "string":
        return '"' + chance.choice(("", "x", "a+b")) + '"'
    return str(_integer(chance) if kind in ("int", "uint") else _number(chance))
