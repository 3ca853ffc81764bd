"""Questions that readers asked of the catalog; each is answered by two clicks or one search.

Ten more are in `test_reader_tasks`.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from .test_reader_tasks import Reader

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]


@pytest.fixture
def reader(page: Page) -> Reader:
    return Reader(page)


def tab(reader: Reader, name: str) -> None:
    """Open a page of the whole catalog by its tab."""
    reader.click(reader.page.locator(".md-tabs").get_by_role("link", name=name, exact=True))


def test_padding_of_pool1_in_each_port_of_alexnet(reader: Reader) -> None:
    """Pads of 0 are told, too."""
    reader.open_model("AlexNet (BVLC)")
    reader.page.locator("#every-port").scroll_into_view_if_needed()
    row = reader.page.locator("#every-port tbody tr", has_text="pool1").first
    row.wait_for()
    assert row.locator("td").count() >= 2
    assert row.inner_text().count("3×3 pad 0 /2") == 2


def test_inference_of_resnet50_on_an_rtx_4090_and_its_source(reader: Reader) -> None:
    tab(reader, "Benchmarks")
    cell = reader.page.locator("td[data-label='RTX 4090']", has_text="8,039").first
    reader.click(cell.get_by_role("link"))
    row = reader.page.locator(f"[id='{reader.page.url.partition('#')[2]}']")
    expect(row).to_contain_text("Results of timm's benchmark script")


def test_why_one_run_is_slower_than_another(reader: Reader) -> None:
    tab(reader, "Benchmarks")
    reader.click(reader.page.get_by_role("link", name="LeNet").first)
    expect(reader.page.locator("#explained")).to_be_visible()


def test_where_in_the_source_a_layer_is(reader: Reader) -> None:
    reader.open_port("ResNet-50", "pytorch")
    reader.click(reader.page.locator("#layers-table tbody tr", has_text="layer1.0.conv2").first)
    expect(reader.page.locator(".mr-card")).to_contain_text(re.compile(r"line \d+ self\.conv2"))


def test_ports_without_a_proof(reader: Reader) -> None:
    tab(reader, "Proofs")
    form = reader.page.locator("[data-for=proof-table]")
    form.get_by_label("Verdict").select_option("not tried")
    rows = reader.page.locator("#proof-table tbody tr:visible")
    expect(rows.first).to_be_visible()
    assert "verified" not in rows.locator("td:nth-child(4)").all_inner_texts()


def test_which_network_has_most_macs_per_parameter(reader: Reader) -> None:
    heading = reader.page.locator("#catalog thead th", has_text="MACs/param.")
    reader.click(heading.get_by_role("button"))
    reader.click(heading.get_by_role("button"))
    cells = reader.page.locator("#catalog tbody .mr-macs-per-parameter").all()
    figures = [float(cell.get_attribute("data-value") or 0) for cell in cells]
    assert figures == sorted(figures, reverse=True)


def test_every_layer_with_a_dilation(reader: Reader) -> None:
    tab(reader, "Layers")
    reader.click(reader.page.get_by_role("button", name="dilation > 1"))
    rows = reader.page.locator(".mr-all-layers tbody tr")
    expect(rows.filter(has_text="fc6").first).to_be_visible()


def test_networks_with_local_response_normalization(reader: Reader) -> None:
    reader.page.get_by_label("Find").fill("LRN")
    names = reader.page.locator("#catalog tbody tr:visible th a").all_inner_texts()
    assert "AlexNet (BVLC)" in names and "ResNet-50" not in names


def test_a_picture_of_a_network_for_a_slide(reader: Reader) -> None:
    reader.open_model("ResNet-50")
    reader.click(reader.page.locator(".mr-zoom .mr-save summary"))
    expect(
        reader.page.locator(".mr-zoom .mr-save").get_by_role("button", name="PNG")
    ).to_be_visible()


def test_two_models_against_each_other(reader: Reader) -> None:
    reader.page.goto("/compare/index.html")
    reader.page.get_by_label("Port A").select_option("resnet50/pytorch")
    reader.page.get_by_label("Port B").select_option("alexnet/pytorch")
    expect(reader.page.get_by_role("region", name="Stages")).to_contain_text("Bottleneck")


def test_devices_over_the_years(reader: Reader) -> None:
    tab(reader, "Benchmarks")
    reader.click(reader.page.get_by_role("link", name="AlexNet (BVLC)").first)
    expect(reader.page.get_by_role("heading", name="By GPU generation")).to_be_visible()


def test_how_much_faster_devices_have_become(reader: Reader) -> None:
    tab(reader, "Benchmarks")
    reader.click(reader.page.get_by_role("link", name="ResNet-50").first)
    gain = reader.page.get_by_role("listitem").filter(has_text="times the rate of").first
    expect(gain).to_contain_text(re.compile(r"\(2025, 16 bit\) gives [\d.]+ times the rate of"))
    expect(gain).to_contain_text(re.compile(r"\(2015, 32 bit\): [\d.]+ times a year"))


def test_the_cheapest_classifier_of_an_accuracy_on_a_device(reader: Reader) -> None:
    tab(reader, "Benchmarks")
    table = reader.page.locator("#accuracy-table")
    reader.page.get_by_label("Device").first.select_option("NVIDIA GeForce RTX 4090")
    heads = table.locator("th[data-device]:visible")
    expect(heads).to_have_count(1)
    row = table.locator("tbody tr", has_text="ResNet-50")
    expect(row).to_contain_text("76.13 %")
    expect(row).to_contain_text("8,039")
    reader.click(heads.get_by_role("button"))
    expect(heads).to_have_attribute("aria-sort", "ascending")


def test_weights_of_one_port_in_another(reader: Reader) -> None:
    reader.page.goto("/models/resnet50/diffs/pytorch-vs-caffe/index.html")
    fold = reader.page.locator("#convert")
    reader.click(fold.locator("summary"))
    expect(fold).to_contain_text(
        "modeldocs diff resnet50/pytorch resnet50/caffe --weights map.json"
    )
    expect(fold).to_contain_text("def converted(file, a):")


def test_time_by_layer(reader: Reader) -> None:
    tab(reader, "Benchmarks")
    reader.click(reader.page.get_by_role("link", name="ResNet-50").first)
    rows = reader.page.locator("#times-1 tbody tr")
    expect(rows).to_have_count(5)
    reader.page.get_by_role("button", name="All rows").first.click()  # the slowest are the answer
    expect(rows.first).to_contain_text("conv1")
    assert rows.count() > 100


def test_peak_memory_of_a_network(reader: Reader) -> None:
    reader.open_model("ResNet-50")
    expect(reader.page.locator(".mr-facts")).to_contain_text(re.compile(r"peak [\d.]+ MiB"))


def test_the_most_frequent_shapes_of_convolutions(reader: Reader) -> None:
    tab(reader, "Layers")
    form = reader.page.locator(".mr-catalog-layers form")
    form.locator("[name=operator]").select_option("Conv")
    form.locator("[name=by]").select_option("shape")
    rows = reader.page.locator(".mr-all-layers tbody tr", has_text="Conv")
    expect(rows.first).to_contain_text("×")


def test_what_bounds_a_layer_on_a_device(reader: Reader) -> None:
    reader.open_port("ResNet-50", "pytorch")
    reader.click(reader.page.locator(".mr-contents").get_by_role("link", name="Roofline"))
    expect(reader.page.locator(".mr-roofline-table")).to_contain_text("memory")


def test_which_kernels_ran(reader: Reader) -> None:
    tab(reader, "Benchmarks")
    reader.click(reader.page.get_by_role("link", name="ResNet-50").first)
    expect(reader.page.locator("#profiles")).to_be_visible()
