"""What readers typed into the search, each with a page that must be among the first three."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from modeldocs.site.search import files as search_files

from .test_finding import results

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

SEARCHES = {
    "resnet": "models/resnet50/index.html",
    "LRN": "models/alexnet/index.html",
    "local response": "models/alexnet/index.html",
    "attention": "models/bert-base/index.html",
    "gelu": "models/bert-base/index.html",
    "dropout": "models/simple-cnn/ports/keras/index.html",
    "pool1": "models/alexnet/ports/caffe/index.html",
    "conv5_3": "models/ssd300-vgg16/ports/caffe/index.html",
    "layer1.0.conv2": "models/resnet50/ports/pytorch/index.html",
    "lenet mxnet": "models/lenet/ports/mxnet/index.html",
    "weights conversion": "guide/weights/index.html",
    "RTX 4090": "benchmarks/index.html",
    "titan x": "benchmarks/index.html",
    "alexnet benchmark": "models/alexnet/benchmarks/index.html",
    "dilation": "layers/index.html",
    "dilation 6": "layers/index.html",
    "kernel 7x7": "layers/index.html",
    "stride 3x3": "layers/index.html",
    "padding same": "layers/index.html",
    "how to install": "guide/index.html",
    "memory peak": "guide/benchmarks/index.html",
    "export png": "guide/pages/index.html",
    "not verified": "proofs/index.html",
    "compare alexnet resnet": "compare/index.html",
    "pull request preview": "guide/previews/index.html",
    "benchmark my own model": "guide/benchmarks/index.html",
    "who is the owner": "guide/catalog/index.html",
}
LARGEST = 250_000
"""Bytes of the entries, compressed as servers send them."""


def test_each_search_leads_to_its_page(page: Page) -> None:
    page.goto("/index.html")
    page.locator(".md-search__input").click()
    missed = {}
    for words, target in SEARCHES.items():
        found = results(page, words)
        if target not in found:
            missed[words] = found
    assert missed == {}


def test_the_entries_are_loaded_by_the_first_search(page: Page, own_site: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/index.html")
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if search_files.ENTRIES in url]
    assert results(page, "resnet")
    assert [url for url in asked if search_files.ENTRIES in url]
    assert len(gzip.compress((own_site / search_files.ENTRIES).read_bytes())) < LARGEST


def test_a_setting_that_was_searched_for_filters_the_layers(page: Page) -> None:
    page.goto("/index.html")
    results(page, "kernel 7x7")
    page.locator(".md-search-result__link[href*='layers/']").first.click()
    page.wait_for_url("**/layers/index.html?h=*")
    expect(page.get_by_label("Find")).to_have_value("kernel=7x7")
