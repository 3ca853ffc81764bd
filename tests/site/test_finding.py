"""What readers look for: search and the catalog's filter lead to the right page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from modeldocs.site import offline
from modeldocs.site.search import files as search_files
from tests import onnxes

from ..browser import OpenTab
from ..commands import run_here
from .conftest import _once

browsing = [
    pytest.mark.browser,
    pytest.mark.xdist_group("found site"),
]

CONFIG = """\
site_name: found
theme: {name: material, font: false, features: [search.highlight]}
plugins: [search, modeldocs]
markdown_extensions: [attr_list, md_in_html, tables]
"""

RESIDUAL = """
name: "net"
input: "data" input_dim: 1 input_dim: 3 input_dim: 16 input_dim: 16
layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1"
  convolution_param { num_output: 8 kernel_size: 3 pad: 1 } }
layer { name: "bn1" type: "BatchNorm" bottom: "conv1" top: "bn1" batch_norm_param { eps: EPSILON } }
layer { name: "scale1" type: "Scale" bottom: "bn1" top: "scale1" scale_param { bias_term: true } }
layer { name: "relu1" type: "ReLU" bottom: "scale1" top: "relu1" }
"""

DETECTOR = """
name: "net"
input: "data" input_dim: 1 input_dim: 3 input_dim: 16 input_dim: 16
layer { name: "first" type: "Convolution" bottom: "data" top: "first"
  convolution_param { num_output: 8 kernel_size: 3 pad: 1 } }
layer { name: "boxes" type: "PriorBox" bottom: "first" bottom: "data" top: "boxes"
  prior_box_param { min_size: 4 aspect_ratio: 2 flip: true } }
"""

ENCODER = """
net (float[1, 3, 16, 16] x) => (float[1, 4, 16, 16] y) {
  a = Conv <kernel_shape = [3, 3], auto_pad = "SAME_UPPER"> (x, w)
  y = Gelu (a)
}
"""


def write_catalog(folder: Path) -> None:
    """Three models: a residual network in two ports, a detector, an encoder."""

    def put(name: str, text: str | bytes) -> None:
        path = folder / "models" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    (folder / "mkdocs.yml").write_text(CONFIG)
    (folder / "docs").mkdir()
    (folder / "docs" / "guide.md").write_text(
        "# Guide\n\nGelu, epsilon, conv1 and padding: same.\n"
    )
    put("resnet/caffe.prototxt", RESIDUAL.replace("EPSILON", "1e-5"))
    put("resnet/fork.prototxt", RESIDUAL.replace("EPSILON", "1e-3"))
    put("resnet/model.yml", "title: ResNet tiny\ntags: [residual]\n")
    put("detector/caffe.prototxt", DETECTOR)
    put("detector/model.yml", "title: Boxes\ntask: object detection\n")
    model = onnxes.parse(ENCODER, w=(4, 3, 3, 3))
    put("encoder/model.onnx", model.SerializeToString())
    put("encoder/model.yml", "title: Encoder\n")


@pytest.fixture(scope="module")
def found_site(shared_folder: Path) -> Path:
    """The site of these models."""

    def make(folder: Path) -> None:
        write_catalog(folder)
        process = run_here("build", "--strict", cwd=folder)
        assert process.returncode == 0, process.stdout + process.stderr

    return _once(shared_folder / "found", make) / "site"


@pytest.fixture
def reader(open_tab: OpenTab, found_site: Path, serve: Callable[[Path], str]) -> Page:
    return open_tab(base_url=serve(found_site))


def results(page: Page, words: str) -> list[str]:
    """Addresses of the first three results of the search box, as a reader uses it."""
    box = page.locator(".md-search__input")
    box.click()
    box.fill(words[:-1])
    box.press(words[-1])  # only a key starts a search
    page.locator(".md-search-result__item").first.wait_for()
    page.wait_for_timeout(100)
    items = page.locator(".md-search-result__item > a, .md-search-result__item a:first-child")
    links = [link.get_attribute("href") or "" for link in items.all()]
    pages = dict.fromkeys(link.partition("?")[0].partition("#")[0] for link in links)
    return [link.partition("//")[2].partition("/")[2] for link in pages][:3]


TOLD_AT_FIRST = """(address) => new Promise((done) => {
  const worker = new Worker(address), told = [];
  worker.addEventListener("message", ({ data }) => {
    if (told.push(data) === 2) done(told);
    else worker.postMessage({ type: 2, data: "" });
  });
  worker.postMessage({ type: 0, data: { config: { lang: ["en"] }, docs: null } });
})"""
"""What the script of the search answers to its index and to an empty search."""


@pytest.mark.parametrize(
    ("words", "place", "target"),
    [
        ("resnet", 1, "models/resnet/index.html"),
        ("batchnorm epsilon", 1, "models/resnet/index.html"),
        ("conv1", 3, "models/resnet/ports/caffe/index.html"),
        ("gelu", 1, "models/encoder/index.html"),
        ("padding same", 3, "models/encoder/index.html"),
        ("detection", 1, "models/detector/index.html"),
        ("prior box", 1, "models/detector/index.html"),
        ("kernel 3x3", 1, "layers/index.html"),
        ("kernels of 3", 1, "layers/index.html"),
        ("pad=1 resnet", 1, "models/resnet/index.html"),
        ("epsilon 1e-3", 1, "models/resnet/index.html"),
        ("which ports are not verified", 1, "proofs/index.html"),
        ("compare boxes encoder", 1, "compare/index.html"),
    ],
)
class TestSearch:
    pytestmark = browsing

    def test_it_leads_to_the_right_page(
        self, reader: Page, words: str, place: int, target: str
    ) -> None:
        reader.goto("/index.html")
        found = results(reader, words)
        assert target in found[:place], found


class TestFound:
    pytestmark = browsing

    def test_a_model_comes_before_its_ports_and_these_before_diffs(self, reader: Page) -> None:
        reader.goto("/index.html")
        found = results(reader, "resnet tiny")
        assert [link.count("/ports/") + 2 * link.count("/diffs/") for link in found] == [0, 1, 1]

    def test_what_is_shown_of_a_page_has_no_breadcrumbs_and_only_what_was_found(
        self, reader: Page
    ) -> None:
        reader.goto("/index.html")
        results(reader, "conv1")
        shown = reader.locator(".md-search-result__list").inner_text()
        assert "Layers: conv1 bn1 relu1" in shown
        assert "Catalog" not in shown
        assert "Operators" not in shown

    def test_a_layer_is_selected_on_the_page_that_search_leads_to(self, reader: Page) -> None:
        reader.goto("/index.html")
        results(reader, "bn1")
        reader.locator(".md-search-result__item a[href*='ports/caffe']").first.click()
        reader.wait_for_url("**/ports/caffe/index.html?h=bn1#batchnormalization-1")

    def test_its_index_is_built_for_the_first_search(self, reader: Page, found_site: Path) -> None:
        """One of no documents, which cannot be built, is told as ready."""
        reader.goto("/index.html")
        worker = next(found_site.glob(search_files.WORKERS))
        told = reader.evaluate(TOLD_AT_FIRST, f"/{worker.relative_to(found_site)}")
        assert told == [{"type": 1}, {"type": 3, "data": {"items": []}}]

    def test_the_address_can_hold_a_search(self, reader: Page) -> None:
        reader.goto("/index.html?q=gelu")
        reader.locator(".md-search-result__link[href*='models/encoder']").first.wait_for()

    def test_the_filter_of_the_catalog_finds_operators_and_frameworks(self, reader: Page) -> None:
        reader.goto("/index.html")
        names = reader.locator("#catalog tbody tr:visible th a")
        reader.get_by_label("Find").fill("PriorBox")
        assert names.all_inner_texts() == ["Boxes"]
        reader.get_by_label("Find").fill("")
        reader.locator(".mr-chips").get_by_text("ONNX 1").click()
        reader.locator("output", has_text="1 of 3").wait_for()
        assert names.all_inner_texts() == ["Encoder"]
        assert reader.get_by_role("combobox", name="Port").input_value() == "ONNX"


def test_the_index_is_small_and_its_words_are_on_no_page(found_site: Path) -> None:
    assert (found_site / search_files.INDEX).stat().st_size < 1000
    assert (found_site / search_files.ENTRIES).stat().st_size < 60_000
    port = (found_site / "models/resnet/ports/caffe/index.html").read_text()
    assert "data-late" not in port
    assert "Layers: conv1" not in port


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('<a href="..">', '<a href="../index.html">'),
        ('<a href="./">', '<a href="./index.html">'),
        ('<a href="../guide/#ports">', '<a href="../guide/index.html#ports">'),
        ('<link rel="next" href="guide/diff/">', '<link rel="next" href="guide/diff/index.html">'),
        ('<a href="guide/diff.html">', '<a href="guide/diff.html">'),
        ('<a href="https://example.org/x/">', '<a href="https://example.org/x/">'),
        ('<a href="/x/">', '<a href="/x/">'),
        ('<a href="#x/">', '<a href="#x/">'),
        ('<a href="mailto:a@b.c/">', '<a href="mailto:a@b.c/">'),
    ],
)
def test_links_to_folders_lead_to_the_page_in_them(written: str, read: str) -> None:
    assert offline.link_files(written) == read


def test_results_lead_to_files_and_entries_are_apart_and_also_in_a_script(tmp_path: Path) -> None:
    file = tmp_path / search_files.INDEX
    file.parent.mkdir()
    places = ["", "models/lenet/", "models/lenet/#ports", "guide.html"]
    file.write_text(json.dumps({"config": {}, "docs": [{"location": place} for place in places]}))
    search_files.link_files(tmp_path)
    assert json.loads(file.read_text()) == {"config": {}, "docs": []}
    entries = json.loads((tmp_path / search_files.ENTRIES).read_text())
    assert [entry["location"] for entry in entries] == [
        "index.html",
        "models/lenet/index.html",
        "models/lenet/index.html#ports",
        "guide.html",
    ]
    script = (tmp_path / search_files.INLINE).read_text()
    assert json.loads(script.removeprefix("var __index = "))["docs"] == entries
    search_files.link_files(tmp_path / "no such site")
