"""Families that may be one: their ports were not compared with each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from modeldocs.verdict.comparison import ComparedPair
from modeldocs.verdict.grouping import Family, families
from modeldocs.verdict.level import NOT_LOADED


def doubts(found: Sequence[Family], pairs: Sequence[ComparedPair]) -> list[tuple[str, str]]:
    """The first ports of families that may be of one function, each two in the order of families.

    They are those of which no pair of ports was compared, and that differ from the family of the
    reference in the same: of ports that differ from it in something else, it is known that they
    differ.
    """
    known = {pair.names for pair in pairs if pair.step != NOT_LOADED}
    alike: dict[object, list[Family]] = {}
    for family in found[1:]:
        alike.setdefault((family.step, family.differences), []).append(family)
    return [
        (one.ports[0], other.ports[0])
        for group in alike.values()
        for number, one in enumerate(group)
        for other in group[number + 1 :]
        if not any(frozenset(names) in known for names in product(one.ports, other.ports))
    ]


def to_compare(
    ports: Iterable[str], pairs: Sequence[ComparedPair], reference: str
) -> list[tuple[str, str]]:
    """Of the `doubts` about the families of ports, each family with the first it may be one with.

    These are fewer than the families; comparing them settles most doubts.
    """
    first: dict[str, tuple[str, str]] = {}
    for one, other in doubts(families(ports, pairs, reference), pairs):
        first.setdefault(other, (one, other))
    return list(first.values())
