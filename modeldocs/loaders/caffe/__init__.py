"""Caffe: `deploy.prototxt`, `train_val.prototxt` and `.caffemodel`, of BVLC Caffe and its forks.

A definition is parsed, never executed. Weights are not needed, but used if they are beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import Loader, LoadRequest
from modeldocs.loaders.caffe import source

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    import onnx_ir as ir

    from modeldocs.loaders.checkpoint_layout import CheckpointLayout
    from modeldocs.loaders.reference import Arrays, Designs, Proven

__all__ = ["CaffeLoader"]


class CaffeLoader(Loader):
    """Loads Caffe network definitions, in text and in binary format."""

    framework = "caffe"
    title = "Caffe"
    preload = (
        "modeldocs.loaders.caffe.assembly",
        "modeldocs.loaders.caffe.format.binary",
        "modeldocs.loaders.caffe.format.schema:messages",
    )
    weights = (source.WEIGHTS,)

    def recognises(self, path: Path) -> bool:
        """Whether a file is a network definition, in text or in binary format."""
        return source.recognises(path)

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """OpenCV's, which runs a definition to prove its graph; reading one takes none."""
        return "opencv" if proving else None

    def load(self, request: LoadRequest) -> ir.Model:
        """The definition as an ONNX graph, with the weights that lie beside it.

        `request.args` may hold `phase` (TEST where not given), `stage` and `level`, and `weights`,
        the name of a `.caffemodel` in the definition's folder. A batch of images is drawn as one
        unless `request.inputs` gives shapes or the layers need the batch.

        Raises:
            ModeldocsError: the definition cannot be read, with line, column, reason and fix.
        """
        from modeldocs.loaders.caffe.assembly import assemble

        return assemble(source.read(request), request).model(request.name)

    def prove(self, request: LoadRequest, designs: Designs) -> Iterator[Proven]:
        """The graph, and what OpenCV computes for the definition with the same designed weights.

        Phase TRAIN is proven as inference: OpenCV does not train.

        Raises:
            ModeldocsError: the definition cannot be read, or OpenCV cannot run it.
        """
        from modeldocs.loaders.caffe.assembly import assemble
        from modeldocs.loaders.caffe.proof import prove

        network = source.read(request).in_phase("TEST")
        return prove(assemble(network, request), request.name, designs)

    def checkpoint(
        self,
        request: LoadRequest,
        mapped: Set[str],  # noqa: ARG002
    ) -> tuple[CheckpointLayout, Arrays]:
        """The blobs of the layers, without values.

        Raises:
            ModeldocsError: the definition cannot be read.
        """
        from modeldocs.loaders.caffe import checkpoint

        return checkpoint.layout(request), {}
