"""The page that compares any two: on the built site, and on a server that also takes files."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.prototxts import NET

from ..browser import AXE, OpenTab
from .served import serving
from .test_every_page import Watch

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

COMPARE = "compare/index.html"
COMMAND = "modeldocs diff resnet50/caffe lenet/pytorch --html report.html"


def choose(page: Page, side: str, port: str) -> None:
    page.get_by_label(f"Port {side.upper()}").select_option(port)


def test_a_pair_with_a_page_leads_to_it(page: Page) -> None:
    page.goto(f"/{COMPARE}")
    choose(page, "a", "lenet/caffe")
    choose(page, "b", "lenet/pytorch")
    answer = page.locator(".mr-picked")
    assert "✓ same" in answer.inner_text()
    assert page.url.endswith("?a=lenet/caffe&b=lenet/pytorch")
    answer.get_by_role("link").click()
    assert page.url.endswith("models/lenet/diffs/caffe-vs-pytorch/index.html")
    page.go_back()
    expect(page.locator("output[name=chosen-a]")).to_have_text("lenet/caffe")
    assert answer.get_by_role("link").is_visible()


def test_a_pair_in_the_other_order_says_so(page: Page) -> None:
    page.goto(f"/{COMPARE}?a=lenet/pytorch&b=lenet/caffe")
    told = page.locator(".mr-picked").inner_text()
    assert "There, A is lenet/caffe and B is lenet/pytorch." in told


def test_ports_of_two_models_give_the_command_to_copy(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/{COMPARE}?a=resnet50/caffe&b=lenet/pytorch")
    assert page.locator(".mr-picked code").inner_text() == COMMAND
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == COMMAND


def test_ports_of_two_models_are_compared_as_architectures(page: Page) -> None:
    """By stages of one resolution, without a server."""
    page.goto(f"/{COMPARE}?a=resnet50/pytorch&b=alexnet/caffe")
    facts, stages = (page.get_by_role("region", name=name) for name in ("Both networks", "Stages"))
    depth = facts.locator("tr", has_text="Depth")
    depth.wait_for()
    assert depth.locator("td").all_inner_texts() == ["50", "8"]
    assert facts.locator("tr", has_text="Receptive").locator("td").first.inner_text() == "427 × 427"
    quarter = stages.locator("tbody tr", has=page.get_by_role("rowheader", name="1/4"))
    assert "3 × Bottleneck" in quarter.inner_text()
    vector = stages.locator("tbody tr").last.inner_text()
    assert "GlobalAveragePool" in vector and "3 × Gemm" in vector


def test_a_port_is_found_by_words_and_chosen_by_keys(page: Page) -> None:
    page.goto(f"/{COMPARE}")
    find = page.locator("input[name=find-a]")
    find.fill("resnet torch")
    assert page.get_by_label("Port A").locator("option").all_inner_texts() == ["pytorch"]
    find.press("Enter")
    assert page.locator("output[name=chosen-a]").inner_text() == "resnet50/pytorch"
    find.fill("")
    assert page.get_by_label("Port A").input_value() == "resnet50/pytorch"
    find.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert page.locator("output[name=chosen-a]").inner_text() == "resnet50/caffe"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "Choose a port on each side."),
        ("?a=lenet/caffe", "Choose a port on each side."),
        ("?a=lenet/caffe&b=lenet/caffe", "Choose two different ports."),
        ("?a=lenet/caffe&b=%3Cimg%3E", "Choose a port on each side."),
    ],
)
def test_what_is_missing_is_told(page: Page, query: str, told: str) -> None:
    page.goto(f"/{COMPARE}{query}")
    assert page.locator(".mr-picked").inner_text() == told
    if "%3C" in query:
        assert page.locator("output[name=chosen-b]").inner_text() == "there is no port <img>"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pickers_are_accessible(open_tab: OpenTab, address: str, scheme: str) -> None:
    tab = open_tab(color_scheme=scheme)
    tab.goto(f"{address}/{COMPARE}?a=resnet50/caffe&b=lenet/pytorch")
    tab.add_script_tag(path=str(AXE))
    found = tab.evaluate("axe.run('article', {runOnly: ['wcag2a', 'wcag2aa']})")
    assert [one["id"] for one in found["violations"]] == []


def test_a_published_site_offers_no_files_and_holds_no_token(page: Page, own_site: Path) -> None:
    page.goto(f"/{COMPARE}?a=resnet50/caffe&b=lenet/pytorch")
    assert page.locator(".mr-compare input[type=file]").count() == 0
    assert page.get_by_role("button", name="Compare now").count() == 0
    assert "modeldocs-server" not in (own_site / COMPARE).read_text("utf-8")


def test_a_model_leads_to_the_pickers_with_its_reference_chosen(page: Page) -> None:
    page.goto("/models/resnet50/index.html")
    page.get_by_role("link", name="Compare a port of it with any other").click()
    expect(page.locator("output[name=chosen-a]")).to_have_text("resnet50/pytorch")


def test_without_javascript_it_is_a_list_of_the_pairs(open_tab: OpenTab, address: str) -> None:
    tab = open_tab(java_script_enabled=False)
    tab.goto(f"{address}/{COMPARE}")
    assert not tab.locator(".mr-compare").is_visible()
    assert "need JavaScript" in tab.locator("article").inner_text()
    tab.locator(".mr-pair-links summary", has_text="LeNet").click()
    tab.get_by_role("link", name="✓ caffe vs pytorch: same").click()
    assert tab.url.endswith("models/lenet/diffs/caffe-vs-pytorch/index.html")


def test_it_works_from_the_file_system(new_tab: Page, own_site: Path) -> None:
    tab = new_tab
    heard: list[str] = []
    tab.on("pageerror", lambda error: heard.append(str(error)))
    tab.goto(f"file://{own_site / COMPARE}")
    choose(tab, "a", "resnet50/caffe")
    choose(tab, "b", "lenet/pytorch")
    assert tab.locator(".mr-picked code").inner_text() == COMMAND
    choose(tab, "a", "lenet/caffe")
    target = tab.locator(".mr-picked a").get_attribute("href") or ""
    assert (own_site / "compare" / target).resolve().is_relative_to(own_site)
    assert heard == []


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """`modeldocs serve` of a small catalog: its address, and its folder for temporary files."""
    with serving(tmp_path_factory.mktemp("served"), {"net": NET}) as one:
        yield one.address, one.temporary


@pytest.fixture
def tab(new_tab: Page, served: tuple[str, Path]) -> Page:
    """The page on that server."""
    new_tab.set_viewport_size({"width": 1200, "height": 900})
    new_tab.goto(f"{served[0]}/{COMPARE}")
    return new_tab


def give(tab: Page, side: str, file: Path) -> None:
    """Choose a file for a side."""
    box = tab.locator(f".mr-side[data-side={side}]")
    box.get_by_label("a file of mine").check()
    with tab.expect_file_chooser() as chooser:
        box.locator("input[type=file]").click()
    chooser.value.set_files(file)


DROP = """([place, name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"]) {
    const event = new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
    document.querySelector(place).dispatchEvent(event);
    if (!event.defaultPrevented) return `the browser would leave the page on ${kind}`;
  }
  return "";
}"""
"""Drops a file on a place of the page; a browser opens what no script takes."""


def drop(tab: Page, place: str, name: str, text: str) -> str:
    said: str = tab.evaluate(DROP, [place, name, text])
    return said


def left(temporary: Path) -> list[str]:
    """What comparisons left: all folders but the homes of waiting processes, which are empty."""
    return [
        path.name
        for path in temporary.glob("modeldocs*")
        if not path.name.startswith("modeldocs-server-") or any(path.iterdir())
    ]


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_two_files_are_compared_and_the_report_saved(
    tab: Page, served: tuple[str, Path], tmp_path: Path
) -> None:
    watch = Watch(tab, served[0])
    give(tab, "a", write(tmp_path, "a.prototxt", NET))
    give(tab, "b", write(tmp_path, "b.prototxt", NET.replace("size: 3", "size: 5")))
    tab.get_by_role("button", name="Compare now").click()
    report = tab.frame_locator(".mr-job iframe")
    expect(report.locator("h1")).to_have_text("a.prototxt against b.prototxt", timeout=60_000)
    report.locator(".mr-changes a[href^='#a-']").first.click()
    expect(report.locator("tr:has(:target), tr:target")).to_be_in_viewport()
    for button, name in (("report", "html"), ("diff as JSON", "json")):
        with tab.expect_download() as download:
            tab.get_by_role("link", name=f"Save the {button}").click()
        assert download.value.suggested_filename == f"a.prototxt-vs-b.prototxt.{name}"
        assert "conv" in download.value.path().read_text("utf-8")
    assert left(served[1]) == []
    tab.add_script_tag(path=str(AXE))
    found = tab.evaluate("axe.run('article', {iframes: false, runOnly: ['wcag2a', 'wcag2aa']})")
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    assert watch.heard == []


def test_a_file_dropped_on_a_side_is_compared_in_place_of_its_port(tab: Page) -> None:
    choose(tab, "b", "net/caffe")
    assert drop(tab, ".mr-side[data-side=a] select", "dropped.prototxt", NET) == ""
    assert tab.get_by_label("a file of mine").first.is_checked()
    expect(tab.locator(".mr-drop-name").first).to_contain_text("dropped.prototxt")
    expect(tab.get_by_role("button", name="Compare now")).to_be_enabled()


def test_a_file_dropped_beside_the_sides_opens_nothing(tab: Page) -> None:
    assert drop(tab, "h1", "dropped.prototxt", NET) == ""
    assert not tab.get_by_label("a file of mine").first.is_checked()


def test_a_report_of_an_earlier_choice_is_marked_until_it_is_of_what_is_chosen(
    tab: Page, tmp_path: Path
) -> None:
    choose(tab, "b", "net/caffe")
    give(tab, "a", write(tmp_path, "one.prototxt", NET))
    tab.get_by_role("button", name="Compare now").click()
    report = tab.frame_locator(".mr-job iframe")
    expect(report.locator("h1")).to_have_text("one.prototxt against net/caffe", timeout=60_000)
    outdated = tab.locator(".mr-job-outdated")
    assert not outdated.is_visible()
    give(tab, "a", write(tmp_path, "two.prototxt", NET))
    expect(outdated).to_be_visible()
    tab.get_by_role("button", name="Compare now").click()
    expect(report.locator("h1")).to_have_text("two.prototxt against net/caffe", timeout=60_000)
    assert not outdated.is_visible()


def test_a_published_page_is_not_left_for_a_file_dropped_on_it(page: Page) -> None:
    page.goto(f"/{COMPARE}")
    assert drop(page, ".mr-side", "dropped.prototxt", NET) == ""


def test_a_broken_file_is_told_with_its_line_and_a_port_of_the_catalog_is_compared_at_once(
    tab: Page, tmp_path: Path
) -> None:
    give(tab, "a", write(tmp_path, "broken.prototxt", 'layer { name: "a" type: '))
    choose(tab, "b", "net/caffe")
    tab.get_by_role("button", name="Compare now").click()
    alert = tab.locator(".mr-job .mr-failure")
    expect(alert).to_contain_text("broken.prototxt:1:25", timeout=60_000)
    expect(alert).to_contain_text("Fix:")
    give(tab, "a", write(tmp_path, "mine.prototxt", NET))
    tab.get_by_role("button", name="Compare now").click()
    report = tab.frame_locator(".mr-job iframe")
    expect(report.locator("h1")).to_have_text("mine.prototxt against net/caffe", timeout=60_000)


def test_code_runs_only_after_consent_and_can_be_stopped(
    tab: Page, served: tuple[str, Path], tmp_path: Path
) -> None:
    give(tab, "a", write(tmp_path, "net.lua", "local nn = require 'nn'\nwhile true do end\n"))
    choose(tab, "b", "net/caffe")
    go, trust = tab.get_by_role("button", name="Compare now"), tab.get_by_label("I trust it").first
    assert go.is_disabled() and not trust.is_checked()
    trust.check()
    tab.get_by_text("Settings").first.click()
    tab.locator("[data-field=framework]").first.select_option("torch7")
    go.click()
    expect(tab.locator(".mr-job-stage")).to_have_text(
        re.compile("loading A, net.lua"), timeout=60_000
    )
    tab.get_by_role("button", name="Cancel").click()
    expect(tab.locator(".mr-job-stage")).to_have_text("Cancelled.")
    deadline = time.monotonic() + 20
    while left(served[1]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
