"""The table of judged lines: of pairs that there are, with a reason where one is needed."""

from __future__ import annotations

import csv
import itertools

from evaluation.pairs import judging
from evaluation.pairs.table import PAIRS


def test_every_judgement_is_of_a_pair_and_tells_why_it_is_not_true():
    names = [pair.name for pair in PAIRS]
    with judging.FILE.open(newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    assert len(judging.judged()) == len(rows)
    for row in rows:
        assert row["pair"] in names
        assert bool(row["why"]) == (row["judgement"] != "true")
    assert [name for name, _ in itertools.groupby(row["pair"] for row in rows)] == [
        name for name in names if any(row["pair"] == name for row in rows)
    ]
