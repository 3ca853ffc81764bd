"""TensorFlow: SavedModels of both generations, graphs in binary or text, and Python functions.

Data formats are parsed, never executed, and values of variables are not needed. Functions are
inlined and what only training needs is removed, so that the graph is the one that serving runs.
"""

from __future__ import annotations

import importlib
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import Loader, LoadRequest
from modeldocs.loaders.tensorflow import source

if TYPE_CHECKING:
    from collections.abc import Iterator

    import onnx_ir as ir

    from modeldocs.loaders.reference import Designs, Proven

__all__ = ["TensorFlowLoader"]


class TensorFlowLoader(Loader):
    """Loader of TensorFlow's saved models and graphs, and of functions that it can trace."""

    framework = "tensorflow"
    title = "TensorFlow"
    preload = (
        "modeldocs.loaders.tensorflow:import_quietly",
        "modeldocs.loaders.tensorflow.assembly",
    )
    packages = ("tensorflow", "tensorflow_hub", "tensorflow_models", "official")

    def recognises(self, path: Path) -> bool:
        """Whether a path is a SavedModel folder, a graph, a MetaGraph, or a Python file."""
        try:
            return source.recognises(path)
        except OSError:
            return False

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """TensorFlow's own, for its protocol buffers and its shape inference."""
        return "tensorflow"

    def load(self, request: LoadRequest) -> ir.Model:
        """The graph that serving runs, as ONNX; parameters have values where the source does.

        `request.entry` or `request.args["signature"]` names a signature, `args["tags"]` a
        MetaGraph, `args["outputs"]` nodes to take as outputs in place of the source's own.

        Raises:
            ModeldocsError: the source cannot be read, or the rank of an input is not known.
        """
        _be_quiet()
        from modeldocs.loaders.tensorflow import assembly

        return assembly.assemble(source.read(request), request).model

    def prove(self, request: LoadRequest, designs: Designs) -> Iterator[Proven]:
        """The graph with designed values, and what TensorFlow computes with them.

        Raises:
            ModeldocsError: as `load`, or TensorFlow cannot run it.
        """
        _be_quiet()
        from modeldocs.loaders.tensorflow import proof

        return proof.prove(request, designs)


def _be_quiet() -> None:
    """Keep TensorFlow's messages at import out of the port's output."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # its notice cannot be silenced otherwise
    logging.getLogger("tensorflow").setLevel(logging.ERROR)


def import_quietly() -> None:
    """Import TensorFlow, without its messages."""
    _be_quiet()
    importlib.import_module("tensorflow")
