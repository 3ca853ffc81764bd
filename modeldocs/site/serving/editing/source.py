"""A port of the catalog that is edited: what the store holds of it, and where its model lies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from modeldocs.generators.docstring import ProgramFacts
from modeldocs.site.build import Built
from modeldocs.site.serving import catalog_ports
from modeldocs.site.serving.plan import StoredPort
from modeldocs.tasks import programs


class EditSource(NamedTuple):
    """A port that loaded; `facts` are what its programs say of it.

    `folder` is that of its model, below `root`, and `shown` what readers are told of it; `taken`
    are the names of the model's ports.
    """

    port: StoredPort
    facts: ProgramFacts
    root: Path
    folder: Path
    shown: str
    taken: tuple[str, ...]


FindSource = Callable[[str], EditSource]
"""The port of a name; raises ModeldocsError where there is none or it did not load."""


def find(built: Built, name: str) -> EditSource:
    """The port that `model/port` names.

    Raises:
        ModeldocsError: there is none, or it could not be loaded, with the reason.
    """
    stored = catalog_ports.find(built, name)
    model, port = built.catalog.port(name)
    root = Path(built.catalog.root)
    return EditSource(
        port=stored,
        facts=programs.facts(name, port, ()),
        root=root,
        folder=Path(model.folder),
        shown=f"{root.name}/{Path(model.folder).name}",
        taken=tuple(one.name for one in model.ports),
    )
