"""Torch7: `.lua` definitions, run in a Lua of their own with stand-ins that record.

Torch7 cannot be had any more. A definition is run with what records its modules in place of `nn`
and its kin; what they compute is known here. It comes as a function `createModel(nGPU)` or
`createModel(opt)`, as `return function(params) … return {model = …}`, or returns the network.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest

if TYPE_CHECKING:
    import onnx_ir as ir

__all__ = ["Torch7Loader"]

LOOK_AT = 2**20
_NETWORK = re.compile(rb"\b(c?u?d?nn|backend)\s*\.\s*[A-Z]\w+|\bcreateModel\b")


class Torch7Loader:
    """Loader of Torch7 definitions in Lua."""

    framework = "torch7"
    title = "Torch7"
    distribution: str | None = "lupa"
    extra: str | None = "torch7"

    def recognises(self, path: Path) -> bool:
        """Whether it is a Lua file that makes modules."""
        if path.suffix.lower() != ".lua" or not path.is_file():
            return False
        with path.open("rb") as file:
            return _NETWORK.search(file.read(LOOK_AT)) is not None

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """None: Lua runs in this interpreter."""
        return None

    def load(self, request: LoadRequest) -> ir.Model:
        """Run the definition, and return the network that it makes as ONNX without weights.

        `request.args` are its options and the globals that it takes from a training script;
        `entry` names a global function where `createModel` is not the one.

        Raises:
            ModeldocsError: it does not run, or its modules do not fit together, with the line.
        """
        from modeldocs.loaders.torch7 import inputs, sandbox
        from modeldocs.loaders.torch7.assembly import assemble

        ran = sandbox.run(request)
        try:
            return assemble(request, ran.recording, inputs.choose(request, ran), ran.given.told())
        except ModeldocsError as error:
            raise ran.given.explained(error, ran.line(error.line)) from None
