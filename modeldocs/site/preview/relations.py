"""What a port that changed is to each other port of its model, before the change and after it."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from modeldocs.catalog import Model, Port
from modeldocs.site.model.compared_ports import ComparedPorts, compare_ports
from modeldocs.site.preview.document import MAX_LINES, Relation, cut
from modeldocs.site.preview.sides import PreviewSide
from modeldocs.verdict import ComparedPair


class Relations:
    """The pairs of ports of both sides; those of a model are found once."""

    def __init__(self, before: PreviewSide, after: PreviewSide) -> None:
        self._before, self._after = before, after
        self._of_side = functools.cache(self._compared)

    def of(
        self, old: tuple[Model, Port] | None, new: tuple[Model, Port] | None
    ) -> tuple[Relation, ...]:
        """What a port is to each other one that it was compared with, the reference first.

        Empty where it is not there any more, or does not load.
        """
        if new is None:
            return ()
        model, port = new
        now = self._of_side(after=True, model=model.id)
        past = self._of_side(after=False, model=old[0].id) if old is not None else None
        name = old[1].name if old is not None else ""
        found = sorted(
            _relations(port.name, name, now, past),
            key=lambda one: (not one.reference, one.port),
        )
        return tuple(found[:MAX_LINES])

    def _compared(self, *, after: bool, model: str) -> ComparedPorts | None:
        side = self._after if after else self._before
        known = next((one for one in side.catalog.models if one.id == model), None)
        return compare_ports(known, side.results) if known is not None else None


def _relations(
    port: str, former: str, now: ComparedPorts | None, past: ComparedPorts | None
) -> Iterator[Relation]:
    if now is None:
        return
    for pair in now.pairs:
        if port in pair.names:
            (other,) = pair.names - {port}
            was = past.pair(former, other) if past is not None and former else None
            yield _relation(port, other, pair, was, is_reference=other == now.reference)


def _relation(
    port: str, other: str, pair: ComparedPair, was: ComparedPair | None, *, is_reference: bool
) -> Relation:
    return Relation(
        port=other,
        reference=is_reference,
        before=was.step.id if was is not None else "",
        after=pair.step.id,
        differences=tuple(map(cut, pair.of(port)[:MAX_LINES])),
        error=pair.error,
    )
