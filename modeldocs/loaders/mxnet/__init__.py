"""Loader of MXNet: symbol JSON, and Python that builds a symbol or a Gluon block.

JSON of every dialect is parsed without MXNet. Python runs in MXNet's own environment; the symbol
that it builds is serialised to JSON there and takes the same path.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import Loader, LoadRequest
from modeldocs.loaders.mxnet import source

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    import onnx_ir as ir

    from modeldocs.loaders.checkpoint_layout import CheckpointLayout
    from modeldocs.loaders.reference import Arrays, Designs, Proven

_MXNET_SETTINGS = {"MXNET_SUBGRAPH_BACKEND": "NONE", "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}
"""Environment variables of a proof: MXNet must run each operator by itself, none fused."""


class MXNetLoader(Loader):
    """Loads symbol JSON, `get_symbol` of a Python file, and Gluon blocks."""

    framework = "mxnet"
    title = "MXNet"
    preload = ("modeldocs.loaders.mxnet:import_quietly", "modeldocs.loaders.mxnet.assembly")
    packages = ("mxnet", "gluoncv", "gluonnlp", "autogluon")

    def recognises(self, path: Path) -> bool:
        """Whether a file is a symbol, by name or keys, or a Python file that imports mxnet."""
        return source.recognises(path)

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:
        """MXNet's environment for Python and for proofs; JSON is read by this interpreter."""
        return "mxnet" if proving or not source.is_json(request) else None

    def load(self, request: LoadRequest) -> ir.Model:
        """The symbol as an ONNX graph without weights.

        `request.args` are the arguments of a Python port's callable.

        Raises:
            ModeldocsError: it cannot be read, run or converted, with the node, reason and fix.
        """
        from modeldocs.loaders.mxnet.assembly import assemble

        if source.is_json(request):
            return assemble(source.read(request), request).model
        port = source.build(request)
        return assemble(port.read(), port.with_own_inputs(request)).model

    def prove(self, request: LoadRequest, designs: Designs) -> Iterator[Proven]:
        """The graph with designed parameters, and what MXNet computes with the same values.

        Raises:
            ModeldocsError: as `load`, or MXNet cannot run it.
        """
        import_quietly()
        from modeldocs.loaders.mxnet import proof

        is_json = source.is_json(request)
        port = source.load_json(request) if is_json else source.build(request)
        return proof.prove(port, request, designs)

    def checkpoint(self, request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]:
        """Arguments and states, with values of those that are not `mapped`.

        Raises:
            ModeldocsError: as `load`.
        """
        from modeldocs.loaders.mxnet import checkpoint

        return checkpoint.layout(request, mapped)


def import_quietly() -> None:
    """Import MXNet with the settings of a proof."""
    os.environ.update(_MXNET_SETTINGS)
    importlib.import_module("mxnet")
