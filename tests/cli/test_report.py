"""`modeldocs diff --html`: one file that stands alone, wherever it is opened."""

from __future__ import annotations

import re

import pytest

from ..browser import AXE
from ..commands import run_here
from ..prototxts import NET
from ..site.conftest import HOSTILE

pytestmark = pytest.mark.xdist_group("report")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report of a net against one whose convolution has a hostile name and other weights."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "net.prototxt").write_text(NET)
    other = NET.replace("num_output: 4", "num_output: 6").replace('"conv"', f'"{HOSTILE}"', 1)
    (folder / "other.prototxt").write_text(other)
    write(folder / "report.html")
    return folder / "report.html"


def write(report):
    sources = [str(report.with_name(name)) for name in ("net.prototxt", "other.prototxt")]
    process = run_here("diff", *sources, "--html", str(report), cwd=report.parent)
    assert (process.returncode, process.stderr) == (0, "")


def test_it_names_no_other_file(report):
    text = report.read_text("utf-8")
    links = re.findall(r'(?:src|href|action|data)="([^"]*)"', text)
    assert links
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"<link\b|<img\b|<iframe\b|@import|url\(|srcset=", text)
    assert HOSTILE not in text


def test_it_is_the_same_bytes_every_time(report):
    write(report.with_name("again.html"))
    assert report.read_bytes() == report.with_name("again.html").read_bytes()


def test_it_has_every_part(report):
    text = report.read_text("utf-8")
    for heading in ("What differs", "Side by side", "Diagrams"):
        assert f">{heading}</h2>" in text
    assert text.count("<svg") == 2  # a net without groups has two overviews, and no other level
    assert "net.prototxt <small>against</small>" in text
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)


def test_links_of_what_changed_are_marked_in_both_diagrams(report):
    text = report.read_text("utf-8")
    for side in "ab":
        marked = rf'<a xlink:href="#{side}-conv-1"[^>]* class="mr-marked mr-consequence-'
        assert re.search(marked, text)


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "width"), [("light", 1500), ("dark", 390)])
def test_it_opens_from_a_file_without_an_error_or_a_request(report, browser, scheme, width):
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    heard = []
    context.on("console", lambda message: heard.append(message.text))
    context.on("weberror", lambda error: heard.append(str(error.error)))
    context.on("request", lambda request: heard.append(request.url))
    tab = context.new_page()
    tab.goto(f"{report.as_uri()}#a-conv-1")
    row = tab.locator("#a-conv-1")
    assert row.is_visible()
    assert tab.evaluate("innerWidth - document.documentElement.scrollWidth") >= 0
    assert row.locator("xpath=ancestor::tr").get_attribute("aria-selected")
    tab.locator("[name=change]").select_option("any")
    tab.get_by_label("why they match").check()
    assert tab.locator("#alignment tbody tr:visible").count() in (1, 2)
    tab.locator(".mr-twin a[data-node='conv-1']").nth(1).click()
    assert tab.locator(".mr-twins .mr-lit").count() == 2
    assert [told for told in heard if not told.startswith(report.as_uri())] == []
    assert serious(tab) == []
    context.close()


def serious(tab):
    tab.evaluate(AXE.read_text("utf-8"))
    found = tab.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa']})")
    return [
        (broken["id"], broken["nodes"][0]["html"][:200])
        for broken in found["violations"]
        if broken["impact"] in ("serious", "critical")
    ]
