"""What a model's ports have to do with each other: pairs, families, and their tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from modeldocs import verdict
from modeldocs.catalog import Model
from modeldocs.site.pair import page as diff_page
from modeldocs.tasks.results import Results
from modeldocs.verdict import Branch, ComparedPair, Family, VerdictLevel
from modeldocs.verdict.unresolved_pairs import doubts


@dataclass(frozen=True)
class ComparedPorts:
    """The ports of a model that loaded, compared with each other.

    `declared` is the reference port of `model.yml`, empty where that names none. `reference` is
    the port that the others are compared with: the declared one where that loaded, else the first
    one that did, the same whose figures stand for the model; empty where none loaded.
    """

    declared: str
    reference: str
    pairs: tuple[ComparedPair, ...]
    families: tuple[Family, ...]
    tree: tuple[Branch, ...]
    doubts: tuple[tuple[str, str], ...] = ()
    """Ports of two families that may be one: see `verdict.unresolved_pairs`."""

    def ordered(self, ports: Iterable[str]) -> list[str]:
        """Ports by family, the reference first; those that did not load come last."""
        order = [name for family in self.families for name in family.ports]
        return sorted(ports, key=lambda name: order.index(name) if name in order else len(order))

    def pair(self, a: str, b: str) -> ComparedPair | None:
        """The pair of two ports, whichever of them is A; None where it is one port."""
        return next((pair for pair in self.pairs if pair.names == {a, b}), None)

    def steps(self, port: str) -> dict[str, VerdictLevel]:
        """The verdict on a port and each other that it was compared with, by the other's name."""
        return {
            other: pair.step
            for pair in self.pairs
            if port in pair.names
            for other in pair.names - {port}
        }


def compare_ports(model: Model, results: Results) -> ComparedPorts:
    """The ports of a model that loaded, compared with each other."""
    loaded = [port for port in model.ports if results.graph(model, port) is not None]
    reference = next((port.name for port in model.reference_first() if port in loaded), "")
    found = tuple(_pairs(model, results))
    grouped = verdict.families([port.name for port in loaded], found, reference)
    return ComparedPorts(
        declared=model.manifest.reference or "",
        reference=reference,
        pairs=found,
        families=grouped,
        tree=verdict.tree(grouped, found),
        doubts=tuple(doubts(grouped, found)),
    )


def _pairs(model: Model, results: Results) -> Iterator[ComparedPair]:
    for a, b in results.pairs(model):
        first, second = results.graph(model, a), results.graph(model, b)
        if first is not None and second is not None:
            diff = diff_page.compared(model, a, b, results)
            yield verdict.compared(a.name, b.name, diff, (first, second))
