"""A model's page answers whether its ports are right; the page of proofs does so for all models."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from modeldocs import package_data, verdict
from modeldocs.site.model.compared_ports import ComparedPorts
from modeldocs.site.model.page import MatrixCell
from modeldocs.site.templating import Templates
from modeldocs.verdict import ComparedPair
from modeldocs.verdict.weight_compatibility import CONVERTED, NO

from ..browser import OpenTab

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

RESNET = "/models/resnet50/index.html"


@pytest.fixture
def without_script(open_tab: OpenTab, address: str) -> Page:
    return open_tab(
        base_url=address, java_script_enabled=False, viewport={"width": 1440, "height": 900}
    )


def test_families_tell_in_words_what_sets_them_apart(page: Page) -> None:
    page.goto(RESNET)
    shown = page.locator(".mr-family")
    expect(shown).to_have_count(2)
    expect(shown.nth(0)).to_contain_text("pytorch reference")
    expect(shown.nth(1)).to_contain_text("≠ different results stride in the 1×1 Conv")
    shown.nth(1).locator(".mr-badge").click()
    expect(page.locator(".mr-verdict-headline")).to_have_text("≠ Different results")


def test_ports_of_one_function_are_one_sentence(without_script: Page) -> None:
    without_script.goto("/models/lenet/index.html")
    answer = without_script.locator(".mr-answer")
    expect(answer).to_contain_text("≟ All 5 ports compute the same function")
    expect(answer.locator("a")).to_have_count(5)


def test_each_port_has_a_row_against_the_reference(without_script: Page) -> None:
    page = without_script
    page.goto(RESNET)
    rows = page.locator(".mr-ports tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0).locator("th")).to_contain_text("reference")
    row = rows.nth(1)
    for words in (
        "caffe",
        "≠ different",
        "stride in the 1×1 Conv; pads 0,0,1,1 in MaxPool",
    ):
        expect(row).to_contain_text(words)
    first = row.locator(".mr-first a")
    expect(first).to_have_text("maxpool")
    first.click()
    assert re.search(r"/diffs/pytorch-vs-caffe|/diffs/pytorch-vs-caffe", page.url)
    expect(page.locator(f"[id='{page.url.partition('#')[2]}']")).to_be_visible()


def test_the_matrix_and_the_weights_fold_away_and_open(without_script: Page) -> None:
    page = without_script
    page.goto("/models/lenet/index.html")
    cell = page.locator(".mr-takeovers a", has_text="as they are").first
    expect(cell).to_be_hidden()
    page.get_by_text("Can these weights be loaded there?").click()
    expect(cell).to_be_visible()
    assert "caffe's weights in pytorch" in (cell.get_attribute("title") or "")
    pair = page.locator("#pairs .mr-matrix a").first
    expect(pair).to_be_hidden()
    page.get_by_text("All 10 pairs").click()
    expect(pair).to_be_visible()


def test_ports_that_are_not_equal_are_found_with_their_reasons_in_two_clicks(page: Page) -> None:
    page.goto("/index.html")
    page.get_by_role("link", name=re.compile("verified")).first.click()
    page.locator("[data-for=against-table] select").select_option("different-results")
    rows = page.locator("#against-table tbody tr:visible")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("stride in the 1×1 Conv")
    assert "task=different-results" in page.url


def test_what_matters_most_comes_first_and_needs_no_script(without_script: Page) -> None:
    without_script.goto("/proofs/index.html")
    first = without_script.locator("#against-table tbody tr").first
    expect(first).to_contain_text("≠ different")
    expect(first).to_contain_text("ResNet-50")


def test_a_port_that_failed_is_grey_and_has_its_reason(
    open_tab: OpenTab, bad_build: tuple[Path, str, int]
) -> None:
    page = open_tab()
    page.goto((bad_build[0] / "models/twice/index.html").as_uri())
    row = page.locator(".mr-ports tr.mr-unloaded").last
    expect(row).to_contain_text("– not loaded")
    expect(row).to_contain_text("is already that of model.onnx")
    colour = row.locator(".mr-badge").evaluate("one => getComputedStyle(one).color")
    red, green, blue = map(float, re.findall(r"[\d.]+", colour)[:3])
    assert max(red, green, blue) - min(red, green, blue) < 30, colour


def many(count: int, functions: int) -> ComparedPorts:
    """Ports of so many functions, each some settings away from the others."""
    names = [f"framework_{number}" for number in range(count)]
    made = []
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        same = i % functions == j % functions
        settings = [f"ε {n}e-5" for n in range(abs(i % functions - j % functions))]
        words = (*settings, "stride in the 1×1 Conv", "Softmax at the end")
        made.append(
            ComparedPair(
                a=a,
                b=b,
                step=verdict.SAME if same else verdict.DIFFERENT_RESULTS,
                differences=() if same else words,
                reverse=() if same else words,
                changes=0 if same else len(words),
                ahead=CONVERTED if same else NO,
                back=CONVERTED if same else NO,
            )
        )
    grouped = verdict.families(names, made, names[0])
    tree = verdict.tree(grouped, made)
    return ComparedPorts(
        declared=names[0], reference=names[0], pairs=tuple(made), families=grouped, tree=tree
    )


def rendered(compared: ComparedPorts) -> str:
    """Families, matrix and weights as a page without a theme."""
    names = [name for family in compared.families for name in family.ports]
    links = {pair.names: "#" for pair in compared.pairs}
    cells = {
        a: {
            b: MatrixCell(pair.step, 5, "error 0.09", "#")
            for b in names
            if (pair := compared.pair(a, b))
        }
        for a in names
    }
    taken = {(p.a, p.b): p.ahead for p in compared.pairs} | {
        (p.b, p.a): p.back for p in compared.pairs
    }
    templates = Templates()
    parts = (
        templates.html("families", compared=compared, links=dict.fromkeys(names, "#"), diffs=links),
        templates.html("takeovers", names=names, taken=taken, links=links),
        templates.html("matrix", names=names, cells=cells),
    )
    body = "\n".join(parts).replace("<details", "<details open")
    style = f"html {{ font: 20px sans-serif }} body {{ margin: 1rem }} {package_data.style()}"
    return f"<!doctype html><style>{style}</style><body class='md-typeset'>{body}"


SMALL_TEXT = """() => [...document.querySelectorAll(".mr-two-views *, .mr-matrix *")]
  .filter(one => [...one.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
  .filter(one => parseFloat(getComputedStyle(one).fontSize) < 11).map(one => one.outerHTML)"""
CUT = "one => one.scrollWidth > one.clientWidth + 1"


@pytest.mark.parametrize("width", [390, 1440])
def test_a_model_with_30_ports_reads_as_easily(open_tab: OpenTab, width: int) -> None:
    page = open_tab(viewport={"width": width, "height": 900})
    page.set_content(rendered(many(30, 7)))
    expect(page.locator(".mr-family")).to_have_count(7)
    expect(page.locator(".mr-node")).to_have_count(7)
    assert not page.locator("body").evaluate(CUT)
    assert page.evaluate(SMALL_TEXT) == []
    box = page.locator(".mr-two-views").bounding_box()
    assert box is not None and box["height"] < (1000 if width == 1440 else 2200)


def test_ten_ports_are_not_cut_at_1440_pixels(open_tab: OpenTab) -> None:
    page = open_tab(viewport={"width": 1440, "height": 900})
    page.set_content(rendered(many(10, 6)))
    for table in page.locator(".mr-scroll").all():
        assert not table.evaluate(CUT), table.get_attribute("aria-label")


def test_a_model_without_ports_has_no_section_on_them(page: Page) -> None:
    page.goto("/models/mlp-4-hidden/index.html")
    headings = page.locator("article h2").all_inner_texts()
    assert not any("Are the ports the same?" in heading for heading in headings)
    assert page.get_by_role("link", name="The recorded run, with its source").is_visible()


def test_a_page_has_links_to_its_sections(page: Page) -> None:
    for address in (
        "models/resnet50",
        "models/resnet50/ports/pytorch",
        "models/resnet50/diffs/pytorch-vs-caffe",
        "models/resnet50/benchmarks",
    ):
        page.goto(f"/{address}/index.html")
        links = page.get_by_role("navigation", name="On this page").get_by_role("link")
        anchors = [link.get_attribute("href") or "" for link in links.all()]
        headings = page.locator("article h2[id]").evaluate_all(
            "all => all.map((one) => '#' + one.id)"
        )
        assert anchors == headings
        assert len(anchors) >= 3


def test_the_figures_at_the_top_are_those_of_the_catalog(page: Page) -> None:
    page.goto("/index.html")
    row = page.locator("#catalog tbody tr").filter(has_text="ResNet-50")
    told = [
        row.locator(f".mr-{kind}-count span").get_attribute("title")
        for kind in ("parameter", "mac")
    ]
    rate = row.locator(".mr-speed a").inner_text()
    page.goto(RESNET)
    facts = page.locator("dl.mr-facts")
    assert told == [
        facts.locator(f"div:has(dt:text-is('{name}')) dd").get_attribute("title")
        for name in ("Parameters", "MACs")
    ]
    expect(facts).to_contain_text(rate)
