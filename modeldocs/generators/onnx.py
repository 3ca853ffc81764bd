"""ONNX as a target: the network in the operators of ONNX, without the values of its weights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import onnx
import onnx.printer
import onnx_ir as ir

from modeldocs import __version__, normal
from modeldocs.generators.interface import Interface
from modeldocs.generators.network import Network
from modeldocs.generators.no_program import NoProgramError
from modeldocs.generators.target import ProgramFile
from modeldocs.ir import origin
from modeldocs.normal import values
from modeldocs.normal.opset import OPSET

_EACH_AXIS: Final[Mapping[str, int]] = {"strides": 1, "dilations": 1, "pads": 0}
"""Settings with one number an axis, with the number that is the default."""

_BETWEEN_PARAMETERS: Final = re.compile(r", (\w+\[[^]]*\] \"?[^\s,]+)(?=[,>])")


class Onnx:
    """Files of ONNX's own operators, with the names, inputs and outputs of the source.

    Parameters have names and shapes; their values belong into a file beside it.
    """

    name = "onnx"
    title = "ONNX"
    framework = "onnx"
    suffix = ".onnx"
    runner = None

    def draft(self, network: Network, name: str) -> OnnxDraft:
        """The network as a file.

        Raises:
            NoProgramError: a layer's operator is none of ONNX's; the error names it.
        """
        for layer in network.graph.layers:
            for node in _with_bodies(network.nodes[layer.id]):
                if node.domain not in values.DEFAULT_DOMAIN:
                    operator = values.operator(node)
                    raise NoProgramError.of(layer, f"ONNX has no operator {operator}")
        model = network.model.clone()
        normal.make_runnable(model)
        for weight in list(model.graph.initializers.values()):
            _store_as_read(weight)
        _drop_unread(model.graph)
        model.graph.name = name
        model.producer_name, model.producer_version = "modeldocs", __version__
        model.metadata_props.clear()
        for node in model.graph.all_nodes():
            node.metadata_props.clear()
            _drop_defaults(node)
        return OnnxDraft(model)


@dataclass(frozen=True)
class OnnxDraft:
    """A file of ONNX without its documentation."""

    model: ir.Model

    program = None

    @property
    def interface(self) -> Interface:
        """The source's own."""
        graph = self.model.graph
        return Interface(((),) * len(graph.inputs), ((),) * len(graph.outputs))

    def file(self, doc: str) -> ProgramFile:
        """The file with its documentation, which is read in ONNX's textual form."""
        proto = ir.to_proto(self.model)
        proto.doc_string = doc
        content = proto.SerializeToString(deterministic=True)
        return ProgramFile(_text(proto), content)


def _text(proto: onnx.ModelProto) -> str:
    """A model in ONNX's textual form, each parameter on a line, no shapes in between.

    It is changed in place.
    """
    graph = proto.graph
    absent = [one for one in graph.initializer if one.external_data]
    constants = [one for one in graph.initializer if not one.external_data]
    del graph.value_info[:], graph.initializer[:]
    graph.initializer.extend(constants)
    graph.value_info.extend(
        onnx.helper.make_tensor_value_info(one.name, one.data_type, one.dims) for one in absent
    )
    text: str = onnx.printer.to_text(proto)
    return _BETWEEN_PARAMETERS.sub(r",\n    \1", text) + "\n"


def _with_bodies(node: ir.Node) -> Iterator[ir.Node]:
    """A node, and those of the graphs that it holds."""
    yield node
    for attribute in node.attributes.values():
        if attribute.type == ir.AttributeType.GRAPH:
            yield from attribute.as_graph().all_nodes()


def _store_as_read(weight: ir.Value) -> None:
    """Store a matrix transposed that one layer reads, transposed."""
    readers = [use.node for use in weight.uses()]
    shape, dtype, graph = values.shape(weight), weight.dtype, weight.graph
    if len(readers) != 1 or not values.is_parameter(weight):
        return
    (transpose,) = readers
    if shape is None or dtype is None or graph is None or len(shape) != 2:
        return
    if transpose.op_type != "Transpose" or transpose.graph is not graph:
        return
    weight.shape = ir.Shape(reversed(shape))
    weight.const_value = origin.absent_tensor(str(weight.name), shape[::-1], dtype)
    ir.convenience.replace_all_uses_with(transpose.outputs[0], weight)
    graph.remove(transpose, safe=True)


def _drop_unread(graph: ir.Graph) -> None:
    """Remove parameters that nothing reads, such as Caffe's factors of running statistics."""
    returned = set(graph.outputs)
    for name, weight in list(graph.initializers.items()):
        if not weight.uses() and weight not in returned:
            del graph.initializers[name]


def _drop_defaults(node: ir.Node) -> None:
    """Leave out the settings that are ONNX's default."""
    known = onnx.defs.get_schema(node.op_type, OPSET).attributes
    for name, attribute in list(node.attributes.items()):
        default = known[name].default_value
        if name in _EACH_AXIS:
            is_default = set(attribute.as_ints()) == {_EACH_AXIS[name]}
        else:
            is_default = bool(default.type) and ir.from_proto(default).value == attribute.value
        if is_default:
            del node.attributes[name]
