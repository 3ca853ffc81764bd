"""MXNet: symbols in JSON, read without MXNet, and Python that makes a symbol or a Gluon block.

JSON of every dialect is parsed, never executed. Python runs in MXNet's own environment; what it
makes is taken as JSON there, and goes the same way.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import LoadRequest, capped, python_file

if TYPE_CHECKING:
    import onnx_ir as ir

    from modeldocs.loaders.reference import Design, Proven

MAX_BYTES = 64 * 2**20
LOOK_AT = 2**16
ENVIRONMENT = "mxnet"


_PLAIN = {"MXNET_SUBGRAPH_BACKEND": "NONE", "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0"}
"""MXNet, told to run each operator by itself, not what it makes of several."""


class MXNetLoader:
    """Loads symbol JSON, `get_symbol` of a Python file, and Gluon blocks."""

    framework = "mxnet"
    title = "MXNet"
    distribution: str | None = None
    extra: str | None = None
    packages = ("mxnet", "gluoncv", "gluonnlp", "autogluon")

    def recognises(self, path: Path) -> bool:
        """Whether it is a symbol, by its name or its keys, or a Python file that imports mxnet."""
        try:
            if not path.is_file():
                return False
            if path.suffix == ".py":
                return path.stem.startswith("mxnet") or python_file.mentions_import(path, "mxnet")
            return path.suffix == ".json" and _is_symbol(path)
        except (OSError, ValueError):
            return False

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:
        """MXNet's own to run Python or to prove; reading JSON takes nothing."""
        return ENVIRONMENT if proving or not _is_json(request) else None

    def load(self, request: LoadRequest) -> ir.Model:
        """The symbol as an ONNX graph without weights.

        `request.args` go to the callable of a Python port.

        Raises:
            ModeldocsError: it cannot be read, run or drawn, with the node, reason and fix.
        """
        from modeldocs.loaders.mxnet.assembly import assemble
        from modeldocs.loaders.mxnet.reading import read_symbol

        if _is_json(request):
            path = Path(request.root, request.path or "")
            return assemble(read_symbol(_data(path), request.relative(path)), request).model
        from modeldocs.loaders.mxnet.building import build

        built = build(request)
        return assemble(built.read(), built.asked(request)).model

    def prove(self, request: LoadRequest, design: Design) -> Proven:
        """The graph with designed parameters, and what MXNet computes with the same.

        Raises:
            ModeldocsError: as `load`, or MXNet cannot run it.
        """
        os.environ.update(_PLAIN)
        from modeldocs.loaders.mxnet import proving
        from modeldocs.loaders.mxnet.building import build, load_json

        if _is_json(request):
            path = Path(request.root, request.path or "")
            built = load_json(_data(path), request.relative(path))
        else:
            built = build(request)
        return proving.prove(built, request, design)


def _is_json(request: LoadRequest) -> bool:
    return request.path is not None and Path(request.path).suffix == ".json"


def _is_symbol(path: Path) -> bool:
    if path.name.endswith("-symbol.json"):
        return True
    with path.open("rb") as file:
        start = file.read(LOOK_AT)
        if not start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or b'"nodes"' not in start:
            return False
        file.seek(max(0, path.stat().st_size - 16 * LOOK_AT))
        end = file.read(16 * LOOK_AT)
    return b'"arg_nodes"' in end and b'"heads"' in end


def _data(path: Path) -> bytes:
    fix = "give the symbol, not the weights"
    return capped.read(path, MAX_BYTES, file=path.name, what="a symbol", fix=fix)
