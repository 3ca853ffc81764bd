"""PyTorch ports: `torch.export` of the module, then torch's own ONNX exporter, unoptimised.

What the exporter would lose is kept: dropout and adaptive pooling stay operators of their own,
`padding="same"` stays a strategy, and each node tells the module it came from, that module's
settings, and the line that made it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.pytorch import archives

if TYPE_CHECKING:
    import onnx_ir as ir

    from modeldocs.loaders.reference import Design, Proven

__all__ = ["PyTorchLoader"]


class PyTorchLoader:
    """Loader of Python files and importable callables that make a module, and of archives.

    Archives are what `torch.export.save` and `torch.jit.save` write. A pickle is never unpickled.
    """

    framework = "pytorch"
    title = "PyTorch"
    distribution: str | None = "torch"
    extra: str | None = "pytorch"
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
        if path.suffix == ".py":
            return path.stem in ("pytorch", "torch") or callables.imports(path, "torch")
        return archives.recognises(path)

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """None: this interpreter has what it takes."""
        return None

    def load(self, request: LoadRequest) -> ir.Model:
        """Build the module, export it, and return it as ONNX, its parameters marked as such.

        Raises:
            ModeldocsError: the port raises, returns no module, or cannot be exported.
        """
        from modeldocs.loaders.pytorch import conversion

        return conversion.convert(request, conversion.traced(request)).model

    def prove(self, request: LoadRequest, design: Design) -> Proven:
        """The same with designed values, and what torch computes with them.

        Raises:
            ModeldocsError: as `load`, or the module raises when it is run.
        """
        from modeldocs.loaders.pytorch import proving

        return proving.prove(request, design)
