"""Getting about the site: bars, titles, missing pages, opened files, colours, paper."""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from modeldocs.site import breadcrumbs, not_found_page
from modeldocs.site.breadcrumbs import Switch
from modeldocs.site.templating import PageLink, Templates

from ..browser import AXE, OpenTab

PORT = "models/lenet/ports/caffe/index.html"
DIFF = "models/lenet/diffs/caffe-vs-mxnet/index.html"

BRIGHTNESS = """
() => {
  const pencil = document.createElement("canvas").getContext("2d");
  const bright = (colour) => {
    pencil.fillStyle = "#888";
    pencil.fillRect(0, 0, 1, 1);
    pencil.fillStyle = colour;
    pencil.fillRect(0, 0, 1, 1);
    const [red, green, blue] = pencil.getImageData(0, 0, 1, 1).data;
    return (red + green + blue) / 3;
  };
  const body = getComputedStyle(document.body).backgroundColor;
  const root = getComputedStyle(document.documentElement).backgroundColor;
  const text = getComputedStyle(document.querySelector("h1")).color;
  return [bright(body === "rgba(0, 0, 0, 0)" ? root : body), bright(text)];
}
"""
"""Brightness of a page's ground and of its heading, 0 to 255."""

browsing = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]


def crumbs(page: Page) -> list[str]:
    return page.locator(".mr-crumbs li").all_inner_texts()


class TestBar:
    pytestmark = browsing

    def test_a_port_leads_to_its_model_the_catalog_and_the_other_ports(self, page: Page) -> None:
        page.goto(f"/{PORT}")
        assert crumbs(page) == ["Catalog", "LeNet", "caffe"]
        assert page.locator(".mr-switch [aria-current]").inner_text() == "caffe"
        page.locator(".mr-switch").get_by_role("link", name="onnx").click()
        assert page.url.endswith("/models/lenet/ports/onnx/index.html")
        page.locator(".mr-crumbs").get_by_role("link", name="LeNet").click()
        assert page.url.endswith("/models/lenet/index.html")

    def test_a_model_leads_to_those_before_and_after_it(self, page: Page) -> None:
        page.goto("/models/lenet/index.html")
        page.locator(".mr-neighbours [rel=next]").click()
        assert crumbs(page)[-1] == "Net with 4 hidden layers"
        page.locator(".mr-neighbours [rel=prev]").click()
        assert crumbs(page)[-1] == "LeNet"
        page.goto("/models/alexnet/index.html")
        assert page.locator(".mr-neighbours a").count() == 1

    def test_a_diff_changes_one_of_its_sides_at_a_time(self, page: Page) -> None:
        page.goto(f"/{DIFF}")
        assert crumbs(page)[-1] == "caffe vs mxnet"
        assert page.locator(".mr-switch [aria-current]").all_inner_texts() == ["caffe", "mxnet"]
        page.locator(".mr-switch").first.get_by_role("link", name="onnx").click()
        names = set(page.locator(".mr-crumbs [aria-current]").inner_text().split(" vs "))
        assert names == {"onnx", "mxnet"}

    def test_no_two_pages_have_the_same_title(self, own_site: Path) -> None:
        pages = list(own_site.rglob("index.html"))
        titles = {re.search(r"<title>(.*?)</title>", file.read_text())[1] for file in pages}  # type: ignore[index]
        assert len(titles) == len(pages)

    def test_reports_begin_right_below_the_header(self, page: Page) -> None:
        page.goto(f"/{PORT}")
        top = page.locator(".mr-where").bounding_box()
        tabs = page.locator(".md-tabs").bounding_box()
        assert top is not None
        assert tabs is not None
        assert 0 <= top["y"] - tabs["y"] - tabs["height"] <= 24

    @pytest.mark.parametrize("width", [1440, 1920, 2560])
    def test_reports_are_in_the_middle_of_the_window(self, page: Page, width: int) -> None:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("/index.html")
        box = page.locator(".md-content__inner").bounding_box()
        assert box is not None
        assert abs(box["x"] - (width - box["x"] - box["width"])) <= 24


def test_many_choices_are_a_menu() -> None:
    choices = tuple(
        PageLink(text=f"port{n}", href=f"{n}.html") for n in range(breadcrumbs.MAX_OPEN + 1)
    )
    switch = Switch(label="Ports", choices=choices, current="port2")
    html = Templates().html("bar", path=[], current="port2", switches=[switch], around=None)
    assert "<details" in html
    assert f"3 of {len(choices)}" in html
    assert html.count('aria-current="page"') == 2


@pytest.fixture
def deep_address(own_site: Path) -> Iterator[str]:
    """A server that has the site in the folder `/docs/nets/` and answers as hosts of pages do."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            inside = path.removeprefix("/docs/nets") if path.startswith("/docs/nets/") else "/none"
            return super().translate_path(inside)

        def send_error(self, code: int, *_: object) -> None:  # type: ignore[override]
            self.send_response(code)
            self.end_headers()
            self.wfile.write((own_site / "404.html").read_bytes())

        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Handler, directory=str(own_site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/docs/nets"
    server.shutdown()
    server.server_close()


class TestMissing:
    pytestmark = browsing

    @pytest.mark.parametrize(
        ("path", "words"),
        [
            ("models/lenet/ports/theano/", "lenet theano"),
            ("models/lenet/diffs/caffe-vs-theano/index.html", "lenet caffe theano"),
            ("lenet", "lenet"),
        ],
    )
    def test_it_searches_for_the_words_of_the_address_in_any_folder_of_a_server(
        self, open_tab: OpenTab, deep_address: str, path: str, words: str
    ) -> None:
        tab = open_tab()
        tab.goto(f"{deep_address}/{path}")
        tab.wait_for_function(
            "root => document.getElementById('home').href === `${root}/index.html`",
            arg=deep_address,
        )
        assert tab.get_by_role("searchbox").input_value() == words
        tab.get_by_role("button", name="Search").click()
        tab.locator(".md-search-result__link[href*='models/lenet']").first.wait_for()
        assert tab.url.startswith(f"{deep_address}/index.html")

    def test_it_leads_to_the_catalog(self, open_tab: OpenTab, deep_address: str) -> None:
        tab = open_tab()
        tab.goto(f"{deep_address}/models/nothing/")
        tab.get_by_role("link", name="All models").click()
        expect(tab.locator("#catalog")).to_be_visible()


def test_the_page_for_missing_addresses_knows_the_address_of_its_site() -> None:
    paths = ["models/index.md", "models/lenet/index.md", "assets/modeldocs.css"]
    html = not_found_page.page(Templates(), "<nets>", "https://example.org/docs/", paths)
    assert 'action="/docs/index.html"' in html
    assert 'href="/docs/models/index.html"' in html
    assert "&lt;nets&gt;" in html
    assert '["assets", "models"]' in html


class TestOpenedAsFiles:
    pytestmark = browsing

    def test_links_and_search_need_no_server(self, new_tab: Page, own_site: Path) -> None:
        tab = new_tab
        heard: list[str] = []
        tab.on("console", lambda message: heard.append(message.text))
        tab.on("pageerror", lambda error: heard.append(str(error)))
        tab.on("request", lambda r: r.url.startswith(("http:", "https:")) and heard.append(r.url))
        tab.goto(f"file://{own_site}/index.html")
        tab.locator("#catalog th").get_by_role("link", name="LeNet").click()
        tab.locator("a[href$='ports/caffe/index.html']").first.click()
        tab.locator("a[href$='diffs/caffe-vs-mxnet/index.html']").first.click()
        assert tab.url == f"file://{own_site}/{DIFF}"
        tab.locator(".mr-crumbs").get_by_role("link", name="Catalog").click()
        for name in ("Guide", "Proofs", "Catalog"):
            tab.locator(".md-tabs").get_by_role("link", name=name).click()
            assert tab.url.endswith("index.html")
        tab.locator(".md-search__input").click()
        tab.locator(".md-search__input").press_sequentially("lenet caffe")
        result = tab.locator(".md-search-result__link[href*='lenet/ports/caffe']").first
        result.click()
        tab.wait_for_url(f"file://{own_site}/{PORT}?*")
        assert heard == []


class TestColours:
    pytestmark = browsing

    @pytest.mark.parametrize("scripts", [True, False])
    @pytest.mark.parametrize("path", ["index.html", PORT, "404.html"])
    def test_they_follow_the_system_with_and_without_javascript(
        self, open_tab: OpenTab, address: str, path: str, scripts: bool
    ) -> None:
        brightness = {}
        for scheme in ("light", "dark"):
            tab = open_tab(color_scheme=scheme, java_script_enabled=scripts)
            tab.goto(f"{address}/{path}")
            brightness[scheme] = tab.evaluate(BRIGHTNESS)
        assert brightness["light"][0] > 230 > 100 > brightness["light"][1]
        assert brightness["dark"][0] < 60 < 180 < brightness["dark"][1]


class TestPaper:
    pytestmark = browsing

    @pytest.mark.parametrize("path", ["index.html", PORT, DIFF])
    def test_no_navigation_is_printed(self, page: Page, path: str) -> None:
        page.goto(f"/{path}")
        page.emulate_media(media="print")
        for chrome in (".md-header", ".md-tabs", ".mr-where", ".mr-filter", ".md-footer"):
            assert not any(part.is_visible() for part in page.locator(chrome).all()), chrome
        heading = page.locator("article h1").bounding_box()
        assert heading is not None
        assert heading["y"] < 60


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "path",
    ["404.html", "index.html?q=conv"],
)
class TestAccess:
    pytestmark = browsing

    """Of what `test_layout` does not open."""

    def test_what_a_reader_meets_in_between_is_accessible(
        self, open_tab: OpenTab, address: str, path: str, scheme: str
    ) -> None:
        tab = open_tab(color_scheme=scheme, base_url=address)
        tab.goto(f"/{path}")
        place = "article, main, body"
        if "q=" in path:
            tab.locator(".md-search-result__item").first.wait_for()
            # Colours are those of the list once it has faded in.
            tab.evaluate("Promise.allSettled(document.getAnimations().map(one => one.finished))")
            place = ".md-search-result__list"
        tab.add_script_tag(path=str(AXE))
        found = tab.evaluate(
            "place => axe.run(document.querySelector(place), {resultTypes: ['violations']})", place
        )
        violations = [
            (broken["id"], broken["impact"], broken["nodes"][0]["html"][:200])
            for broken in found["violations"]
            if not all(foreign(node) for node in broken["nodes"])
        ]
        assert violations == []


def foreign(node: dict[str, object]) -> bool:
    """Whether a finding of axe is about the theme's own elements, which we do not write."""
    target = str(node["target"])
    return "md-" in target and "mr-" not in target
