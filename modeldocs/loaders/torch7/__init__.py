"""Torch7: `.lua` definitions, run in a sandboxed Lua with stand-ins for `nn` and its relatives.

Torch7 itself can no longer be installed. The stand-ins record which modules a definition builds;
what the modules compute is known here. A definition is a function `createModel(nGPU)` or
`createModel(opt)`, a `return function(params) … return {model = …}`, or it returns the network.

For the same reason this loader has no `proof.py`: no framework is left to compare its graphs with.
It has no `weights.py` either, since files of weights (`.t7`) are not read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import Loader, LoadRequest
from modeldocs.loaders.torch7 import source

if TYPE_CHECKING:
    import onnx_ir as ir

__all__ = ["Torch7Loader"]


class Torch7Loader(Loader):
    """Loader of Torch7 definitions in Lua."""

    framework = "torch7"
    title = "Torch7"
    preload = (
        "lupa.lua52",
        "modeldocs.loaders.torch7.assembly",
        "modeldocs.loaders.torch7.sandbox",
    )
    distribution = "lupa"

    def recognises(self, path: Path) -> bool:
        """Whether it is a Lua file that uses modules of `nn` and its relatives."""
        return source.recognises(path)

    def load(self, request: LoadRequest) -> ir.Model:
        """Run the definition, and return the network that it builds as ONNX without weights.

        `request.args` are its options and the globals that it takes from a training script;
        `entry` names a global function to call in place of `createModel`.

        Raises:
            ModeldocsError: it fails, or its modules do not fit together, with the line.
        """
        from modeldocs.loaders.torch7 import inputs, sandbox
        from modeldocs.loaders.torch7.assembly import assemble

        run = sandbox.run(request)
        try:
            shapes = inputs.choose(request, run)
            return assemble(request, run.program, shapes, run.lookups.sentences())
        except ModeldocsError as error:
            raise run.lookups.explain(error, run.line(error.line)) from None
