"""Families: the ports of a model grouped by the function that they compute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import msgspec

from modeldocs.struct import Struct
from modeldocs.verdict.comparison import ComparedPair
from modeldocs.verdict.level import BY_STRUCTURE, NOT_LOADED, SAME, VerdictLevel

_SAME = (SAME, BY_STRUCTURE)


class Family(Struct, frozen=True):
    """Ports of one function: the reference first, the others by name.

    `step` and `differences` compare it with the family of the reference; `differences` says what
    its ports have otherwise, the gravest first. `pair` is the pair of ports that both are of; None
    for the family of the reference itself, and where no two ports were compared. `proven` is
    whether pairs that are proven by numbers connect all its ports.

    `contradictions` are pairs within the family that were found to differ, although each of them
    is the same as another port of the family.
    """

    ports: tuple[str, ...]
    step: VerdictLevel = SAME
    differences: tuple[str, ...] = ()
    pair: ComparedPair | None = None
    proven: bool = True
    contradictions: tuple[ComparedPair, ...] = ()


def families(
    ports: Iterable[str], pairs: Sequence[ComparedPair], reference: str
) -> tuple[Family, ...]:
    """The families of the ports that loaded, that of the `reference` first, the nearest next.

    Each port is in one family. Two ports that are the same, proven by numbers, are in one, and so
    are all that such pairs connect. Then pairs that are the same by structure connect families, in
    the order of names, unless a port of one and a port of the other were found to differ.
    The order of `ports` and `pairs` plays no role.
    """
    names = sorted(ports)
    grouped = _grouped(names, pairs)
    proven = _grouped(names, [pair for pair in pairs if pair.step == SAME])
    first = next((group for group in grouped if reference in group), None)
    made = [
        msgspec.structs.replace(
            _family(group, first, pairs, reference), proven=any(group <= one for one in proven)
        )
        for group in grouped
    ]
    return tuple(sorted(made, key=lambda family: _distance(family, reference)))


def _grouped(ports: list[str], pairs: Sequence[ComparedPair]) -> list[set[str]]:
    """The partition of the ports."""
    groups = {port: {port} for port in ports}
    known = [pair for pair in pairs if pair.a in groups and pair.b in groups]
    known.sort(key=lambda pair: pair.size)
    different = {pair.names for pair in known if pair.step not in (*_SAME, NOT_LOADED)}
    for pair in known:
        ours, theirs = groups[pair.a], groups[pair.b]
        if pair.step not in _SAME or ours is theirs:
            continue
        if pair.step == SAME or not _conflict(ours, theirs, different):
            ours |= theirs
            groups.update(dict.fromkeys(theirs, ours))
    return [group for port, group in groups.items() if port == min(group)]


def _conflict(ours: set[str], theirs: set[str], different: set[frozenset[str]]) -> bool:
    return any(frozenset(pair) in different for pair in product(ours, theirs))


def _family(
    group: set[str], first: set[str] | None, pairs: Sequence[ComparedPair], reference: str
) -> Family:
    ordered = tuple(sorted(group, key=lambda port: (port != reference, port)))
    inner = [pair for pair in pairs if pair.names <= group and pair.step not in _SAME]
    contradictions = tuple(
        sorted((pair for pair in inner if pair.step != NOT_LOADED), key=lambda pair: pair.size)
    )
    if first is None or group is first:
        return Family(ports=ordered, contradictions=contradictions)
    pair = nearest(first, group, pairs, reference)
    if pair is None:
        return Family(ports=ordered, step=NOT_LOADED, contradictions=contradictions)
    port = pair.b if pair.b in group else pair.a
    return Family(
        ports=ordered,
        step=pair.step,
        differences=pair.of(port),
        pair=pair,
        contradictions=contradictions,
    )


def nearest(
    ours: Iterable[str], theirs: Iterable[str], pairs: Iterable[ComparedPair], reference: str = ""
) -> ComparedPair | None:
    """The pair of a port of each of two families that differs least, one with the reference first.

    None where no two of them were compared.
    """
    wanted = {frozenset(names) for names in product(ours, theirs)}
    found = [pair for pair in pairs if pair.names in wanted and pair.step != NOT_LOADED]
    return min(found, key=lambda pair: (reference not in pair.names, pair.size), default=None)


def _distance(family: Family, reference: str) -> tuple[object, ...]:
    size = family.pair.size[:3] if family.pair is not None else (0, 0, 0)
    return reference not in family.ports, family.step.rank, size, family.ports
