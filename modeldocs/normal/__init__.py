"""The normal form: any valid ONNX graph, as the `LayerGraph` that people read.

`apply` runs the passes in their order; each pass is a function of the model in a module of its
own. Every pass keeps what the model computes: `make_runnable` makes a model of it that shows it.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import LayerGraph
from modeldocs.normal import (
    attention,
    cuts,
    idioms,
    joins,
    layers,
    pads,
    prepare,
    rearrangements,
    runnable,
    transposes,
)
from modeldocs.normal.idioms import norms

PASSES = (
    prepare.inline_functions,
    prepare.infer_shapes,
    prepare.fold_constants,
    prepare.drop_dead_plumbing,
    prepare.infer_shapes,
    pads.make_explicit,
    norms.recognise,
    transposes.cancel,
    pads.absorb_pad_nodes,
    idioms.recognise,
    joins.rearrange,
    cuts.join,
    attention.recognise,
    idioms.tidy,
    rearrangements.simplify,
)
"""In order; each changes the model in place.

Shapes are inferred twice: folding needs them to know what `Shape` gives, and gives them constants.
Norms are put together while their parameters lie along the axes that the framework named; pads are
absorbed when no Transpose stands between them and what they are for.
"""


def apply(model: ir.Model) -> None:
    """Bring a model into normal form, in place."""
    for change in PASSES:
        change(model)


def normalise(model: ir.Model) -> LayerGraph:
    """The model's layers in normal form. `model` is changed on the way."""
    apply(model)
    return read(model)


def read(model: ir.Model) -> LayerGraph:
    """The layers of a model as it is."""
    return layers.read_graph(model)


def make_runnable(model: ir.Model) -> None:
    """Change a model in normal form into ONNX that onnxruntime runs with the same outputs.

    What normal form has beyond the model's operator set is lowered to operators of that set.
    Values keep their names where they keep their order of axes.
    """
    runnable.lower(model)
