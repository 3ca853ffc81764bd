"""Running a graph with its weights in onnxruntime.

Large weights are fed as inputs: a serialized model is at most 2 GiB, and serializing it takes
longer than running it.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime

from modeldocs.errors import ModeldocsError
from modeldocs.numeric.execution.operation import ExecutedNode, is_random, operations

DOMAINS = ("", "ai.onnx", "ai.onnx.ml", "com.microsoft")
"""Domains whose operators onnxruntime has."""

_LAST_SET = {"GlobalLpPool": 21, "MaxRoiPool": 21, "RoiAlign": 21}
"""Operators, and the last operator set that onnxruntime has kernels of for processors, by its own
registry (`get_all_opkernel_def`): later ones add types only. Random operators are not run.
"""

Arrays = Mapping[str, np.ndarray]

_NOTHING: Arrays = {}

_MAX_STORED = 2**16
"""Bytes of the largest initializer that stays in the model. Some operators need constants there."""


def run(model: ir.Model, inputs: Arrays, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The values of these names, of those that the graph has: see `ModelRunner.run`."""
    return ModelRunner(model).run(inputs, names)


class ModelRunner:
    """A model to run several times, which nothing changes meanwhile: its sessions are kept."""

    def __init__(self, model: ir.Model) -> None:
        self.model = model
        self._prepared: dict[object, _Prepared] = {}

    @functools.cached_property
    def operations(self) -> list[ExecutedNode]:
        """Its nodes, in their order."""
        return operations(self.model)

    def run(
        self, inputs: Arrays, names: Sequence[str], computed: Arrays = _NOTHING
    ) -> dict[str, np.ndarray]:
        """The values of these names, of those that the graph has.

        `inputs` are by name; a weight among them replaces the model's own. `computed` are values
        that are known already: what leads to them is not run for the others.

        Raises:
            ModeldocsError: onnxruntime cannot run a part of the graph, with the layer.
        """
        graph = self.model.graph
        by_name = {str(value.name): value for node in graph for value in node.outputs}
        by_name |= {str(value.name): value for value in graph.inputs}
        outputs = [by_name[name] for name in dict.fromkeys(names) if name in by_name]
        constants = {
            name: stored_values(graph.initializers[name])
            for name in names
            if name not in by_name and name in graph.initializers
        }
        if not outputs:
            return constants
        output_names = [str(value.name) for value in outputs]
        prepared = self._prepare(outputs, inputs, computed)
        try:
            results = prepared.session.run(output_names, prepared.feeds(inputs, computed))
        except Exception as error:
            raise _runtime_error(error) from None
        return constants | dict(zip(output_names, results, strict=True))

    def _prepare(self, outputs: Sequence[ir.Value], inputs: Arrays, computed: Arrays) -> _Prepared:
        """The session that computes `outputs` from arrays of these types and shapes."""
        key = (tuple(value.name for value in outputs), _kinds(inputs), _kinds(computed))
        if key not in self._prepared:
            self._prepared[key] = _Prepared(*_part(self.model, outputs, inputs, computed))
        return self._prepared[key]


def _kinds(arrays: Arrays) -> frozenset[object]:
    return frozenset((name, array.dtype, array.shape) for name, array in arrays.items())


class _Prepared:
    """A session, with the model's own large weights, which it takes as inputs."""

    def __init__(self, part: onnx.ModelProto, weights: dict[str, np.ndarray]) -> None:
        self.session, self.weights = _session(part), weights
        self.inputs = [value.name for value in part.graph.input if value.name not in weights]

    def feeds(self, inputs: Arrays, computed: Arrays) -> dict[str, np.ndarray]:
        """The arrays of all inputs of the session."""
        given = (computed if name in computed else inputs for name in self.inputs)
        arrays = zip(self.inputs, given, strict=True)
        return self.weights | {name: np.asarray(of[name], order="C") for name, of in arrays}


def is_large(value: ir.Value) -> bool:
    """Whether an initializer is large, absent, or in another file."""
    tensor = value.const_value
    return tensor is None or isinstance(tensor, ir.ExternalTensor) or tensor.nbytes > _MAX_STORED


def stored_values(value: ir.Value) -> np.ndarray:
    """The array of an initializer; it is an error where it has none, or a broken one."""
    try:
        tensor = value.const_value
        assert tensor is not None
        return tensor.numpy()
    except (OSError, TypeError, ValueError, AssertionError):
        raise ModeldocsError(f"nothing gives {value.name} a value") from None


def _session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    # Proofs are about the graph as it stands, not about what an optimizer makes of it.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # sums in one order on every machine
    options.enable_cpu_mem_arena = False  # a session that is kept gives back its activations
    try:
        data = model.SerializeToString()
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise _runtime_error(error) from None


def _runtime_error(error: Exception) -> ModeldocsError:
    message = " ".join(str(error).split())[:400]
    return ModeldocsError(f"onnxruntime cannot run the graph: {message}")


def _part(
    model: ir.Model, outputs: Sequence[ir.Value], inputs: Arrays, computed: Arrays
) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """The part of a model that computes `outputs`, and its own weights that are inputs of the part.

    Inputs are made of large weights, of those that `inputs` replaces, and of `computed` values. The
    part is written from the model directly, without metadata: a copy of the model takes longer than
    most runs.
    """
    needed = leading_to(outputs, computed)
    nodes = [node for node in model.graph if node in needed]
    read = {str(value.name) for node in nodes for value in _read(node) if value is not None}
    read |= {str(value.name) for value in outputs}
    part = onnx.ModelProto(ir_version=model.ir_version)
    last = [_LAST_SET[node.op_type] for node in nodes if node.op_type in _LAST_SET]
    for domain, version in model.opset_imports.items():
        is_standard = domain in DOMAINS[:2]
        part.opset_import.add(
            domain=domain, version=min(version, *last) if last and is_standard else version
        )
    part.functions.extend(ir.serde.serialize_function(one) for one in model.functions.values())
    part.graph.name = "part"
    weights: dict[str, np.ndarray] = {}
    for name, value in model.graph.initializers.items():
        if name in read and name in inputs:
            part.graph.input.append(_described(name, inputs[name]))
        elif name in read and is_large(value):
            weights[name] = np.asarray(stored_values(value), order="C")
            part.graph.input.append(_described(name, weights[name]))
        elif name in read and value.const_value is not None:
            stored = part.graph.initializer.add()
            ir.serde.serialize_tensor_into(stored, value.const_value)
            stored.name = name
    for value in model.graph.inputs:
        name = str(value.name)
        if name in read and name not in model.graph.initializers:
            part.graph.input.append(ir.serde.serialize_value(value))
    part.graph.input.extend(
        _described(name, computed[name]) for name in sorted(read) if name in computed
    )
    for node in nodes:
        _write_node(part.graph, node)
    for value in outputs:
        _write_type(part.graph.output.add(), value)
    return part, weights


def _described(name: str, array: np.ndarray) -> onnx.ValueInfoProto:
    """The input of that name that takes arrays like this one."""
    return onnx.helper.make_tensor_value_info(
        name, ir.DataType.from_numpy(array.dtype).value, array.shape
    )


def _write_node(graph: onnx.GraphProto, node: ir.Node) -> None:
    """Add a node, with the types of its outputs; onnxruntime infers their shapes.

    Raises:
        ModeldocsError: onnxruntime does not have its operator, or what it computes is random.
    """
    if is_random(node):
        raise ModeldocsError(
            f"{node.name or node.op_type} ({node.op_type}) is random: it computes other numbers in "
            "each run, of which one proves nothing"
        )
    if node.domain not in DOMAINS:
        raise ModeldocsError(
            f"{node.name or node.op_type} ({node.domain} {node.op_type}) is no ONNX operator, "
            "so nothing but its framework can run it"
        )
    written = graph.node.add(op_type=node.op_type, domain=node.domain, name=node.name or "")
    written.input.extend("" if value is None else str(value.name) for value in node.inputs)
    written.output.extend(str(value.name or "") for value in node.outputs)
    while written.output and not written.output[-1]:
        del written.output[-1]  # optional outputs that are left out
    for attribute in node.attributes.values():
        ir.serde.serialize_attribute_into(written.attribute.add(), attribute)
    for value in node.outputs:
        if value.name and value.type is not None:
            _write_type(graph.value_info.add(), value)


def _write_type(written: onnx.ValueInfoProto, value: ir.Value) -> None:
    written.name = str(value.name)
    if value.type is not None:
        ir.serde.serialize_type_into(written.type, value.type)


def leading_to(outputs: Sequence[ir.Value], computed: Collection[str] = ()) -> set[ir.Node]:
    """The nodes that these values are computed by; none leads to those that are `computed`."""
    needed: set[ir.Node] = set()
    pending: list[ir.Value | None] = list(outputs)
    while pending:
        value = pending.pop()
        node = value.producer() if value is not None and value.name not in computed else None
        if node is not None and node not in needed:
            needed.add(node)
            pending += _read(node)
    return needed


def _read(node: ir.Node) -> list[ir.Value | None]:
    """The values that a node reads, those that its bodies read included."""
    read = list(node.inputs)
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            for inner in attribute.as_graph():
                read += _read(inner)
    return read
