"""The normal form: any valid ONNX graph, as the `LayerGraph` that people read.

`normalise` runs the passes in their order; each pass is a function of the model in a module of
its own, and the last one reads the layers off.
"""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.graph import LayerGraph
from modeldocs.normal import idioms, layers, pads, prepare

PASSES = (
    prepare.inline_functions,
    prepare.infer_shapes,
    prepare.fold_constants,
    prepare.drop_dead_plumbing,
    prepare.infer_shapes,
    pads.make_explicit,
    pads.absorb_pad_nodes,
    idioms.recognise,
)
"""In order; each changes the model in place.

Shapes are inferred twice: folding needs them to know what `Shape` gives, and gives them constants.
"""


def normalise(model: ir.Model) -> LayerGraph:
    """The model's layers in normal form. `model` is changed on the way."""
    make_runnable(model)
    return read(model)


def make_runnable(model: ir.Model) -> None:
    """Bring a model into the normal form that still runs, with the same numbers, in place."""
    for apply in PASSES:
        apply(model)


def read(model: ir.Model) -> LayerGraph:
    """The layers of a model that was made runnable."""
    return layers.read_graph(model)
