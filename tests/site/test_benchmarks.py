"""The pages of recorded runs in headless Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ..browser import OpenTab

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

ALL = "/benchmarks/index.html"
RESNET = "/models/resnet50/benchmarks/index.html"
RUNS = "#runs-table tbody tr"


def test_a_model_and_a_device_lead_to_the_record_and_its_source(page: Page) -> None:
    page.goto(ALL)
    row = page.locator(".mr-run-matrix").first.get_by_role("row", name=re.compile("^ResNet-50"))
    row.get_by_role("link", name="6,356").click()
    run = page.locator(":target")
    expect(run).to_contain_text("NVIDIA GeForce RTX 5090")
    run.locator(".mr-popover-button").click()
    expect(run).to_contain_text("Apache-2.0")
    expect(run).to_contain_text("benchmark-infer-amp-nchw-pt291-cu130-5090.csv")
    with page.expect_download() as download:
        run.get_by_role("link", name="Record as JSON").click()
    assert download.value.suggested_filename.endswith(".json")


def test_a_matrix_does_not_mix_input_sizes(page: Page) -> None:
    page.goto(ALL)
    best = page.locator(".mr-run-matrix").first.get_by_role("row", name=re.compile("^ResNet-50"))
    expect(best).to_contain_text("8,039")  # 224 × 224; at 160 × 160 it is 15,725
    expect(best).not_to_contain_text("15,725")


def test_runs_are_filtered_by_device_task_and_precision(page: Page) -> None:
    page.goto(ALL)
    everything = page.locator(RUNS).count()
    page.locator("select[name=device]").select_option("NVIDIA TITAN X (Pascal)")
    page.locator("select[name=task]").select_option("forward-backward")
    visible = page.locator(f"{RUNS}:visible")
    assert 0 < visible.count() < everything
    assert all("TITAN X (Pascal)" in text for text in visible.all_inner_texts())
    assert "device=NVIDIA" in page.url


def test_every_chart_has_its_numbers_in_the_table(page: Page) -> None:
    page.goto(RESNET)
    for heading in (
        "Inference",
        "Forward and backward",
        "Training",
        "By GPU generation",
        "All runs",
    ):
        expect(page.get_by_role("heading", name=heading, level=2)).to_be_visible()
    drawn = page.locator("#inference ~ div .mr-chart svg").first.get_attribute("aria-label") or ""
    rates = re.findall(r"compiled · batch 1,024: ([\d,]+)", drawn)
    assert rates == ["8,039"]
    expect(page.locator(RUNS).first).to_contain_text("8,039")


def test_times_by_layer_lead_to_the_layers_of_the_port(page: Page) -> None:
    page.goto("/models/alexnet-owt/benchmarks/index.html")
    row = page.locator("tr", has_text="conv2/5x5_s1")
    expect(row).to_contain_text("26.3 %")
    row.get_by_role("link").click()
    assert re.search(r"/models/alexnet-owt/ports/torch7/index\.html#conv-2$", page.url)
    expect(page.locator("#conv-2")).to_be_visible()


def test_a_slower_framework_is_explained_in_rows_that_add_up(page: Page) -> None:
    page.goto("/models/alexnet-owt/benchmarks/index.html")
    table = page.get_by_role("region", name="Caffe float32 and Torch7 float32, by phase")
    deltas = [
        float(row.locator("td").nth(2).inner_text().removesuffix(" ms"))
        for row in table.locator("tbody tr").all()
    ]
    whole = float(table.locator("tfoot td").nth(2).inner_text().removesuffix(" ms"))
    assert sum(deltas) == pytest.approx(whole, abs=0.002)
    assert whole == pytest.approx(128.729 - 80.96, abs=0.001)


def test_a_grade_comes_with_its_reasons(page: Page) -> None:
    page.goto(RESNET)
    run = page.locator(RUNS).first
    expect(run.locator(".mr-grade")).to_have_text("C")
    run.locator(".mr-popover-button").click()
    expect(run).to_contain_text("Only a mean or a rate is recorded")


def test_a_port_shows_its_own_runs_and_leads_to_all(page: Page) -> None:
    page.goto("/models/resnet50/ports/pytorch/index.html")
    section = page.locator("#recorded-benchmarks ~ div").first
    expect(section).to_contain_text("RTX 4090")
    expect(section).not_to_contain_text("GTX 1080")
    section.get_by_role("link", name=re.compile("All .* recorded runs")).click()
    expect(page).to_have_url(re.compile(re.escape(RESNET)))


@pytest.mark.parametrize(
    ("figure", "numbers", "value"),
    [
        ("Compute / memcpy efficiency", "28.27 ms ÷ 34.35 ms", "0.823"),
        ("Memcpy / compute overlap", "293.9 µs ÷ 28.27 ms", "1.0 %"),
        ("Throughput of small copies", "387,840 B ÷ 1.891 ms", "205.152 MB/s"),
        ("Memcpy overlap", "22.31 µs ÷ 8.643 ms", "0.3 %"),
        ("Compute utilisation", "28.27 ms ÷ 2.879 s", "1.0 %"),
    ],
)
def test_a_profile_shows_formula_numbers_and_meaning(
    page: Page, figure: str, numbers: str, value: str
) -> None:
    page.goto("/models/mlp-4-hidden/benchmarks/index.html")
    row = page.locator(".mr-panel tr", has_text=figure)
    expect(row).to_contain_text(numbers)
    expect(row.locator(".mr-number")).to_have_text(value)


def test_a_series_has_a_noise_band_and_a_verdict_for_each_step(page: Page) -> None:
    page.goto(RESNET)
    name = re.compile(r"^Step times of NVIDIA GeForce GTX TITAN X \(Maxwell\), Torch7, forward")
    rows = page.get_by_role("region", name=name).locator("tbody tr")
    expect(rows).to_have_count(3)  # cuDNN 4.0.7, 5.0.5, 5.1.5
    expect(rows.nth(0)).to_contain_text("175.8 to 182.1 ms")
    for row in (rows.nth(1), rows.nth(2)):
        expect(row).to_contain_text("faster")
    rows.nth(2).get_by_role("link").click()
    expect(page.locator(":target")).to_contain_text("5.1.5")


def test_a_sentence_tells_why_the_device_was_idle_and_what_helps(page: Page) -> None:
    page.goto(RESNET)
    told = page.locator(".mr-panel", has_text="Tesla V100").locator(".mr-idle")
    expect(told).to_contain_text("Idle 39.4 % of the window: 28.8 %")
    expect(told).to_contain_text("data loader, which has no workers")
    expect(told).to_contain_text("Set num_workers above 0")


def test_the_hot_operators_of_the_host_stand_below_the_device(page: Page) -> None:
    page.goto(RESNET)
    name = re.compile("^Operators of the host of PyTorch, Tesla V100")
    rows = page.get_by_role("region", name=name).locator("tbody tr")
    expect(rows).to_have_count(15)
    expect(rows.first).to_contain_text("DataLoader")
    expect(rows.first.locator(".mr-number")).to_have_text(["1", "45.48 ms", re.compile("%$")])


def test_copies_of_2016_have_the_printed_throughput(page: Page) -> None:
    page.goto("/models/cifar10-quick/benchmarks/index.html")
    rows = page.get_by_role("region", name=re.compile("^Copies of TensorFlow")).locator("tbody tr")
    told = [text.split("\t") for text in rows.all_inner_texts()]
    assert [(kind, rate) for kind, _, _, rate, _ in told] == [
        ("HtoD", "0.556 GB/s"), ("DtoH", "1.455 GB/s"), ("DtoD", "3.005 GB/s"),
    ]  # fmt: skip


def test_without_javascript_all_runs_are_there(open_tab: OpenTab, address: str) -> None:
    tab = open_tab(java_script_enabled=False)
    tab.goto(f"{address}{RESNET}")
    assert tab.locator(f"{RUNS}:visible").count() > 30


def test_a_catalog_without_records_says_how_to_record(bad_build: tuple[Path, str, int]) -> None:
    site, _, _ = bad_build
    assert "modeldocs bench run" in (site / "benchmarks/index.html").read_text("utf-8")


def test_traces_of_devices_come_first_and_those_of_the_host_alone_open_on_request(
    page: Page,
) -> None:
    page.goto(RESNET)
    panels = page.locator(".mr-panel")
    expect(panels.first).to_contain_text("Tesla V100")
    host = page.locator("details.mr-panel", has_text="onnxruntime").first
    expect(host.locator("table")).to_be_hidden()
    host.locator("summary").click()
    expect(host.locator("table")).to_be_visible()
