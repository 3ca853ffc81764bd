"""The pages of a model with many ports: they say which pairs were compared, and which were not."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from modeldocs.site.page import Page
from modeldocs.site.pages import pages
from modeldocs.site.templating import Templates
from tests.ports import build, small, varied

COUNT = 40


def written(folder: Path, graphs, patch, manifest: str = "title: Many\n") -> dict[str, Page]:
    """The pages of a catalog of one model, by path."""
    catalog, _, results = build(folder, graphs, patch, manifest)
    return {page.path: page for page in pages(catalog, results, Templates())}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    graphs = {f"p{number:02}": varied(number) for number in range(COUNT)}
    with pytest.MonkeyPatch.context() as patch:
        return written(tmp_path_factory.mktemp("many"), graphs, patch)


def text(page: Page) -> str:
    content = re.sub(r"<svg.*?</svg>|<[^>]*>", " ", page.filled().decode(), flags=re.S)
    return " ".join(html.unescape(content).split())


def compared(every: dict[str, Page]) -> int:
    return sum(bool(re.fullmatch(r"models/m/diffs/[^/]*/index.md", path)) for path in every)


def test_the_pages_of_pairs_are_linear_in_the_ports(many: dict[str, Page]) -> None:
    assert 2 * COUNT - 3 <= compared(many) <= 2 * COUNT + 1


def test_the_models_page_says_which_pairs_are_not_compared(many: dict[str, Page]) -> None:
    count, page = compared(many), text(many["models/m/index.md"])
    assert (
        f"{count} of 780 pairs are compared: each port with p00, and those that are nearest to "
        f"each other. The other {780 - count} are not compared: modeldocs diff m/A m/B --parity "
        "compares ports A and B"
    ) in page
    assert f"The {count} pairs that are compared A B Verdict" in page
    assert "It may be of one family" not in page


def test_a_doubt_about_families_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = {"a": small(), "b": small(2e-5), "c": small(2e-5)}
    every = written(tmp_path, graphs, monkeypatch, "pairs: reference\n")
    assert (
        "c ≠ different results ε 2e-5 It may be of one family with b: the two were not compared. "
        "modeldocs diff m/b m/c compares them."
    ) in text(every["models/m/index.md"])


def test_pages_around_it_say_so_too(many: dict[str, Page]) -> None:
    count = compared(many)
    port = text(many["models/m/ports/p39/index.md"])
    assert "other ports of the model are not compared with it; Compare any two" in port
    assert f"{780 - count} further pairs of ports were not compared" in text(
        many["compare/index.md"]
    )
    assert f"{count} of 780 pairs of ports; the others are not compared" in text(
        many["proofs/index.md"]
    )


def test_no_page_links_to_a_pair_that_has_none(many: dict[str, Page]) -> None:
    for path, page in many.items():
        if path.endswith("index.md"):
            for href in re.findall(
                r'href="([^"#?]*-vs-[^"#?]*)/index.html', page.filled().decode()
            ):
                folder = (Path("/", path).parent / href).resolve().relative_to("/")
                assert f"{folder}/index.md" in many, (path, href)


def test_a_model_whose_pairs_are_all_compared_has_its_matrix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = {f"p{number}": varied(number) for number in range(3)}
    page = text(written(tmp_path, graphs, monkeypatch)["models/m/index.md"])
    assert "All 3 pairs" in page
    assert "not compared" not in page


@pytest.mark.parametrize("loaded", [1, 2])
def test_a_port_that_does_not_load_is_in_no_matrix_of_pairs_with_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: int
) -> None:
    graphs = {f"p{number}": varied(number) for number in range(loaded)} | {"broken": None}
    page = text(written(tmp_path, graphs, monkeypatch, "pairs: reference\n")["models/m/index.md"])
    assert "broken" in page
    assert ("The pair" in page) == (loaded == 2)
