"""The families of every model's ports, and the tree of their least differences, to be judged."""

from __future__ import annotations

import sys
from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.tree import Tree

from evaluation.diff.subjects import REPOSITORY
from modeldocs import catalog, verdict
from modeldocs.site.model.compared_ports import ComparedPorts, compare_ports
from modeldocs.tasks import build
from modeldocs.tasks.store import Store
from modeldocs.verdict import Branch


def tree(compared: ComparedPorts) -> Tree:
    """The tree of a model's families; each is told by what sets it apart from the one above."""
    root = Tree("", hide_root=True)
    for branch in compared.tree:
        _grow(root, branch, compared.reference)
    return root


def _grow(parent: Tree, branch: Branch, reference: str) -> None:
    ports = ", ".join(
        f"[b]{name}[/b]" if name == reference else name for name in branch.family.ports
    )
    edge = ""
    if branch.pair is not None:
        edge = (
            f"{branch.pair.step.sign} {'; '.join(branch.differences) or branch.pair.step.word} → "
        )
    notes = "" if branch.family.proven else " (by structure)"
    notes += " (contradictions)" if branch.family.contradictions else ""
    node = parent.add(f"{edge}{{{ports}}}{notes}")
    for child in branch.below:
        _grow(node, child, reference)


def main() -> None:
    """Print the families of the models named on the command line, or of all."""
    held = catalog.read(REPOSITORY / "models")
    results = build.build(held, Store(REPOSITORY / ".modeldocs"))
    console = Console(width=None if Console().is_terminal else 160, highlight=False)
    table = Table("model", "ports", "families", "against the reference")
    steps: Counter[str] = Counter()
    for model in held.models:
        if sys.argv[1:] and model.id not in sys.argv[1:]:
            continue
        compared = compare_ports(model, results)
        console.print(f"\n[b]{model.id}[/b]")
        console.print(tree(compared))
        steps.update(pair.step.id for pair in compared.pairs)
        apart = "; ".join(
            f"{one.step.sign} {', '.join(one.ports)}: {'; '.join(one.differences)}"
            for one in compared.families[1:]
        )
        table.add_row(model.id, str(len(model.ports)), str(len(compared.families)), apart)
    console.print(table)
    counts = [(one, steps[one.id]) for one in verdict.STEPS if steps[one.id]]
    console.print(", ".join(f"{count} {one.sign} {one.word}" for one, count in counts))


if __name__ == "__main__":
    main()
