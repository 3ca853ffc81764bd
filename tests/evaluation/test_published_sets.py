"""The pairs: each measured, each as it is said to be, and no judgement of a pair that is not."""

from __future__ import annotations

import csv

from evaluation.published import judging, sets, truth
from evaluation.published.pairs import KINDS

PAIRS = sets.chosen("all")


def test_names_tell_pairs_apart():
    assert len({pair.name for pair in PAIRS}) == len(PAIRS)
    assert len({net.key for pair in PAIRS for net in (pair.a, pair.b)}) == len(
        {(net.source, net.package) for pair in PAIRS for net in (pair.a, pair.b)}
    )


def test_every_pair_was_measured_and_is_as_it_is_said_to_be():
    measured = truth.read()
    assert list(measured) == [pair.name for pair in PAIRS]
    for pair in PAIRS:
        assert pair.kind in KINDS
        assert measured[pair.name].kind == pair.kind
        assert measured[pair.name].holds


def test_judgements_are_of_pairs_and_tell_why():
    names = {pair.name for pair in PAIRS}
    judging.judged()
    with judging.FILE.open(newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            assert row["pair"] in names
            assert row["why"]
