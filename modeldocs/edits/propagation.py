"""What follows from edits: shapes of all tensors, and of the parameters that read them."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.edits import fit, groups, pads, parameter_shapes
from modeldocs.edits.draft import Draft, refusal
from modeldocs.edits.original_shapes import Shape, operands
from modeldocs.edits.regrouping import regrouped
from modeldocs.edits.stored_tensors import StoredTensors
from modeldocs.errors import ModeldocsError
from modeldocs.ir import operators
from modeldocs.loaders.dims import Dims, are_known, as_text, impossibility
from modeldocs.loaders.emission import inference
from modeldocs.normal import values

_PASSES = 8
"""Times that a network is gone through: once more for each layer that shares a parameter with a
later one, which changed its shape."""

_FIX = "undo the edit, or change the other layers that it depends on as well"


def propagate(draft: Draft) -> None:
    """Give all tensors the shapes that follow from the edits.

    Layers that no edit reaches stay as they are, so that they may be of any operator.

    Raises:
        ModeldocsError: a layer does not fit any more, or its shape cannot be computed.
    """
    for _ in range(_PASSES):
        before = _shapes(draft.model.graph)
        one = _Pass(draft)
        for node in draft.model.graph:
            one.follow(node)
        if _shapes(draft.model.graph) == before:
            return
    raise ModeldocsError("its shapes do not settle", fix=_FIX)


def _shapes(graph: ir.Graph) -> list[Shape | None]:
    stored = [values.shape(value) for value in graph.initializers.values()]
    return stored + [values.shape(value) for node in graph for value in node.outputs]


class _Pass:
    """One pass over the layers, in the order in which they run."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.stored = StoredTensors(draft)

    def follow(self, node: ir.Node) -> None:
        """Compute the shapes of a node, if it reads what has changed, or changed itself."""
        if id(node) in self.stored.arranged:
            return
        if not (self.draft.original.changed(node) or self.draft.is_told(node)):
            return
        self._check_read(node)
        groups.follow(self.draft, node)
        pads.resolve(node)
        self._reshape(node)
        self._shape_parameters(node)
        reason = fit.misfit(node)
        if reason:
            raise refusal(node, reason, _FIX)
        self._infer(node)

    def _check_read(self, node: ir.Node) -> None:
        """Check that a node reads known shapes, of as many axes as before if that matters."""
        for slot, value in enumerate(operands(node)):
            now, before = values.shape(value), self.draft.original.read(node, slot)
            if value is not None and now is None:
                raise refusal(
                    node,
                    f"reads {value.name!r}, whose shape is not known",
                    "give the shapes of the inputs with --input, without symbolic sizes",
                )
            if now is None or before is None or operators.of(node.op_type).elementwise:
                continue
            if len(now) != len(before):
                raise refusal(
                    node, f"reads {as_text(now)}, and is made for {as_text(before)}", _FIX
                )

    def _reshape(self, node: ir.Node) -> None:
        """Give a Reshape the target that follows from the shape that it reads."""
        if not values.is_operator(node, "Reshape"):
            return
        source, output = node.inputs[0], node.outputs[0]
        assert source is not None
        original = self.draft.original
        before, after = original.read(node, 0), original.of(output)
        now = values.shape(source)
        assert now is not None
        if before is None or after is None:
            return  # a copy of another one, or behind a layer that was put in
        target = regrouped(before, after, now)
        if target is None:
            raise refusal(
                node,
                f"has the fixed sizes {as_text(after)}, made from {as_text(before)}, and reads "
                f"{as_text(now)}",
                _FIX,
            )
        name = "shape/" + "x".join(map(str, target))
        if target != values.shape(output):
            node.replace_input_with(1, self.draft.builder.numbers(target, name))

    def _shape_parameters(self, node: ir.Node) -> None:
        for slot, shape in parameter_shapes.needed(self.stored, node).items():
            value = values.operand(node, slot)
            if value is None or not self.stored.holds(value):
                continue
            reason = impossibility(shape)
            if reason:
                raise refusal(node, f"would have a parameter of {as_text(shape)}: {reason}", _FIX)
            self.stored.shape(value, shape, node)

    def _infer(self, node: ir.Node) -> None:
        try:
            found = _outputs(node)
        except inference.ShapeMismatchError:
            raise self._misfit(node) from None
        for value, (shape, dtype) in zip(node.outputs, found, strict=True):
            self._set(value, shape, dtype, node)

    def _set(
        self, value: ir.Value, shape: Dims | None, dtype: ir.DataType | None, node: ir.Node
    ) -> None:
        """Give an output its shape and type, which must be known if it is read."""
        is_read = bool(value.uses()) or value.is_graph_output()
        if is_read and (shape is None or not are_known(shape)):
            raise refusal(node, "is of an operator whose shape cannot be computed again", _FIX)
        reason = impossibility(shape or ())
        if reason:
            raise refusal(node, f"would have an output of {as_text(shape or ())}: {reason}", _FIX)
        value.shape = ir.Shape(shape) if shape is not None else None
        if value.type is None:
            value.type = ir.TensorType(dtype or ir.DataType.FLOAT)

    def _misfit(self, node: ir.Node) -> ModeldocsError:
        given = [v for v in node.inputs if v is not None and not self.stored.holds(v)]
        shapes = [values.shape(value) or () for value in given]
        does = "combines" if len(shapes) > 1 else "cannot compute with"
        text = " with ".join(as_text(shape) for shape in shapes)
        return refusal(node, f"{does} {text}", _FIX)


def _outputs(node: ir.Node) -> list[inference.Inferred]:
    """Shapes and types of a node's outputs; of a dense layer over the last axis of a tensor, too,
    which is no Gemm of ONNX, and of functions of each element that are newer than `OPSET`.
    """
    data = values.shape(node.inputs[0]) if node.inputs else None
    if operators.of(node.op_type).unary and data is not None:
        return [(data, node.outputs[0].dtype)]
    if not values.is_operator(node, "Gemm") or data is None or len(data) == 2:
        return inference.outputs(node)
    weight = values.shape(node.inputs[1]) or ()
    units = weight[0 if values.attribute(node, "transB", 0) else 1]
    return [((*data[:-1], units), node.outputs[0].dtype)]
