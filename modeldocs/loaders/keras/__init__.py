"""Keras: `.py` files, importable callables, `.keras`, `.h5` and model JSON.

The layers of a model are read, not the graph that TensorFlow would compile: BatchNormalization,
epsilons, biases and padding strategies stay as the source has them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import Loader, LoadRequest
from modeldocs.loaders.keras import source

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    import onnx_ir as ir

    from modeldocs.loaders.checkpoint_layout import CheckpointLayout
    from modeldocs.loaders.reference import Arrays, Designs, Proven

__all__ = ["KerasLoader"]


class KerasLoader(Loader):
    """Loader of Keras models, in an environment of its own."""

    framework = "keras"
    title = "Keras"
    preload = ("modeldocs.loaders.keras.framework:imported", "modeldocs.loaders.keras.assembly")
    packages = ("keras", "keras_hub", "keras_nlp", "keras_cv", "keras_applications", "tf_keras")

    def recognises(self, path: Path) -> bool:
        """Whether it is a Python file that imports Keras, or a file that Keras saved."""
        return source.recognises(path)

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """The environment that has Keras and TensorFlow."""
        return "tensorflow"

    def load(self, request: LoadRequest) -> ir.Model:
        """The model's layers as ONNX, without weights.

        Raises:
            ModeldocsError: the source cannot be read or raises, or its model cannot be traced.
        """
        from modeldocs.loaders.keras import assembly

        return assembly.load(request)

    def prove(self, request: LoadRequest, designs: Designs) -> Iterator[Proven]:
        """The same with designed weights, and what Keras itself computes with them.

        Raises:
            ModeldocsError: as `load` does, or Keras cannot run it.
        """
        from modeldocs.loaders.keras import proof

        return proof.prove(request, designs)

    def checkpoint(self, request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]:
        """The variables, with values of those that are not `mapped`.

        Raises:
            ModeldocsError: the model cannot be built.
        """
        from modeldocs.loaders.keras import checkpoint

        return checkpoint.layout(request, mapped)
