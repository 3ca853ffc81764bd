"""What becomes of the lines of a diff once both networks were run."""

from __future__ import annotations

import msgspec
import pytest

from modeldocs import diff
from modeldocs.diff import Change, Diff, Direction, MappedWeight, Parity, Weights
from modeldocs.diff.parity import Difference

from .graphs import chain

APART = Difference(relative=0.5, absolute=1.0)


def line(title: str, layer: str, kind: str = "attribute", **fields: object) -> Change:
    return Change(
        kind=kind,
        consequence="computes",
        title=title,
        text="",
        pairs=(((f"{layer}-a",), (f"{layer}-b",)),),
        operator="Slice",
        **fields,
    )


def changed(*changes: Change) -> Diff:
    return msgspec.structs.replace(diff.compare(chain(2), chain(2)), changes=changes)


def titles(settled: Diff) -> list[str]:
    return [one.title for one in settled.changes]


def test_lines_of_a_part_that_could_not_be_run_are_one_behind_those_that_were_decided():
    lines = [line(f"starts {n}", f"slice-{n}") for n in range(1, 5)]
    parity = Parity(
        Direction(APART, undecided=((1, 2, 3),), acting=(5,)),
        Direction(APART, undecided=((3, 4),), acting=(5,)),
    )
    settled = diff.settle(changed(*lines, line("axis 1 → 2", "softmax-1")), parity)
    assert titles(settled) == ["axis 1 → 2", "4 differences that could not be decided (Slice)"]
    assert all(one.title in settled.changes[1].text for one in lines)
    assert settled.parity is not None
    assert settled.parity.a_to_b.undecided == ((2,),) and settled.parity.a_to_b.acting == (1,)


@pytest.mark.parametrize("decided", ["acting", "idle"])
def test_one_that_the_other_direction_decides_stands_for_itself(decided):
    lines = [line(f"starts {n}", f"slice-{n}") for n in range(1, 6)]
    parity = Parity(
        Direction(APART, undecided=((1, 2, 3, 4, 5),)), Direction(APART, **{decided: (2,)})
    )
    settled = diff.settle(changed(*lines), parity)
    assert len(settled.changes) == 2 and "starts 2" in titles(settled)


def test_what_acts_only_where_weights_have_no_place_changes_parameters():
    """A shares a layer that B has twice: B computes what A does, and A not all that B does."""
    lines = (
        line("Conv only in B", "conv-1", "inserted", parameter_delta=64),
        line("Conv → Gemm", "conv-2", "operator"),
        line("max 6 → none", "clip-1"),
    )
    mapped = tuple(MappedWeight("w", pair, (4,), "float32", ()) for pair in lines[1].pairs)
    parity = Parity(
        Direction(APART, idle=(1, 2, 3), weights=Weights(mapped=mapped)),
        Direction(APART, acting=(1, 2, 3), weights=Weights(unused=("w2",))),
    )
    settled = diff.settle(changed(*lines), parity)
    assert [(one.title, one.consequence) for one in settled.changes] == [
        ("max 6 → none", "computes"),
        ("Conv only in B", "parameters"),
        ("Conv → Gemm", "spelling"),
    ]
