"""One comparison from its plan to its report, as `modeldocs diff A B --html` makes it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from modeldocs import loaders, sources, verdict
from modeldocs.diff import compare, encode
from modeldocs.errors import ModeldocsError
from modeldocs.ir import LayerGraph, decode
from modeldocs.isolation import Limits
from modeldocs.loaders import loading
from modeldocs.numeric import parity
from modeldocs.site.pair import comparison, report
from modeldocs.site.serving import archive, consent
from modeldocs.site.serving.plan import (
    DIFF,
    REPORT,
    STAGE,
    ComparisonOutcome,
    OwnFile,
    Plan,
    StoredPort,
)
from modeldocs.site.templating import Templates


class LoadedSide(NamedTuple):
    """A side's graph, its ONNX in normal form, and the limits of running it."""

    graph: LayerGraph
    normal: bytes
    limits: Limits


class PlanRun:
    """A run of a plan in a folder, with its stage in a file there; `printed` by A and by B."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed = ("", "")

    def compare(self, plan: Plan) -> ComparisonOutcome:
        """Load both sides, compare them, and write the report and the diff.

        Raises:
            ModeldocsError: a side cannot be loaded, with place, reason and fix.
        """
        a, b = self._load("a", plan.a), self._load("b", plan.b)
        self._stage("comparing layers")
        diff = compare(a.graph, b.graph)
        if plan.parity:
            self._stage("running both with the same weights")
            limits = a.limits.wider(b.limits)
            numbers = parity.compare(a.normal, b.normal, diff, limits)
            diff = comparison.with_parity(diff, numbers)
        self._stage("drawing the report")
        graphs = a.graph, b.graph
        text = report.html(diff, graphs, (plan.a.name, plan.b.name), Templates())
        (self.folder / REPORT).write_text(text, "utf-8")
        (self.folder / DIFF).write_bytes(msgspec.json.format(encode(diff), indent=1))
        step = verdict.step(diff, graphs)
        return ComparisonOutcome(
            step=step.id,
            word=f"{step.sign} {step.word}",
            printed=self.printed,
        )

    def _stage(self, text: str) -> None:
        (self.folder / STAGE).write_text(text, "utf-8")

    def _load(self, side: str, source: StoredPort | OwnFile) -> LoadedSide:
        self._stage(f"loading {side.upper()}, {source.name}")
        if isinstance(source, StoredPort):
            return LoadedSide(decode(source.graph), source.normal, source.limits)
        return self._load_file(side, source)

    def _load_file(self, side: str, source: OwnFile) -> LoadedSide:
        """A file loaded in its own process, with no other file beside it that it could read."""
        path = Path(source.path)
        if path.suffix.lower() == consent.ARCHIVE:
            path = archive.unpack(path, path.parent)
        with sources.resolve(
            f"{path}:{source.callable}" if source.callable else str(path),
            self.folder / "no catalog",
            framework=source.framework or None,
            args=sources.parse_args(source.args),
            inputs=sources.parse_inputs(source.inputs),
        ) as port:
            consent.check(Path(source.path).name, port.framework, trusted=source.trusted)
            # A Python file's relative imports would else make folders above it readable.
            request = msgspec.structs.replace(port.request, root=str(path.parent))
            self._stage(f"loading {side.upper()}, {source.name} ({loaders.title(port.framework)})")
            loaded = loading.load(port.framework, request, port.limits)
        self.printed = _with(self.printed, side, loaded.printed)
        if loaded.failure is not None:
            raise loaded.failure.error()
        if loaded.graph is None:
            raise ModeldocsError("left no graph", file=source.name)
        return LoadedSide(loaded.graph, loaded.normal, port.limits)


def _with(printed: tuple[str, str], side: str, text: str) -> tuple[str, str]:
    return (text, printed[1]) if side == "a" else (printed[0], text)
