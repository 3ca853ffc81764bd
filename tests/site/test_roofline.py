"""The roofline of a port: what bounds each layer on a device, and what was measured."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

TIMED, PORT = (
    "models/alexnet-owt/ports/torch7/index.html",
    "models/resnet50/ports/pytorch/index.html",
)


def opened(page: Page, port: str) -> Page:
    page.goto(f"/{port}")
    page.locator(".mr-roofline").scroll_into_view_if_needed()
    page.locator(".mr-roof").wait_for()
    return page


def test_a_layer_is_bound_by_memory_or_by_arithmetic(page: Page) -> None:
    """ResNet-50 on an RTX 4090, batch 1: its last layer moves 8 MB of weights for 4 MFLOP."""
    opened(page, PORT)
    page.get_by_label("Device").select_option("RTX 4090")
    row = page.locator(".mr-roofline-table tbody tr", has=page.get_by_role("link", name="fc"))
    cells = row.locator("td").all_inner_texts()
    assert cells == ["Gemm", "0.499", "memory", "8.14 µs"]
    told = page.locator(".mr-roofline output")
    expect(told).to_contain_text("82.6 TFLOP/s, 1,010 GB/s")


def test_a_larger_batch_makes_more_operations_of_each_byte_of_weights(page: Page) -> None:
    opened(page, PORT)
    page.get_by_label("Device").select_option("RTX 4090")
    page.get_by_role("spinbutton", name="Batch").fill("256")
    expect(page.locator(".mr-roofline output")).to_contain_text("at least")
    assert page.locator(".mr-roof-arithmetic").count() > page.locator(".mr-roof-memory").count()
    page.get_by_label("Numbers").select_option("16 bits")
    expect(page.locator(".mr-roofline output")).to_contain_text("165 TFLOP/s")


def test_times_of_a_record_are_shown_at_its_own_device_and_batch_alone(page: Page) -> None:
    opened(page, TIMED)
    assert page.get_by_label("Device").input_value() == "GTX TITAN X (Maxwell)"
    assert page.get_by_role("spinbutton", name="Batch").input_value() == "128"
    assert page.locator(".mr-roof-measured").count() == 8
    share = page.locator(".mr-roofline-table tbody td:last-child").first.inner_text()
    assert 5 < float(share.removesuffix(" %")) < 100
    page.get_by_role("spinbutton", name="Batch").fill("64")
    expect(page.locator(".mr-roof-measured")).to_have_count(0)
    expect(page.locator(".mr-roofline-measured")).to_have_text(
        "Times were recorded on GTX TITAN X (Maxwell), batch 128."
    )
