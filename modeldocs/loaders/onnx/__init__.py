"""Loader of ONNX files: parsed, checked for what could harm, and never run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import Loader, LoadRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    import onnx_ir as ir

    from modeldocs.loaders.checkpoint_layout import CheckpointLayout
    from modeldocs.loaders.reference import Arrays, Designs, Proven

__all__ = ["OnnxLoader"]


class OnnxLoader(Loader):
    """Loader of `.onnx` files of any opset, with or without their weights."""

    framework = "onnx"
    title = "ONNX"
    preload = ("modeldocs.loaders.onnx.assembly", "modeldocs.loaders.onnx.source")

    def recognises(self, path: Path) -> bool:
        """Whether it is named `.onnx`."""
        return path.suffix == ".onnx"

    def load(self, request: LoadRequest) -> ir.Model:
        """Parse the file; external data may be missing, but never lie outside its folder.

        Raises:
            ModeldocsError: it is truncated, cyclic, or asks for what a graph cannot be.
        """
        from modeldocs.loaders.onnx import assembly, source

        return assembly.assemble(source.read(request), request)

    def prove(self, request: LoadRequest, designs: Designs) -> Iterator[Proven]:
        """The file as it stands, run by ONNX's own reference evaluator with designed weights.

        Raises:
            ModeldocsError: it cannot be loaded, or the reference evaluator cannot run it.
        """
        from modeldocs.loaders.onnx import assembly, proof, source

        proto = source.read(request)
        return proof.prove(assembly.assemble(proto, request), proto, request, designs)

    def checkpoint(self, request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]:
        """The graph's initializers; those that are no parameters with their values.

        Raises:
            ModeldocsError: as `load`.
        """
        from modeldocs.loaders.onnx import assembly, checkpoint, source

        proto = source.read(request)
        return checkpoint.layout(assembly.assemble(proto, request), proto, mapped)
