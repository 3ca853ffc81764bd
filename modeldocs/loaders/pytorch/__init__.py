"""Loader of PyTorch: `torch.export` of the module, then torch's own ONNX exporter, unoptimised.

What the exporter would lose is kept: dropout and adaptive pooling stay operators of their own,
`padding="same"` stays a strategy, and each node records the module it came from, that module's
settings, and the line that constructed it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import Loader, LoadRequest
from modeldocs.loaders.pytorch import source

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    import onnx_ir as ir

    from modeldocs.loaders.checkpoint_layout import CheckpointLayout
    from modeldocs.loaders.reference import Arrays, Designs, Proven

__all__ = ["PyTorchLoader"]


class PyTorchLoader(Loader):
    """Loader of Python files and importable callables that build a module, and of archives.

    Archives are those of `torch.export.save` and `torch.jit.save`. A pickle is never unpickled.
    """

    framework = "pytorch"
    title = "PyTorch"
    preload = (
        *("torch", "torch.export._trace", "torch.onnx._internal.exporter._compat", "networkx"),
        *("onnxscript.function_libs.torch_lib.ops", "modeldocs.loaders.pytorch.assembly"),
        *("modeldocs.loaders.pytorch.program", "modeldocs.loaders.pytorch.torchlib:collect"),
    )
    distribution = "torch"
    install = (
        "pip install torch; for a build without CUDA (200 MB in place of several GB), choose "
        "CPU at https://pytorch.org/get-started/locally/"
    )
    packages = (
        "torch",
        "torchvision",
        "torchaudio",
        "timm",
        "transformers",
        "diffusers",
        "lightning",
        "pytorch_lightning",
        "segmentation_models_pytorch",
        "efficientnet_pytorch",
        "monai",
        "fastai",
    )

    def recognises(self, path: Path) -> bool:
        """Whether it is a Python file named after the framework or importing it, or an archive."""
        return source.recognises(path)

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """None: this interpreter has what it takes."""
        return None

    def load(self, request: LoadRequest) -> ir.Model:
        """Build the module, trace it, and return it as ONNX, its parameters marked as such.

        Raises:
            ModeldocsError: the port raises, returns no module, or cannot be exported.
        """
        from modeldocs.loaders.pytorch import assembly, program

        return assembly.assemble(request, program.trace(request)).model

    def prove(self, request: LoadRequest, designs: Designs) -> Iterator[Proven]:
        """The same graph, and what torch computes with designed weights.

        Raises:
            ModeldocsError: as `load`, or the module raises when it is run.
        """
        from modeldocs.loaders.pytorch import proof

        return proof.prove(request, designs)

    def checkpoint(self, request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]:
        """The state dict, with values of what is not `mapped`.

        Raises:
            ModeldocsError: the module cannot be built.
        """
        from modeldocs.loaders.pytorch import checkpoint

        return checkpoint.layout(request, mapped)
