"""The normal form of ONNX graphs, which is read into a `LayerGraph`.

`apply` runs the passes in order; each is a function of the model in a module of its own. Every pass
preserves what the model computes, which proofs check on the model that `make_runnable` makes.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import LayerGraph
from modeldocs.normal import (
    attention,
    bodies,
    fusions,
    layers,
    opset,
    packed_projections,
    pads,
    prepare,
    recurrent,
    runnable,
    transposes,
)
from modeldocs.normal.data_movement import concats, reshape_transpose, splits
from modeldocs.normal.fusions import norm_matching

PASSES = (
    prepare.inline_functions,
    bodies.own_outputs,
    prepare.infer_shapes,
    opset.unify,
    prepare.inline_functions,
    prepare.infer_shapes,
    prepare.fold_constants,
    prepare.drop_dead_plumbing,
    prepare.infer_shapes,
    recurrent.simplify,
    pads.make_explicit,
    norm_matching.recognise,
    transposes.cancel,
    pads.absorb_pad_nodes,
    fusions.recognise,
    concats.rearrange,
    splits.join,
    packed_projections.join,
    attention.recognise,
    fusions.tidy,
    reshape_transpose.simplify,
)
"""The passes in order; each changes the model in place.

Shapes are inferred three times: operators of older sets may need ranks, folding needs shapes for
`Shape`, and inference needs folded constants.
Norms are matched before Transposes are cancelled, while their parameters are along the axes that
the framework named; pads are absorbed afterwards, when no Transpose separates them from their
reader.
"""


def apply(model: ir.Model) -> None:
    """Bring a model into normal form, in place."""
    for normal_pass in PASSES:
        normal_pass(model)


def normalise(model: ir.Model) -> LayerGraph:
    """The model's layers in normal form. `model` is changed in place."""
    apply(model)
    return read(model)


def read(model: ir.Model) -> LayerGraph:
    """The layers of a model that is in normal form."""
    return layers.read_graph(
        model, lambda node, reader: bodies.read(model, node, normalise, reader)
    )


def make_runnable(model: ir.Model) -> None:
    """Change a model in normal form into ONNX that onnxruntime runs with the same outputs.

    Operators that onnxruntime lacks are lowered to others. Values keep their names where they keep
    their order of axes.
    """
    runnable.lower(model)
