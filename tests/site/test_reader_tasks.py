"""Ten questions of a reader, each answered from the home page within two clicks.

A click is one on a link or button, or one choice in a filter.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

MOST_CLICKS = 2


class Reader:
    """A reader who starts at the home page, and whose clicks are counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto("/index.html")

    def click(self, target: Locator) -> None:
        """Click on a target that can be seen."""
        target.click()
        self._count()

    def choose(self, name: str, value: str) -> None:
        """Choose a value in a filter of the table of layers."""
        self.page.locator(f"select[name={name}]").select_option(value)
        self._count()

    def _count(self) -> None:
        self.clicks += 1
        assert self.clicks <= MOST_CLICKS

    def open_model(self, title: str) -> None:
        """Open a model from the home page."""
        self.click(self.page.locator("#catalog tbody th").get_by_role("link", name=title))

    def open_port(self, model: str, port: str) -> None:
        """Open a port from the home page."""
        row = self.page.locator("#catalog tbody tr").filter(has_text=model)
        self.click(row.get_by_role("link", name=port, exact=True))

    def layers(self) -> Locator:
        """The rows of the layer table that are shown."""
        return self.page.locator("#layers-table tbody tr:visible")


@pytest.fixture
def reader(page: Page) -> Reader:
    return Reader(page)


def test_1_which_ports_are_not_equal_to_the_reference_and_why(reader: Reader) -> None:
    reader.click(reader.page.get_by_role("link", name="Proofs").first)
    row = reader.page.locator("#against-table tbody tr").filter(has_text="ResNet-50")
    expect(row).to_contain_text("pytorch")
    expect(row).to_contain_text("different")
    expect(row.locator(".mr-differs-in")).to_contain_text("stride in the")


def test_2_settings_of_the_third_convolution(reader: Reader) -> None:
    reader.open_port("ResNet-50", "pytorch")
    reader.choose("operator", "Conv")
    third = reader.layers().nth(2)
    expect(third).to_contain_text("3×3 pad 1")
    third.scroll_into_view_if_needed()
    expect(third.locator("td.mr-settings")).to_be_in_viewport()


def test_3_which_ports_compute_the_same_function(reader: Reader) -> None:
    reader.open_model("ResNet-50")
    families = reader.page.locator(".mr-family .mr-members")
    assert [text.split()[0] for text in families.all_inner_texts()] == ["pytorch", "caffe"]


def test_4_where_the_parameters_are(reader: Reader) -> None:
    reader.open_port("BERT base", "pytorch")
    table = reader.page.get_by_role("region", name="Parameters by block")
    for block in ("Attention", "MLP"):
        row = table.locator("tr").filter(has_text=block).first
        expect(row).to_contain_text(re.compile(r"\d+\.\d %"))


def test_5_operators_and_where_the_source_makes_the_prior_boxes(reader: Reader) -> None:
    reader.open_port("SSD300", "caffe")
    expect(reader.page.get_by_role("region", name="Operators")).to_contain_text("PriorBox")
    reader.choose("operator", "caffe::PriorBox")
    assert reader.layers().count() == 6
    place = reader.layers().first.locator("td.mr-place a")
    reader.layers().first.scroll_into_view_if_needed()
    expect(place).to_be_in_viewport()
    assert re.search(r"\d+", place.inner_text())


def test_6_how_fast_it_is_on_which_device(reader: Reader) -> None:
    row = reader.page.locator("#catalog tbody tr").filter(has_text="ResNet-50")
    expect(row.locator(".mr-speed")).to_contain_text(re.compile(r"/s.*RTX.*ms.*(EPYC|Xeon)", re.S))
    assert reader.clicks == 0


def test_7_total_macs_and_total_and_peak_activations(reader: Reader) -> None:
    reader.open_port("ResNet-50", "pytorch")
    facts = reader.page.locator(".mr-facts")
    expect(facts).to_contain_text("4.09 G")
    expect(facts).to_contain_text(re.compile(r"Activations\s*[\d.]+ M\w+, peak [\d.]+ M\w+ at"))


def test_8_a_network_at_a_glance(reader: Reader) -> None:
    reader.page.set_viewport_size({"width": 1920, "height": 1080})
    reader.open_model("Inception-BN")
    drawing = reader.page.locator(".mr-overview svg.mr-diagram")
    expect(drawing).to_be_visible()
    sizes = drawing.locator("text").evaluate_all(
        "texts => texts.map(text => text.getBoundingClientRect().height)"
    )
    box = drawing.bounding_box()
    assert box is not None
    assert box["height"] <= 1080
    assert min(sizes) >= 11
    assert drawing.locator("g.node").count() <= 25


def test_9_what_changed_between_two_ports_and_what_diverges_first(reader: Reader) -> None:
    reader.open_model("ResNet-50")
    row = reader.page.locator(".mr-ports tbody tr").filter(has_text="caffe").first
    expect(row).to_contain_text("stride in the")
    expect(row.locator(".mr-first")).not_to_be_empty()
    reader.click(row.locator("a.mr-badge[class*=mr-verdict]"))
    expect(reader.page.locator(".mr-verdict")).to_contain_text("first diverge at")
    expect(reader.page.locator(".mr-changes").first).to_contain_text("stride 2 moved")


def test_10_a_link_to_one_layer_of_a_diff(reader: Reader) -> None:
    reader.page.goto("/models/resnet50/diffs/pytorch-vs-caffe/index.html")
    name = reader.page.locator("#alignment tr[data-changes] td.mr-name a[id]").first
    reader.click(name)
    expect(reader.page).to_have_url(re.compile("#a-"))
    address = reader.page.url
    reader.page.goto("about:blank")
    reader.page.goto(address)
    target = reader.page.locator(f"[id='{address.partition('#')[2]}']")
    expect(target).to_be_in_viewport()
