"""PyTorch ports: `torch.export` of the module, then torch's own ONNX exporter, unoptimised.

What the exporter would lose is kept: dropout and adaptive pooling stay operators of their own,
`padding="same"` stays a strategy, and each node tells the module it came from, that module's
settings, and the line that made it.
"""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir

from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.pytorch import describing, exporting
from modeldocs.loaders.pytorch.building import build_module, sample_inputs

__all__ = ["PyTorchLoader", "build_module", "sample_inputs"]


class PyTorchLoader:
    """Loader of `.py` files and importable callables that make a `torch.nn.Module`."""

    framework = "pytorch"
    title = "PyTorch"
    distribution: str | None = "torch"
    extra: str | None = "pytorch"

    def recognises(self, path: Path) -> bool:
        """Whether it is a Python file named after the framework, or one that imports torch."""
        if path.suffix != ".py":
            return False
        return path.stem in ("pytorch", "torch") or callables.imports(path, "torch")

    def load(self, request: LoadRequest) -> ir.Model:
        """Build the module, export it, and return it as ONNX, its parameters marked as such.

        Raises:
            ModeldocsError: the port raises, returns no module, or cannot be exported.
        """
        module, inputs = build_module(request)
        exported = exporting.export(request, module, inputs)
        model = exporting.to_onnx(request, exported)
        describing.name_graph(model, request)
        describing.describe(model, request, module)
        describing.mark_parameters(model, module)
        return model
