"""Subjects loaded for one call of the interface, in the store that a command would use."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from modeldocs import ir, lazy_import
from modeldocs.interface.subject import SourceSettings, Subject, opened
from modeldocs.ir import LayerGraph
from modeldocs.site import configured_store
from modeldocs.site.progress import shown_progress
from modeldocs.tasks.load import Load
from modeldocs.tasks.ports import Ports

lazy_import.defer_symbolic()


class Session(NamedTuple):
    """The ports of a store, and the subjects that were loaded into it, in order."""

    ports: Ports
    subjects: Sequence[Subject]
    loads: Sequence[Load]

    def graphs(self) -> list[LayerGraph]:
        """The graphs of the subjects."""
        return [ir.decode(self.ports.place.read(str(one.graph))) for one in self.loads]


@contextlib.contextmanager
def loaded(subjects: Sequence[object], settings: SourceSettings) -> Iterator[Session]:
    """Load sources and live objects; the store is in use until the block ends.

    Raises:
        ModeldocsError: one of them could not be loaded.
    """
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(configured_store.opened_store(None, settings.path))
        ports = Ports(store, stack.enter_context(shown_progress()))
        found = [stack.enter_context(opened(one, settings)) for one in subjects]
        by_number = {str(number): one.port for number, one in enumerate(found)}
        loads = ports.load(by_number)
        for one in loads.values():
            if one.failure is not None:
                raise one.failure.error()
        yield Session(ports, found, [loads[number] for number in by_number])
