"""Shapes that an ONNX file declares between its nodes, held against what follows from inputs."""

from __future__ import annotations

import msgspec
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import prepare


def settle(model: ir.Model, *, asked: bool) -> None:
    """Infer all shapes anew; what the file declares counts where nothing can be inferred.

    Tools that change a graph often leave the shapes of the graph before. `asked` is whether inputs
    were given other shapes than the file's, which then says nothing of what it declares.
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
    gaps = [value for value in declared if value.shape is None]
    for value in gaps:
        value.shape = declared[value]
    if gaps:
        prepare.infer_shapes(model)
    wrong = 0
    for value, shape in declared.items():
        if value.shape is None or _fit(shape, value.shape):
            value.shape = _merged(shape, value.shape)
        else:
            wrong += 1
    if wrong and not asked:
        said = "shapes that the file declares contradict its inputs and weights, and are not used"
        _note(model, f"{said} (values: {wrong})")


def _fit(declared: ir.Shape, inferred: ir.Shape) -> bool:
    """Whether no size of the two contradicts the other."""
    return len(declared) == len(inferred) and not any(
        isinstance(one, int) and isinstance(two, int) and one != two
        for one, two in zip(declared, inferred, strict=True)
    )


def _merged(declared: ir.Shape, inferred: ir.Shape | None) -> ir.Shape:
    """Sizes that either knows; else names as the file gives them."""
    if inferred is None:
        return declared
    pairs = zip(declared, inferred, strict=True)
    return ir.Shape([two if isinstance(two, int) else one for one, two in pairs])


def _note(model: ir.Model, said: str) -> None:
    held = msgspec.json.decode(model.metadata_props.get(origin.NOTES_KEY, "[]"), type=list[str])
    model.metadata_props[origin.NOTES_KEY] = msgspec.json.encode([*held, said]).decode()
