"""Families that were not compared are told apart by what they have otherwise than the reference."""

from __future__ import annotations

from modeldocs import verdict
from modeldocs.verdict import ComparedPair, VerdictLevel
from modeldocs.verdict.unresolved_pairs import doubts, to_compare


def pair(a: str, b: str, step: VerdictLevel, *differences: str) -> ComparedPair:
    return ComparedPair(a=a, b=b, step=step, differences=differences, reverse=differences)


def other(a: str, b: str, *differences: str) -> ComparedPair:
    return pair(a, b, verdict.DIFFERENT_RESULTS, *differences)


def found(*pairs: ComparedPair) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    ports = {name for one in pairs for name in one.names}
    return doubts(verdict.families(ports, pairs, "r"), pairs), to_compare(ports, pairs, "r")


def test_the_same_difference_from_the_reference_may_be_the_same_function() -> None:
    alike = [other("r", name, "ε 2e-5") for name in "abc"]
    assert found(*alike) == ([("a", "b"), ("a", "c"), ("b", "c")], [("a", "b"), ("a", "c")])


def test_another_difference_is_another_function() -> None:
    assert found(other("r", "a", "ε 2e-5"), other("r", "b", "ε 1e-3")) == ([], [])


def test_what_was_compared_is_known() -> None:
    alike = [other("r", name, "ε 2e-5") for name in "ab"]
    assert found(*alike, other("a", "b", "stride 2")) == ([], [])
    assert found(*alike, pair("a", "b", verdict.SAME)) == ([], [])
    assert found(*alike, pair("a", "b", verdict.NOT_LOADED))[0] == [("a", "b")]


def test_one_compared_pair_of_two_families_is_enough() -> None:
    alike = [other("r", name, "ε 2e-5") for name in "abcd"]
    same = pair("a", "b", verdict.SAME), pair("c", "d", verdict.SAME)
    assert found(*alike, *same)[0] == [("a", "c")]
    assert found(*alike, *same, other("b", "d", "stride 2"))[0] == []
