"""Loader of Chainer: links that Python builds, traced by one forward pass on a sample input.

Chainer defines a network by running it: its graph is the functions that a forward pass applies.
Each is recorded in test mode, with the link, the call and the source line it came from.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.loaders import Loader, LoadRequest
from modeldocs.loaders.chainer import source

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    import onnx_ir as ir

    from modeldocs.loaders.checkpoint_layout import CheckpointLayout
    from modeldocs.loaders.reference import Arrays, Designs, Proven

__all__ = ["ChainerLoader"]


class ChainerLoader(Loader):
    """Loads `.py` files and importable callables that build a `chainer.Link`."""

    framework = "chainer"
    title = "Chainer"
    preload = ("chainer", "modeldocs.loaders.chainer.assembly", "modeldocs.loaders.chainer.run")
    packages = ("chainer", "chainercv", "chainerrl")

    def recognises(self, path: Path) -> bool:
        """Whether a file is Python, and named after the framework or importing it."""
        return source.recognises(path)

    def environment(self, request: LoadRequest, *, proving: bool) -> str | None:  # noqa: ARG002
        """Chainer's environment: it needs an old version of numpy."""
        return "chainer"

    def load(self, request: LoadRequest) -> ir.Model:
        """The functions that one forward pass of the link applies, as ONNX without weights.

        Raises:
            ModeldocsError: the port raises, builds no link, or its output depends on no input.
        """
        from modeldocs.loaders.chainer import assembly, run

        return assembly.assemble(run.run(request))

    def prove(self, request: LoadRequest, designs: Designs) -> Iterator[Proven]:
        """The graph with designed values, and what Chainer computes with the same values.

        Raises:
            ModeldocsError: as `load`.
        """
        from modeldocs.loaders.chainer import proof

        return proof.prove(request, designs)

    def checkpoint(self, request: LoadRequest, mapped: Set[str]) -> tuple[CheckpointLayout, Arrays]:
        """Parameters and persistent values, with values of those that are not `mapped`.

        Raises:
            ModeldocsError: as `load`.
        """
        from modeldocs.loaders.chainer import checkpoint

        return checkpoint.layout(request, mapped)
