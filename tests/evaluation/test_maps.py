"""The law of maps: A's own checkpoint, converted and loaded into B, gives A's outputs in B."""

from __future__ import annotations

import pytest

from evaluation.maps import applying, sources
from evaluation.maps.applying import Row

pytest.importorskip("torch")


@pytest.fixture
def rows(request: pytest.FixtureRequest, tmp_path) -> list[Row]:
    """Both directions of the first and the last network of a pair."""
    subjects = sources.subjects(request.param)
    return applying.rows(subjects[0], subjects[-1], tmp_path)


@pytest.mark.parametrize(
    "rows",
    ["lstm-states", "packed-heads", "packed-gates", "positions-sliced", "tied"],
    indirect=True,
)
def test_a_map_is_whole_and_right_in_both_directions(rows):
    for row in rows:
        assert row.is_right and row.claim == "holds", row
        assert not row.lost and not row.invented


@pytest.mark.parametrize(("rows", "added"), [("lstm", 1), ("gru-biases", 0)], indirect=["rows"])
def test_weights_of_another_framework_are_taken_over(rows, added, environment):
    environment("tensorflow")
    from_keras, from_torch = rows
    assert from_keras.is_right and from_torch.is_right
    assert len(from_keras.invented) == added and not from_torch.invented
    assert not from_keras.lost and not from_torch.lost
