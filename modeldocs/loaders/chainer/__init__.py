"""Chainer: links of a `.py` file or a package, run once on a sample and read off what they did.

Chainer defines by running: there is no graph but the functions that a forward pass applied. Each
is recorded with the link, the call and the line it came from, in test mode.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import LoadRequest, python_file

if TYPE_CHECKING:
    import onnx_ir as ir

    from modeldocs.loaders.reference import Design, Proven

__all__ = ["ChainerLoader"]


class ChainerLoader:
    """Loader of `.py` files and importable callables that make a `chainer.Link`."""

    framework = "chainer"
    title = "Chainer"
    distribution: str | None = None
    extra: str | None = None
    packages = ("chainer", "chainercv", "chainerrl")

    def recognises(self, path: Path) -> bool:
        """Whether it is a Python file named after the framework, or one that imports it."""
        if path.suffix != ".py":
            return False
        return path.stem == "chainer" or python_file.mentions_import(path, "chainer")

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """Its own, always: Chainer needs a numpy that nothing else wants."""
        return "chainer"

    def load(self, request: LoadRequest) -> ir.Model:
        """Build the link, run it once, and return what it applied as ONNX without weights.

        Raises:
            ModeldocsError: the port raises, makes no link, or its output comes from elsewhere.
        """
        from modeldocs.loaders.chainer import assembly, running

        return assembly.assemble(running.run(request))

    def prove(self, request: LoadRequest, design: Design) -> Proven:
        """The same with designed values, and what Chainer computes with them.

        Raises:
            ModeldocsError: as `load` does.
        """
        from modeldocs.loaders.chainer import proving

        return proving.prove(request, design)
