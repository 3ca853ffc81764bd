"""One change in a network: an attribute, an edge, a constant, or the shape of a weight."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import onnx
from onnx import AttributeProto, helper, numpy_helper

from .cases import Case, newest
from .networks import CASE, stored_weights

ROLES = "inputs exchanged"
"""Kind of a mutant whose inputs have each other's roles: to tell, inputs must be told by name."""
_ALIKE = (
    ("Relu", "Sigmoid", "Tanh", "Elu", "Selu", "Softplus", "Softsign", "HardSwish", "Mish", "Gelu"),
    ("Abs", "Neg", "Exp", "Floor", "Ceil", "Round", "Sign", "Sin", "Cos", "Erf", "Sqrt", "Log"),
    ("Add", "Sub", "Mul", "Div", "Max", "Min", "Pow"),
    ("And", "Or", "Xor"),
    ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"),
    ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
     "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"),
    ("MaxPool", "AveragePool", "LpPool"),
    ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"),
    ("Softmax", "LogSoftmax", "Hardmax"),
    ("ArgMax", "ArgMin"),
    ("DepthToSpace", "SpaceToDepth"),
)  # fmt: skip
"""Operators that take the same operands."""
_FLAGS = ("is_causal",)
"""Attributes that have no other values than 0 and 1, which onnxruntime does not check."""
_TRAINING = ("seed", "momentum", "stash_type")


@dataclass(frozen=True)
class Mutant:
    """A changed network: the class of the change, and what was changed."""

    kind: str
    what: str
    model: onnx.ModelProto


def changed(case: Case) -> Iterator[Mutant]:
    """Mutants of a network, whether they compute something else or not."""
    place = next(i for i, node in enumerate(case.model.graph.node) if node.name == CASE)
    yield from _attributes(case, place)
    yield from _constants(case)
    yield from _edges(case, place)
    yield from _shapes(case)
    yield from _operators(case, place)


def controls(case: Case, random: np.random.Generator) -> Iterator[Mutant]:
    """The same network: as it is, with other names, and with its nodes in another order."""
    yield Mutant("self", "", case.model)
    yield Mutant("renamed", "", _renamed(case.model))
    order = _other_order(case.model.graph, random)
    if order is not None:
        model = _copy(case)
        nodes = [model.graph.node[i] for i in order]
        copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
        del model.graph.node[:]
        model.graph.node.extend(copies)
        yield Mutant("reordered", "", model)


def _copy(case: Case) -> onnx.ModelProto:
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    return model


@functools.cache
def _texts() -> dict[tuple[str, str], set[bytes]]:
    """Texts of attributes that the node tests have."""
    found: dict[tuple[str, str], set[bytes]] = defaultdict(set)
    for case in newest():
        for attribute in case.node.attribute:
            if attribute.type == AttributeProto.STRING:
                found[case.node.op_type, attribute.name].add(attribute.s)
    return found


def _attributes(case: Case, place: int) -> Iterator[Mutant]:
    node = case.model.graph.node[place]
    (version,) = (one.version for one in case.model.opset_import)
    given = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    schema = onnx.defs.get_schema(node.op_type, version)
    for name, formal in schema.attributes.items():
        if name in _TRAINING:
            continue
        value = given.get(name)
        if value is None and formal.default_value.type:
            value = helper.get_attribute_value(formal.default_value)
        for other in _others(node.op_type, name, value):
            model = _copy(case)
            mutated = model.graph.node[place]
            kept = [a for a in mutated.attribute if a.name != name]
            del mutated.attribute[:]
            kind = int(formal.type.value)
            mutated.attribute.extend([*kept, helper.make_attribute(name, other, attr_type=kind)])
            yield Mutant("attribute", f"{name} {value} -> {other}", model)


def _others(operator: str, name: str, value: object) -> Iterator[object]:
    if isinstance(value, bytes | str):
        known = _texts()[operator, name]
        yield from sorted(known - {value if isinstance(value, bytes) else value.encode()})
    elif name in _FLAGS:
        yield 1 - int(str(value))
    elif isinstance(value, int):
        yield from {value + 1, value - 1, 1 - value} - {value}
    elif isinstance(value, float):
        yield from (value * 1.5 + 0.1, value - 0.25)
    elif isinstance(value, list | tuple) and value and isinstance(value[0], int | float):
        for index in range(min(len(value), 4)):
            step = 1 if isinstance(value[0], int) else 0.5
            yield [*value[:index], value[index] + step, *value[index + 1 :]]
        if list(value) != sorted(value, reverse=True):
            yield list(reversed(value))


def _constants(case: Case) -> Iterator[Mutant]:
    weights = {"shift", "factor"} | stored_weights(case.model.graph)
    for number, tensor in enumerate(case.model.graph.initializer):
        array = numpy_helper.to_array(tensor)
        if array.dtype.kind not in "fiub" or not array.size or tensor.name in weights:
            continue  # values of weights are not of the graph
        for index in {0, array.size - 1}:
            other = array.copy().reshape(-1)
            other[index] = not other[index] if array.dtype.kind == "b" else other[index] + 1
            model = _copy(case)
            changed = numpy_helper.from_array(other.reshape(array.shape), tensor.name)
            model.graph.initializer[number].CopyFrom(changed)
            yield Mutant("constant", f"{tensor.name}[{index}] + 1", model)


def _edges(case: Case, place: int) -> Iterator[Mutant]:
    node = case.model.graph.node[place]
    names = list(node.input)
    weights = stored_weights(case.model.graph) & {t.name for t in case.model.graph.initializer}
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            is_relabelled = {names[i], names[j]} <= weights  # other names of the same weights
            if names[i] and names[j] and names[i] != names[j] and not is_relabelled:
                swapped = [*names]
                swapped[i], swapped[j] = names[j], names[i]
                fed = {value.name for value in case.model.graph.input}
                what = f"operands {i} and {j} exchanged"
                mutant = _rewired(case, place, swapped, what)
                yield replace(mutant, kind=ROLES) if fed >= {names[i], names[j]} else mutant
    for i in range(1, len(names)):
        yield _rewired(case, place, [*names[:i], names[0], *names[i + 1 :]], f"operand {i} is 0")
    if len(names) > 1:
        yield _rewired(case, place, names[:-1], "without the last operand")
    if names and names[0].endswith("/added"):
        source = names[0].removesuffix("/added")
        yield _rewired(case, place, [source, *names[1:]], "past the layer before")
    yield from _past(case, place)


def _past(case: Case, place: int) -> Iterator[Mutant]:
    """The layer behind reads the operand of the case's node."""
    node = case.model.graph.node[place]
    for number, reader in enumerate(case.model.graph.node):
        if number > place and node.input and node.output[0] in reader.input:
            inputs = [node.input[0] if n == node.output[0] else n for n in reader.input]
            yield _rewired(case, number, inputs, "past the layer")


def _operators(case: Case, place: int) -> Iterator[Mutant]:
    """Another operator on the same operands, with the attributes that it knows."""
    node = case.model.graph.node[place]
    (version,) = (one.version for one in case.model.opset_import)
    family = next((one for one in _ALIKE if node.op_type in one), ())
    for operator in family:
        if operator != node.op_type and _since(operator) <= version:
            model = _copy(case)
            mutated = model.graph.node[place]
            mutated.op_type = operator
            known = onnx.defs.get_schema(operator, version).attributes
            kept = [a for a in mutated.attribute if a.name in known]
            del mutated.attribute[:]
            mutated.attribute.extend(kept)
            yield Mutant("operator", operator, model)


def _since(operator: str) -> int:
    schemas = onnx.defs.get_all_schemas_with_history()
    return min(s.since_version for s in schemas if s.name == operator and s.domain == "")


def _rewired(case: Case, place: int, inputs: list[str], what: str) -> Mutant:
    model = _copy(case)
    node = model.graph.node[place]
    del node.input[:]
    node.input.extend(inputs)
    return Mutant("edge", what, model)


def _shapes(case: Case) -> Iterator[Mutant]:
    for number, tensor in enumerate(case.model.graph.initializer):
        array = numpy_helper.to_array(tensor)
        if array.dtype.kind != "f" or array.ndim == 0:
            continue
        for axis in range(array.ndim):
            for size in {1, array.shape[axis] - 1, array.shape[axis] + 1} - {array.shape[axis], 0}:
                other = np.resize(array, (*array.shape[:axis], size, *array.shape[axis + 1 :]))
                model = _copy(case)
                changed = numpy_helper.from_array(other, tensor.name)
                model.graph.initializer[number].CopyFrom(changed)
                yield Mutant("weight shape", f"{tensor.name} {array.shape} -> {other.shape}", model)


def _renamed(model: onnx.ModelProto) -> onnx.ModelProto:
    """Other names of inner values and nodes, by number; inputs and outputs keep theirs."""
    renamed = onnx.ModelProto()
    renamed.CopyFrom(model)
    graph = renamed.graph
    kept = {value.name for value in (*graph.input, *graph.output)} | {""}
    names: dict[str, str] = {}
    for node in graph.node:
        for values in (node.input, node.output):
            for slot, name in enumerate(values):
                if name not in kept:
                    values[slot] = names.setdefault(name, f"value_{len(names)}")
        node.name = f"node_{len(names)}"
    for tensor in graph.initializer:
        tensor.name = names.get(tensor.name, tensor.name)
    return renamed


def _other_order(graph: onnx.GraphProto, random: np.random.Generator) -> list[int] | None:
    """Another topological order; None where there is none."""
    known = {value.name for value in (*graph.input, *graph.initializer)} | {""}
    waiting, order = list(range(len(graph.node))), []
    while waiting:
        ready = [i for i in waiting if known.issuperset(graph.node[i].input)]
        if not ready:
            return None
        chosen = int(random.choice(ready))
        order.append(chosen)
        waiting.remove(chosen)
        known.update(graph.node[chosen].output)
    return order if order != sorted(order) else None
