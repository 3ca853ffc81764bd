"""TensorFlow: SavedModels of either generation, graphs as binary or text, and Python functions.

Data formats are parsed, never executed; variables need not be there. Functions are inlined, and
what only training needs is left out, so that the graph is what serving would run.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import LoadRequest
from modeldocs.loaders.tensorflow import recognition

if TYPE_CHECKING:
    import onnx_ir as ir

    from modeldocs.loaders.reference import Design, Proven

__all__ = ["TensorFlowLoader"]


class TensorFlowLoader:
    """Loads what TensorFlow saved, and functions that it can trace."""

    framework = "tensorflow"
    title = "TensorFlow"
    distribution: str | None = None
    extra: str | None = None
    packages = ("tensorflow", "tensorflow_hub", "tensorflow_models", "official")

    def recognises(self, path: Path) -> bool:
        """Whether it is a SavedModel folder, a graph, a MetaGraph, or a function's file."""
        try:
            return recognition.recognises(path)
        except OSError:
            return False

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """TensorFlow's own: its protocol buffers and its shape inference are needed."""
        return "tensorflow"

    def load(self, request: LoadRequest) -> ir.Model:
        """The graph that serving runs, as ONNX; parameters have values where the source does.

        `request.entry` or `request.args["signature"]` names a signature, `args["tags"]` the
        MetaGraph, `args["outputs"]` nodes to stop at in place of the source's own outputs.

        Raises:
            ModeldocsError: the source cannot be read, or no shape can be found for an input.
        """
        _be_quiet()
        from modeldocs.loaders.tensorflow import assembly, sources

        program = sources.read(request)
        return assembly.assemble(program, request).model

    def prove(self, request: LoadRequest, design: Design) -> Proven:
        """The graph with designed values, and what TensorFlow computes with the same.

        Raises:
            ModeldocsError: as `load`, or TensorFlow cannot run it.
        """
        _be_quiet()
        from modeldocs.loaders.tensorflow import proving

        return proving.prove(request, design)


def _be_quiet() -> None:
    """What TensorFlow says at its import is none of the port's own words."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # its notice cannot be silenced otherwise
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
