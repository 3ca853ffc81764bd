"""Our own site in headless Chromium: as a reader meets it, with and without JavaScript."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from ..browser import OpenTab

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("own site"),
]

PORT = "models/resnet50/ports/pytorch/index.html"
DIFF = "models/resnet50/diffs/pytorch-vs-caffe/index.html"


def test_the_catalog_sorts_by_any_column(page: Page) -> None:
    page.goto("/index.html")
    names = page.locator("#catalog tbody th a")
    page.get_by_role("button", name="Parameters").click()
    assert names.all_inner_texts()[:3] == ["LeNet", "Simple CNN", "Inception-BN"]
    page.get_by_role("button", name="Parameters").click()
    assert names.first.inner_text() == "BERT base"
    assert page.locator("#catalog th[aria-sort=descending]").inner_text().startswith("Parameters")


def test_a_filter_is_kept_in_the_address(page: Page) -> None:
    page.goto("/index.html")
    page.get_by_label("Find").fill("residual")
    assert page.locator("#catalog tbody tr:visible").count() == 1
    assert "text=residual" in page.url
    page.reload()
    assert page.locator("#catalog tbody tr:visible").count() == 1
    assert page.locator("#catalog tbody tr:visible th a").inner_text() == "ResNet-50"


def in_view(page: Page, identity: str) -> bool:
    """Whether an element lies inside the frame that scrolls it, and that in the window."""
    return bool(
        page.evaluate(
            """(identity) => {
              const element = document.getElementById(identity);
              const frame = element.closest(".mr-tall, .mr-diagram-frame");
              const [a, b] = [element.getBoundingClientRect(), frame.getBoundingClientRect()];
              return a.top >= b.top - 1 && a.bottom <= b.bottom + 1
                && a.bottom > 0 && a.top < innerHeight;
            }""",
            identity,
        )
    )


def test_a_group_of_the_overview_opens_and_the_way_leads_back(page: Page) -> None:
    page.goto(f"/{PORT}")
    overview, way = page.locator(".mr-overview"), page.locator(".mr-path")
    overview.locator("svg a", has_text="3 × Bottleneck").click()
    page.wait_for_url("**#level=**")
    way.get_by_text("3 × Bottleneck").wait_for()
    assert overview.locator("svg a", has_text="Conv 3×3").count() == 1
    page.go_back()
    overview.locator("svg a", has_text="GlobalAveragePool").wait_for()
    assert not way.is_visible()


def test_a_link_to_a_level_opens_it_and_its_layers_lead_to_their_rows(page: Page) -> None:
    page.goto(f"/{PORT}")
    level = page.locator("[data-level]").first.get_attribute("data-level")
    page.goto(f"/{PORT}#level={level}")
    page.locator(".mr-path").get_by_text("Bottleneck").wait_for()
    page.locator(".mr-overview svg a[*|href^='#conv-']").first.click()
    page.wait_for_url("**#conv-*")
    assert page.locator("tr.mr-selected").get_attribute("id") == page.url.rpartition("#")[2]


def test_without_javascript_a_group_is_a_drawing_of_its_own(
    open_tab: OpenTab, address: str
) -> None:
    tab = open_tab(java_script_enabled=False)
    tab.goto(f"{address}/{PORT}")
    tab.locator(".mr-overview svg a", has_text="3 × Bottleneck").click()
    assert re.search(r"/levels/conv-[^/]+\.svg$", tab.url)
    tab.locator("a", has_text="Conv 3×3").first.click()
    assert re.search(r"/index\.html#conv-\d+$", tab.url)


def test_a_layer_leads_to_its_line_of_source(page: Page) -> None:
    page.goto(f"/{PORT}")
    link = page.locator("#conv-1 a[href^='#source-']")
    line = int(link.inner_text().removeprefix("line "))
    link.click()
    shown = page.locator(f"#source-1-{line}")
    assert shown.is_visible()
    assert "self.conv1 = nn.Conv2d(3, 64, kernel_size=7" in shown.inner_text()


def test_all_columns_can_be_shown(page: Page) -> None:
    page.goto(f"/{PORT}")
    origin = page.locator(".mr-layers thead th", has_text="Origin")
    assert not origin.is_visible()
    page.get_by_label("all columns").check()
    origin.wait_for()
    assert "nn.Conv2d" in page.locator("#conv-1 td").last.inner_text()


def test_a_pair_that_was_run_is_proven_wherever_it_is_named(page: Page) -> None:
    page.goto("/models/lenet/diffs/caffe-vs-pytorch/index.html")
    assert page.locator(".mr-verdict-headline").inner_text() == "✓ Same function, proven by numbers"
    assert "8 layers compared" in page.locator(".mr-verdict").inner_text()
    for path, place in (
        ("models/lenet/index.html", ".mr-matrix td.mr-verdict-same"),
        ("models/lenet/ports/caffe/index.html", ".mr-chips .mr-verdict-same"),
        ("proofs/index.html", "#pair-table .mr-verdict-same"),
    ):
        page.goto(f"/{path}")
        text = page.locator(place).first.text_content() or ""
        assert "✓" in text and "same" in text, path


def test_a_pair_that_was_not_run_says_so(page: Page) -> None:
    page.goto("/models/lenet/diffs/caffe-vs-mxnet/index.html")
    assert "not proven by numbers" in page.locator(".mr-verdict-headline").inner_text()
    assert page.locator("div.mr-verdict-by-structure").count() == 1


def test_a_change_leads_to_its_rows_even_where_they_are_filtered_away(page: Page) -> None:
    page.goto(f"/{DIFF}")
    page.locator("form").get_by_label("Find").fill("nothing of that name")
    expect(page.locator("#alignment tbody tr:visible")).to_have_count(0)
    link = page.locator("#change-1 a").first
    link.click()
    identity = page.url.rpartition("#")[2]
    assert identity.startswith(("a-", "b-"))
    assert in_view(page, identity)


def test_a_diff_tells_why_its_rows_match_when_asked(page: Page) -> None:
    page.goto(f"/{DIFF}")
    why = page.locator("#alignment thead th", has_text="Why they match")
    assert not why.is_visible()
    page.get_by_label("why they match").check()
    assert why.is_visible()
