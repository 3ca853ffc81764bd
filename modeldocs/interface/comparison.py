"""`modeldocs.diff`: two networks compared, by their layers and by their numbers."""

from __future__ import annotations

from pathlib import Path

from modeldocs import verdict
from modeldocs.diff import Diff
from modeldocs.interface import notebook, session
from modeldocs.interface.subject import MODELS, SourceSettings
from modeldocs.ir import LayerGraph
from modeldocs.isolation import Limits
from modeldocs.site.pair import comparison, report, words
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct
from modeldocs.tasks.load import Load
from modeldocs.tasks.ports import Ports
from modeldocs.verdict import VerdictLevel

_HEIGHT = 720
"""Height of its report in a notebook, in CSS pixels."""


class Comparison(Struct, frozen=True):
    """Two networks that were compared; as text it is what `modeldocs diff` prints.

    `diff` has the layers that correspond, the changes, and the parity where both were run
    (`modeldocs.diff.Diff`); `names` and `graphs` are those of A and of B.
    """

    diff: Diff
    graphs: tuple[LayerGraph, LayerGraph]
    names: tuple[str, str]

    @property
    def verdict(self) -> VerdictLevel:
        """How much they differ: a step with an `id`, such as `same`, and its `meaning`."""
        return verdict.step(self.diff, self.graphs)

    def __str__(self) -> str:
        return words.text(self.diff, self.graphs, self.names)

    def __repr__(self) -> str:
        a, b = self.names
        return f"<Comparison of {a} and {b}: {self.verdict.word}>"

    def html(self) -> str:
        """Verdict, changes, layers side by side, diagrams and numbers as one HTML file."""
        return report.html(self.diff, self.graphs, self.names, Templates())

    def _repr_html_(self) -> str:
        a, b = self.names
        return notebook.frame(f"{a} vs {b}", self.html(), _HEIGHT)


def diff(
    a: object,
    b: object,
    *,
    inputs: object = None,
    framework: str | None = None,
    parity: bool = True,
    models: str | Path = MODELS,
) -> Comparison:
    """Compare two networks, layer by layer.

    Both run with the same weights, which are made for that and carried from one to the other: the
    objects' own weights are not compared.

    Args:
        a: a source or a live object, see `modeldocs.load`.
        b: the other, of any framework.
        inputs: those of both, see `modeldocs.load`; `modeldocs.live` gives an object its own.
        framework: that of sources that are not recognised.
        parity: whether to run both and compare their numbers; otherwise they are compared by
            structure alone, in a fraction of the time.
        models: the folder of the catalog.

    Raises:
        ModeldocsError: one of them cannot be loaded, with file, line, reason and fix. That they
            cannot be run is no error: the verdict says so.
    """
    settings = SourceSettings(inputs=inputs, framework=framework, models=models)
    with session.loaded([a, b], settings) as both:
        first, second = both.subjects
        limits = first.port.limits.wider(second.port.limits) if parity else None
        found = compared(both.ports, (first.name, second.name), tuple(both.loads), limits)
        one, two = both.graphs()
        return Comparison(diff=found, graphs=(one, two), names=(first.name, second.name))


def compared(
    ports: Ports, names: tuple[str, str], loads: tuple[Load, ...], limits: Limits | None
) -> Diff:
    """The diff of two ports that loaded; settled by running them within `limits`, if given."""
    a, b = loads
    name = " and ".join(names)
    found = ports.diff(name, a, b)
    if limits is None:
        return found.diff
    return comparison.with_parity(found.diff, ports.parity(name, a, b, found, limits))
