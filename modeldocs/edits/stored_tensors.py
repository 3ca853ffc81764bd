"""Parameters and constants in the shape that their reader needs, through what lies between."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.edits.draft import Draft, layer_name, refusal
from modeldocs.edits.original_shapes import Shape
from modeldocs.edits.regrouping import regrouped
from modeldocs.ir import origin
from modeldocs.loaders.dims import as_text
from modeldocs.normal import affine_weights, values
from modeldocs.normal.data_movement import permutations, tracing

_FIX = "undo the edit, or change the layers that read it as well"


class StoredTensors:
    """The tensors that a network stores, as far as one pass over its layers has shaped them."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.arranged = tracing.arranged_parameters(draft.model.graph)
        self._shaped: dict[int, tuple[Shape, ir.Node]] = {}

    def holds(self, value: ir.Value | None) -> bool:
        """Whether a value is a parameter, a constant, or made of these alone."""
        if value is None:
            return False
        root = tracing.trace(value).root
        return (
            values.is_parameter(root)
            or root.const_value is not None
            or id(root.producer()) in self.arranged
        )

    def shape(self, value: ir.Value, shape: Shape, reader: ir.Node) -> None:
        """Give a stored value the shape that a layer reads.

        Raises:
            ModeldocsError: another layer reads it in another shape, or it cannot have this one.
        """
        held = self._shaped.setdefault(id(value), (shape, reader))
        if held[0] != shape:
            raise refusal(
                reader,
                f"needs {value.name!r} as {as_text(shape)}, and {layer_name(held[1])!r}, which "
                f"shares it, as {as_text(held[0])}",
                _FIX,
            )
        if values.shape(value) == shape:
            return
        if values.is_parameter(value):
            _resize(value, shape)
        elif value.producer() is not None:
            self._behind(value, shape, reader)
        else:
            self._constant(value, shape, reader)

    def _behind(self, value: ir.Value, shape: Shape, reader: ir.Node) -> None:
        """Shape what a value is made of, so that it gets a shape."""
        node = value.producer()
        assert node is not None
        source = node.inputs[0] if node.inputs else None
        before, after = self.draft.original.of(source), self.draft.original.of(value)
        wanted: Shape | None = None
        affine = affine_weights.source(node)
        if affine is not None:
            source, wanted = affine[0], shape
        elif source is not None and node.op_type in ("Identity", "Cast", "CastLike"):
            wanted = shape
        elif node.op_type == "Transpose" and (order := permutations.of_node(node)) is not None:
            wanted = tuple(shape[order.index(axis)] for axis in range(len(order)))
        elif before is not None and after is not None and tracing.is_move(node):
            wanted = regrouped(after, before, shape)
            self._retarget(node, shape)
        elif node.op_type == "Slice" and before is not None and after is not None:
            wanted = self._cut(node, before, after, shape)
        if wanted is None or source is None:
            raise refusal(
                reader,
                f"needs {tracing.trace(value).root.name!r} as {as_text(shape)}, which is stored in "
                "another arrangement",
                _FIX,
            )
        self.shape(source, wanted, reader)
        value.shape = ir.Shape(shape)

    def _retarget(self, node: ir.Node, shape: Shape) -> None:
        if node.op_type == "Reshape":
            node.replace_input_with(1, self.draft.builder.numbers(shape, _shape_name(shape)))

    def _cut(self, node: ir.Node, before: Shape, after: Shape, shape: Shape) -> Shape | None:
        """The whole that a piece of another size is cut from: as long as it was, where that is
        enough; else None.
        """
        read = [values.constant(values.operand(node, slot)) for slot in (1, 2, 3, 4)]
        starts, ends, axes, steps = read
        if starts is None or ends is None or (steps is not None and (steps != 1).any()):
            return None
        along = range(len(starts)) if axes is None else [int(a) % len(before) for a in axes]
        wanted = list(shape)
        changed = [int(end) for end in ends]
        for place, axis in enumerate(along):
            start = int(starts[place])
            if start < 0 or start + shape[axis] > before[axis]:
                return None
            wanted[axis] = before[axis]
            changed[place] = start + shape[axis]
        if tuple(after) != shape:
            name = "slice/" + ",".join(map(str, changed))
            node.replace_input_with(2, self.draft.builder.numbers(changed, name))
        return tuple(wanted)

    def _constant(self, value: ir.Value, shape: Shape, reader: ir.Node) -> None:
        """Put a constant of one number in another shape in the place of a constant."""
        array = values.constant(value)
        if array is None or not array.size or (array != array.reshape(-1)[0]).any():
            raise refusal(
                reader,
                f"reads a constant of {as_text(values.shape(value) or ())}, and needs one of "
                f"{as_text(shape)}",
                _FIX,
            )
        filled = np.full(shape, array.reshape(-1)[0], array.dtype)
        made = self.draft.builder.constant(filled, str(value.name))
        for slot, given in enumerate(reader.inputs):
            if given is value:
                reader.replace_input_with(slot, made)


def _resize(parameter: ir.Value, shape: Shape) -> None:
    """Give a parameter, which has no values, another shape."""
    parameter.shape = ir.Shape(shape)
    dtype = parameter.dtype or ir.DataType.FLOAT
    parameter.const_value = origin.absent_tensor(str(parameter.name), shape, dtype)


def _shape_name(shape: Shape) -> str:
    return "shape/" + "x".join(map(str, shape))
