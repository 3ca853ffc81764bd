"""Decomposed idioms put back together: what a framework spelled in many nodes, as one.

The result need not be valid ONNX (a `Gemm` may take a tensor of any rank): only the layers are
read off it. Every rewritten node carries the origins of all that it replaced.
"""

from __future__ import annotations

from collections.abc import Callable

import onnx_ir as ir

from modeldocs.normal.idioms import activation, linear, normalization

Recogniser = Callable[[ir.Node], bool]

RECOGNISERS: tuple[Recogniser, ...] = (
    normalization.affine_batch_normalization,
    normalization.local_response_normalization,
    linear.dense,
    normalization.layer_normalization,
    activation.gelu,
    activation.swish,
)
"""Order matters: dense layers first, so that their bias is not taken for a norm's."""


def recognise(model: ir.Model) -> None:
    """Rewrite every idiom, smaller ones first: later ones are made of earlier ones."""
    for recogniser in RECOGNISERS:
        for node in list(model.graph):
            if node.graph is not None:
                recogniser(node)
