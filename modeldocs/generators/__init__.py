"""Generators: programs of a framework, from a network in normal form.

The layers of a network become operations by the target's table (`site`). They are nested as the
source nests its modules, or as the fold does (`scope`); what repeats becomes a class with arguments
for what differs (`blocks`, `sequences`, `factories`); and the target writes it down. A target whose
programs are no Python files makes them of the network in its own way.

A target is a class named in the entry-point group `modeldocs.generators`, of this package or any
other: see `target.Target` and `python_target.PythonTarget`.
"""

from __future__ import annotations

from modeldocs.generators.identifier import variable
from modeldocs.generators.network import Network
from modeldocs.generators.target import GROUP, ProgramDraft, Target, entry_point, target, targets

__all__ = [
    "GROUP",
    "Network",
    "ProgramDraft",
    "Target",
    "entry_point",
    "target",
    "targets",
    "variable",
]
