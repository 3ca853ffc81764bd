"""Families: a partition of the ports that no order of ports or pairs changes; and their tree."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeldocs import verdict
from modeldocs.verdict import Branch, ComparedPair, Family, VerdictLevel, tree

REFERENCE = "p00"
QUICK = settings(max_examples=60, deadline=None)


def names(count: int) -> list[str]:
    return [f"p{number:02}" for number in range(count)]


def pair(a: str, b: str, step: VerdictLevel, changes: int = 0, *differences: str) -> ComparedPair:
    reverse = tuple(f"no {one}" for one in differences)
    return ComparedPair(
        a=a, b=b, step=step, differences=differences, reverse=reverse, changes=changes
    )


def by_function(functions: dict[str, int]) -> list[ComparedPair]:
    """All pairs of ports that compute those functions, as right verdicts tell them."""
    return [
        pair(a, b, verdict.SAME)
        if functions[a] == functions[b]
        else pair(a, b, verdict.DIFFERENT_RESULTS, abs(functions[a] - functions[b]))
        for a, b in combinations(functions, 2)
    ]


def grouped(made: tuple[Family, ...]) -> set[frozenset[str]]:
    return {frozenset(family.ports) for family in made}


def branches(made: tuple[Branch, ...]) -> list[Branch]:
    return [one for root in made for one in (root, *branches(root.below))]


@st.composite
def verdicts(draw: st.DrawFn) -> tuple[list[str], list[ComparedPair]]:
    """Ports and any verdicts on their pairs, contradictory ones too; some pairs are missing."""
    ports = names(draw(st.integers(1, 7)))
    steps = st.none() | st.sampled_from(verdict.STEPS)
    drawn = [(a, b, draw(steps), draw(st.integers(0, 3))) for a, b in combinations(ports, 2)]
    return ports, [pair(a, b, step, changes) for a, b, step, changes in drawn if step is not None]


@QUICK
@given(verdicts(), st.randoms(use_true_random=False))
def test_each_port_is_in_one_family_whatever_the_order(
    given_: tuple[list[str], list[ComparedPair]], chance: random.Random
) -> None:
    ports, pairs = given_
    made = verdict.families(ports, pairs, REFERENCE)
    assert sorted(name for family in made for name in family.ports) == ports
    assert made[0].ports[0] == REFERENCE
    shuffled = chance.sample(ports, len(ports)), chance.sample(pairs, len(pairs))
    assert verdict.families(*shuffled, REFERENCE) == made
    assert tree(made, shuffled[1]) == tree(made, pairs)


@QUICK
@given(verdicts())
def test_ports_that_are_proven_the_same_are_of_one_family(
    given_: tuple[list[str], list[ComparedPair]],
) -> None:
    ports, pairs = given_
    made = verdict.families(ports, pairs, REFERENCE)
    family = {name: one for one in made for name in one.ports}
    for one in pairs:
        if one.step == verdict.SAME:
            assert family[one.a] is family[one.b]
        elif one.step not in (verdict.BY_STRUCTURE, verdict.NOT_LOADED):
            within = family[one.a] is family[one.b]
            assert within == (one in family[one.a].contradictions)


@QUICK
@given(verdicts())
def test_the_tree_has_every_family_once(
    given_: tuple[list[str], list[ComparedPair]],
) -> None:
    ports, pairs = given_
    made = verdict.families(ports, pairs, REFERENCE)
    found = [one.family for one in branches(tree(made, pairs))]
    assert sorted(found, key=made.index) == list(made)


@QUICK
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_right_verdicts_give_the_functions_back(functions: list[int]) -> None:
    of = dict(zip(names(len(functions)), functions, strict=True))
    made = verdict.families(of, by_function(of), REFERENCE)
    expected = {frozenset(name for name in of if of[name] == value) for value in functions}
    assert grouped(made) == expected
    assert all(family.proven for family in made)


def test_a_structure_that_no_numbers_speak_against_is_enough() -> None:
    pairs = [pair("p00", "p01", verdict.BY_STRUCTURE), pair("p01", "p02", verdict.SAME)]
    (family,) = verdict.families(names(3), pairs, REFERENCE)
    assert family.ports == ("p00", "p01", "p02")
    assert not family.proven


def test_numbers_count_more_than_structure() -> None:
    """The same by structure, but a port that is proven to be the same has other numbers."""
    pairs = [
        pair("p00", "p01", verdict.BY_STRUCTURE),
        pair("p01", "p02", verdict.SAME),
        pair("p00", "p02", verdict.DIFFERENT_RESULTS, 1, "ε 2e-5"),
    ]
    made = verdict.families(names(3), pairs, REFERENCE)
    assert [family.ports for family in made] == [("p00",), ("p01", "p02")]


def test_a_contradiction_of_numbers_is_told() -> None:
    apart = pair("p00", "p02", verdict.DIFFERENT_RESULTS)
    pairs = [pair("p00", "p01", verdict.SAME), pair("p01", "p02", verdict.SAME), apart]
    (family,) = verdict.families(names(3), pairs, REFERENCE)
    assert family.contradictions == (apart,)


def test_ports_up_to_the_head_or_with_other_parameters_are_families_of_their_own() -> None:
    pairs = [
        pair("p00", "p01", verdict.UP_TO_HEAD, 1, "Softmax at the end"),
        pair("p00", "p02", verdict.HELD_DIFFERENTLY, 1, "bias in Conv"),
        pair("p01", "p02", verdict.DIFFERENT_RESULTS, 2, "Softmax at the end", "bias in Conv"),
    ]
    made = verdict.families(names(3), pairs, REFERENCE)
    assert [(one.ports, one.step.sign, one.differences) for one in made] == [
        (("p00",), "✓", ()),
        (("p01",), "≈", ("Softmax at the end",)),
        (("p02",), "⇄", ("bias in Conv",)),
    ]


def test_a_difference_is_told_of_the_port_that_has_it_whichever_side_it_is_on() -> None:
    pairs = [pair("p01", "p00", verdict.DIFFERENT_RESULTS, 1, "LRN more")]
    made = verdict.families(names(2), pairs, "p00")
    assert made[1].differences == ("no LRN more",)
    assert tree(made, pairs)[0].below[0].differences == ("no LRN more",)


def test_the_reference_may_be_alone_and_a_port_may_be_compared_with_none() -> None:
    made = verdict.families(names(2), [], REFERENCE)
    assert [(one.ports, one.step) for one in made] == [
        (("p00",), verdict.SAME),
        (("p01",), verdict.NOT_LOADED),
    ]
    assert len(tree(made, [])) == 2
    assert verdict.families([], [], "") == ()


def test_the_tree_is_of_the_least_differences() -> None:
    """A chain of functions, each one change from the next: the tree is the chain."""
    of = {name: number for number, name in enumerate(names(6))}
    made = verdict.families(of, by_function(of), REFERENCE)
    (root,) = tree(made, by_function(of))
    depth = 0
    while root.below:
        assert len(root.below) == 1
        (root,) = root.below
        depth += 1
        assert root.pair is not None and root.pair.changes == 1
    assert depth == 5


@pytest.mark.parametrize("count", [30])
def test_a_model_with_30_ports_has_one_tree_of_its_families(count: int) -> None:
    of = {name: number % 7 for number, name in enumerate(names(count))}
    pairs = by_function(of)
    made = verdict.families(of, pairs, REFERENCE)
    assert len(made) == 7
    assert made[0].ports[:2] == ("p00", "p07")
    assert len(branches(tree(made, pairs))) == 7
