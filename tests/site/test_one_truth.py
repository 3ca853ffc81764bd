"""A figure of a port, a pair or a run is the same wherever the site shows it."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from .figures import agree, contradictions, figures

pytestmark = pytest.mark.xdist_group("own site")

SHOWN = {"verdict", "samples/s", "step", "layers", "parameters", "macs", "date"}
"""Figures of which there are several of one thing in the site of tests."""


def test_no_two_places_contradict_each_other(own_site: Path) -> None:
    found = Counter((one.thing, one.name) for one in figures(own_site))
    assert {name for (_, name), places in found.items() if places > 1} >= SHOWN
    assert contradictions(own_site) == []


@pytest.mark.parametrize(
    ("file", "before", "after", "name"),
    [
        (
            "models/lenet/ports/caffe/index.html",
            "<dt>Layers</dt><dd>",
            "<dt>Layers</dt><dd>1",
            "layers",
        ),
        ("models/lenet/index.html", "mr-verdict-same", "mr-verdict-different-results", "verdict"),
        ("catalog.json", '"parameters": 4', '"parameters": 5', "parameters"),
    ],
)
def test_a_figure_that_is_another_in_one_place_is_found(
    own_site: Path, tmp_path: Path, file: str, before: str, after: str, name: str
) -> None:
    shutil.copytree(own_site, tmp_path / "site", ignore=shutil.ignore_patterns("assets", "*.svg"))
    changed = tmp_path / "site" / file
    text = changed.read_text("utf-8")
    assert before in text
    changed.write_text(text.replace(before, after, 1), "utf-8")
    assert {one.name for one in contradictions(tmp_path / "site")} == {name}


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("25.6 M", "25,557,032", True),
        ("8,039/s", "8039", True),
        ("15,725/s", "8,039/s", False),
        ("435 ms", "404.2 ms", False),
        ("404.2 ms", "404,200 µs", True),
        ("verified", "not tried", False),
    ],
)
def test_figures_agree_but_for_rounding(ours: str, theirs: str, same: bool) -> None:
    assert agree(ours, theirs) == same
