"""Valid nodes of every standard operator in each of its versions, with inputs.

The source is ONNX's own node tests, which are of the newest version. For an older version operands
become the attributes that they were, and what the version lacks is left out.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import NodeProto, helper, numpy_helper

OLDEST, NEWEST = 7, 27
"""Operator sets that onnxruntime runs."""

MAX_SETTING = 64
"""Elements of the largest operand that is a setting (axes, a shape) where its type is int64."""

_RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
           "RandomUniformLike")  # fmt: skip
_RENAMED = {"constant_value": "value"}
_SETTINGS = {
    "Clip": (1, 2), "Dropout": (1, 2), "Expand": (1,), "OneHot": (1, 2), "Pad": (1, 2, 3),
    "Range": (0, 1, 2), "Reshape": (1,), "Resize": (1, 2, 3), "Slice": (1, 2, 3, 4), "Split": (1,),
    "Squeeze": (1,), "Tile": (1,), "TopK": (1,), "Unsqueeze": (1,), "Upsample": (1,),
    "ConstantOfShape": (0,), "CumSum": (1,), "DFT": (1, 2), "Trilu": (1,), "CenterCropPad": (1,),
    "NonMaxSuppression": (2, 3, 4),
}  # fmt: skip
"""Operands that are settings, by operator: initializers, as they are in files."""


_FROM_FRONT = ("Squeeze", "Unsqueeze")
"""Operators whose axes were counted from the front alone before version 11."""


@dataclass(frozen=True)
class Case:
    """A graph of one node, its settings as initializers, and the arrays of its inputs."""

    name: str
    model: onnx.ModelProto
    inputs: dict[str, np.ndarray]

    @property
    def node(self) -> NodeProto:
        """Its node."""
        return self.model.graph.node[0]


@functools.cache
def newest() -> tuple[Case, ...]:
    """ONNX's node tests of one standard node and tensors of numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        tests = collect_testcases(None)
    cases = []
    for test in tests:
        model, sets = test.model, test.data_sets
        if len(model.graph.node) != 1 or not sets or model.graph.node[0].domain:
            continue
        arrays = list(sets[0][0])
        if not all(isinstance(array, np.ndarray | np.generic) for array in arrays):
            continue
        names = [value.name for value in model.graph.input]
        inputs = {n: np.asarray(a) for n, a in zip(names, arrays, strict=False)}
        if any(array.dtype.kind not in "fiub" for array in inputs.values()):
            continue
        if model.graph.node[0].op_type in _RANDOM or len(inputs) != len(names):
            continue
        cases.append(Case(test.name.removeprefix("test_"), model, inputs))
    return tuple(cases)


def versions(operator: str) -> list[int]:
    """The operator sets to try an operator in: its versions, and the last before each."""
    schemas = onnx.defs.get_all_schemas_with_history()
    own = {s.since_version for s in schemas if s.name == operator and s.domain == ""}
    around = {version for since in own for version in (since - 1, since)} | {OLDEST, NEWEST}
    first = max(min(own), OLDEST)
    return sorted(version for version in around if first <= version <= NEWEST)


def all_cases() -> Iterator[Case]:
    """Every node test in every version of its operator that can say it."""
    for case in newest():
        for version in versions(case.node.op_type):
            yield from said_in(case, version)


def said_in(case: Case, version: int) -> Iterator[Case]:
    """The case in an operator set: with its attributes, and without those that have a default."""
    node, operator = case.node, case.node.op_type
    try:
        schema = onnx.defs.get_schema(operator, version)
        newest_schema = onnx.defs.get_schema(operator)
    except onnx.defs.SchemaError:
        return
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    inputs = list(node.input)
    formal = [i.name for i in newest_schema.inputs]
    variadic = bool(schema.inputs) and schema.inputs[-1].option.name == "Variadic"
    for slot in range(len(inputs) - 1, -1, -1):
        if variadic or not formal:
            break
        name = formal[min(slot, len(formal) - 1)]
        attribute = _attribute_of(name, schema)
        from_front = name == "axes" and operator in _FROM_FRONT and version < 11
        if from_front and (case.inputs[inputs[slot]] < 0).any():
            return
        known = slot < len(schema.inputs)
        if attribute is not None and attribute not in attributes:
            array = case.inputs[inputs[slot]] if inputs[slot] else np.empty(0)
            is_list = schema.attributes[attribute].type.name.endswith("S")
            if inputs[slot] and (array.size or is_list):
                is_float = "FLOAT" in schema.attributes[attribute].type.name
                numbers = array.astype(float if is_float else int).reshape(-1).tolist()
                attributes[attribute] = numbers if is_list else numbers[0]
            inputs[slot] = ""
        elif not known and inputs[slot]:
            return
    while inputs and not inputs[-1]:
        inputs.pop()
    for name in list(attributes):
        if name not in schema.attributes:
            if attributes[name] != _default(newest_schema, name):
                return
            del attributes[name]
    outputs = list(node.output)[: schema.max_output]
    yield _case(case, version, operator, inputs, outputs, attributes)
    defaulted = [n for n in attributes if not schema.attributes[n].required]
    if any(_default(schema, name) != _default(newest_schema, name) for name in schema.attributes):
        bare = {name: value for name, value in attributes.items() if name not in defaulted}
        yield _case(case, version, operator, inputs, outputs, bare, "_defaults")


def _case(
    case: Case,
    version: int,
    operator: str,
    inputs: list[str],
    outputs: list[str],
    attributes: dict[str, object],
    suffix: str = "",
) -> Case:
    graph = case.model.graph
    settings = {
        name
        for slot, name in enumerate(inputs)
        if name and slot in _SETTINGS.get(operator, _reduced(operator))
        and case.inputs[name].size <= MAX_SETTING
    }  # fmt: skip
    schema = onnx.defs.get_schema(operator, version)
    node = helper.make_node(operator, inputs, outputs)
    for name, value in attributes.items():
        kind = int(schema.attributes[name].type.value)
        node.attribute.append(helper.make_attribute(name, value, attr_type=kind))
    made = helper.make_graph(
        [node],
        "generated",
        [value for value in graph.input if value.name in inputs and value.name not in settings],
        [onnx.ValueInfoProto(name=value.name) for value in graph.output if value.name in outputs],
        [numpy_helper.from_array(case.inputs[name], name) for name in sorted(settings)],
    )
    imports = [helper.make_opsetid("", version)]
    model = helper.make_model(made, opset_imports=imports, ir_version=8 if version < 19 else 10)
    feeds = {n: a for n, a in case.inputs.items() if n in inputs and n not in settings}
    return Case(f"{case.name}@{version}{suffix}", model, feeds)


def _reduced(operator: str) -> tuple[int, ...]:
    return (1,) if operator.startswith("Reduce") else ()


def _attribute_of(operand: str, schema: onnx.defs.OpSchema) -> str | None:
    """The attribute that an operand is in a version; None where it is an operand there, too."""
    if any(formal.name == operand for formal in schema.inputs):
        return None
    name = _RENAMED.get(operand, operand)
    return next((a for a in schema.attributes if a.lower() == name.lower()), None)


def _default(schema: onnx.defs.OpSchema, name: str) -> object:
    attribute = schema.attributes.get(name)
    if attribute is None or not attribute.default_value.type:
        return None
    return helper.get_attribute_value(attribute.default_value)
