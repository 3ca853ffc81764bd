"""Caffe: `deploy.prototxt`, `train_val.prototxt` and `.caffemodel`, of BVLC Caffe and its forks.

A definition is parsed, never executed; weights are not needed, and used where they lie beside it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.caffe import files

if TYPE_CHECKING:
    import onnx_ir as ir

    from modeldocs.loaders.reference import Design, Proven

__all__ = ["CaffeLoader"]


class CaffeLoader:
    """Loads Caffe network definitions, in text and in binary format."""

    framework = "caffe"
    title = "Caffe"
    distribution: str | None = None
    extra: str | None = None
    weights = (files.WEIGHTS,)

    def recognises(self, path: Path) -> bool:
        """Whether a file is a network definition, or weights that hold one of their own."""
        return files.recognises(path)

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """OpenCV runs definitions to prove them; reading them takes nothing."""
        return "opencv" if proving else None

    def load(self, request: LoadRequest) -> ir.Model:
        """The definition as an ONNX graph, with the weights that lie beside it.

        `request.args` may hold `phase` (TEST where not given), `stage` and `level`, and `weights`,
        the name of a `.caffemodel` in the definition's folder. A batch of images is drawn as one
        unless `request.inputs` gives shapes or the layers need the batch.

        Raises:
            ModeldocsError: the definition cannot be read, with line, column, reason and fix.
        """
        from modeldocs.loaders.caffe import source

        return source.assembled(source.read(request), request).model(request.name)

    def prove(self, request: LoadRequest, design: Design) -> Proven:
        """What OpenCV makes of the definition with designed weights, and the graph with the same.

        Phase TRAIN is proven as inference: OpenCV does not train.

        Raises:
            ModeldocsError: the definition cannot be read, or OpenCV cannot run it.
        """
        from modeldocs.loaders.caffe import source
        from modeldocs.loaders.caffe.proof import refer

        found = source.read(request)
        state = replace(found.network.state, phase="TEST")
        found = replace(found, network=replace(found.network, state=state))
        return refer(source.assembled(found, request), request.name, design)
