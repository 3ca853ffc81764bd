"""Twelve kinds of changes, each with what a reviewer must be told of it, and nothing false."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from modeldocs.site.preview import rows
from modeldocs.site.preview.comment import comment
from tests.repositories import History, caffe

from .conftest import Previewed

Files = dict[str, "str | bytes | None"]

A, SECOND, B = "models/a/caffe.prototxt", "models/a/second.prototxt", "models/b/caffe.prototxt"
PADDED = caffe().replace("kernel_size: 3", "kernel_size: 3 pad: 1")
BATCHED = caffe().replace("dim: [1,", "dim: [4,").replace("input_dim: 1 ", "input_dim: 4 ")


@dataclass
class Change:
    """Files of a change, the headline that it must have, and what else must or must not be told."""

    files: Files
    headline: str
    told: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    moves: tuple[tuple[str, str], ...] = field(default=())


CHANGES = {
    "padding": Change(
        {A: PADDED},
        "1 changes the result (a/caffe)",
        told=(
            "pads 0 → 1",
            "to second",
            "✓ same → ≠ different results",
            "a has 2 families, 1 before",
        ),
        untold=("renamed", "broken"),
    ),
    "channels of the last layer": Change(
        {B: caffe(num_output=7)}, "1 changes the result (b/caffe)", told=("5 → 7",)
    ),
    "an activation": Change(
        {A: caffe(type="Sigmoid")}, "1 changes the result (a/caffe)", told=("Relu", "Sigmoid")
    ),
    "a remark alone": Change(
        {A: "# why\n" + caffe()}, "1 computes the same as before", untold=("≠", "broken")
    ),
    "a new port that is the same": Change(
        {"models/a/third.prototxt": caffe()},
        "1 new port, ✓ the reference",
        told=("is new; ✓ same, compared with the reference caffe",),
        untold=("≠",),
    ),
    "a new port that differs": Change(
        {"models/a/third.prototxt": PADDED},
        "1 new port, ≠ the reference",
        told=("is new; ≠ different results, compared with the reference caffe", "pads"),
    ),
    "a new model": Change(
        {"models/c/caffe.prototxt": caffe(num_output=9)},
        "1 new port",
        told=("there is no other port to compare it with", "the model c was added"),
    ),
    "a broken port": Change(
        {SECOND: "layer { name: "},
        "1 broken (a/second)",
        told=("no longer loads: second.prototxt:1", "a has 1 family, 1 before: caffe", "(base)"),
        untold=("verified",),
    ),
    "a port that is gone": Change(
        {SECOND: None}, "1 removed", told=("was removed", "(base)"), untold=("renamed",)
    ),
    "a renamed model": Change(
        {},
        "1 renamed",
        told=("z/caffe", "was b/caffe, with the same content", "the model b is z now"),
        untold=("was removed", "is new"),
        moves=(("models/b", "models/z"),),
    ),
    "a renamed port": Change(
        {},
        "1 renamed",
        told=("was a/second, with the same content",),
        untold=("was removed", "is new"),
        moves=((SECOND, "models/a/other.prototxt"),),
    ),
    "two models at once": Change(
        {A: PADDED, B: "layer {", SECOND: PADDED},
        "1 broken (b/caffe) · 2 change the result",
        told=("pads 0 → 1", "no longer loads"),
        untold=("to second", "to caffe"),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_reviewer_is_told_what_matters(name: str, history: History, previewed: Previewed) -> None:
    change = CHANGES[name]
    history.branch("change")
    for before, after in change.moves:
        history.git("mv", before, after)
    history.commit(change.files)
    found = previewed()
    assert rows.headline(found) == change.headline
    every = [row.what for row in rows.rows(found)] + [row.name for row in rows.rows(found)]
    every += [figure for row in rows.rows(found) for figure in (*row.figures, row.proof)]
    every += [line for row in rows.rows(found) for line in rows.turned(row.change)]
    text = "\n".join([*every, *rows.others(found)])
    assert [one for one in change.told if one not in text] == []
    assert [one for one in change.untold if one in text] == []


def test_what_a_base_has_that_moved_on_is_not_told(history: History, previewed: Previewed) -> None:
    """The change is compared with where it left the branch, not with what was merged since."""
    history.branch("change")
    history.commit({A: PADDED})
    history.git("checkout", "-q", "main")
    history.commit({B: caffe(num_output=7)})
    found = previewed("change")
    assert rows.headline(found) == "1 changes the result (a/caffe)"


def test_a_change_leads_to_its_line_on_the_host(
    history: History, previewed: Callable[..., object]
) -> None:
    history.branch("change")
    commit = history.commit({A: PADDED})
    text = comment(previewed(), source="https://host.example/team/models/blob/")
    address = f"https://host.example/team/models/blob/{commit}/models/a/caffe.prototxt#L"
    assert f"({address}" in text
