"""Shapes of an ONNX file's values: inferred from its inputs, else as the file declares them."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import prepare


def infer(model: ir.Model, *, inputs_changed: bool) -> None:
    """Infer all shapes anew; declared shapes count where nothing can be inferred.

    Tools that change a graph often leave its old shapes, of which a note tells the reader. There
    is no note where `inputs_changed`: the request gave the inputs other shapes than the file.
    """
    declared = {
        value: value.shape
        for node in model.graph
        for value in node.outputs
        if value.shape is not None
    }
    for value in declared:
        value.shape = None
    prepare.infer_shapes(model)
    unknown = [value for value in declared if value.shape is None]
    for value in unknown:
        value.shape = declared[value]
    if unknown:
        prepare.infer_shapes(model)
    contradicted = 0
    for value, shape in declared.items():
        merged = _merge(shape, value.shape)
        if merged is None:
            contradicted += 1
        else:
            value.shape = merged
    if contradicted and not inputs_changed:
        note = "shapes that the file declares contradict its inputs and weights, and are not used"
        origin.add_notes(model, [f"{note} (values: {contradicted})"])


def _merge(declared: ir.Shape, inferred: ir.Shape | None) -> ir.Shape | None:
    """Inferred sizes, else declared ones; None where the two contradict each other."""
    if inferred is None:
        return declared
    if len(declared) != len(inferred):
        return None
    sizes = []
    for one, other in zip(declared, inferred, strict=True):
        if isinstance(one, int) and isinstance(other, int) and one != other:
            return None
        sizes.append(other if isinstance(other, int) else one)
    return ir.Shape(sizes)
