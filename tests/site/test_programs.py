"""Programs on the site: from a model's page to code that is copied or downloaded as it is."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page

from modeldocs import generators

pytestmark = pytest.mark.browser

PROGRAM = "models/lenet/programs/pytorch"


def test_a_model_leads_to_its_program_which_is_copied_and_downloaded(
    page: Page, own_site: Path, tmp_path: Path
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/models/lenet/index.html")
    rows = page.get_by_role("region", name="Programs").locator("tbody tr")
    assert rows.count() == len(generators.targets())
    assert rows.filter(has_text="Keras").inner_text().split("\t")[-1].strip() == "not made yet"
    made = rows.filter(has_text="PyTorch")
    assert "✓ proven" in made.inner_text()
    made.get_by_role("link", name="PyTorch", exact=True).click()
    assert page.url.endswith(f"{PROGRAM}/index.html")
    code = (own_site / PROGRAM / "lenet_pytorch.py").read_text()
    frame = page.locator(".mr-program")
    frame.get_by_role("button", name="Copy").click()
    frame.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == code
    with page.expect_download() as download:
        frame.get_by_role("link", name="Download").click()
    download.value.save_as(tmp_path / download.value.suggested_filename)
    assert (tmp_path / "lenet_pytorch.py").read_text() == code
    assert "class Lenet(nn.Module)" in ast.unparse(ast.parse(code))


def test_its_page_has_the_proof_the_map_and_the_port_of_the_catalog(page: Page) -> None:
    page.goto(f"/{PROGRAM}/index.html")
    proof = page.locator(".mr-proof")
    assert "in three ways" in proof.inner_text()
    assert "against torch" in proof.inner_text()
    weights = page.get_by_role("region", name="Map of weights")
    assert weights.locator("tbody tr").all_inner_texts()[0].startswith("conv1.weight")
    own = page.get_by_role("region", name="Ports in PyTorch").locator("tbody tr")
    assert (
        own.get_by_role("link", name="pytorch")
        .get_attribute("href")
        .endswith("ports/pytorch/index.html")
    )
    assert "same" in own.inner_text()


def test_its_map_of_weights_is_a_file(own_site: Path) -> None:
    weights = json.loads((own_site / PROGRAM / "weights.json").read_text())
    assert weights["a"] == "lenet/caffe"
    assert len(weights["weights"]["mapped"]) == 8


def test_a_model_without_programs_says_how_they_are_made(page: Page) -> None:
    page.goto("/models/resnet50/index.html")
    assert page.get_by_role("heading", name="Port to…").is_visible()
    assert page.locator("code", has_text="modeldocs generate resnet50").is_visible()
