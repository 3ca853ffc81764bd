"""The badge of a model: small, readable, right about the state, and safe whatever the title."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect

from modeldocs.catalog import Model, Port
from modeldocs.catalog.manifest import Manifest
from modeldocs.errors import Failure
from modeldocs.loaders import LoadRequest
from modeldocs.site.model import badge
from modeldocs.site.model.badge import DIFFERS, FAILED, OPEN, VERIFIED, Badge
from modeldocs.tasks.load import Load

from ..browser import OpenTab

SVG = "{http://www.w3.org/2000/svg}"
STRETCHED = """() => [...document.querySelectorAll("text")].map(text => {
  const given = Number(text.getAttribute("textLength"));
  text.removeAttribute("textLength");
  return given / text.getComputedTextLength();
})"""
TITLES = st.text(max_size=60) | st.sampled_from(["<script>\"&'", "a\x08b\u0000", "](x)", "卷积"])


class States:
    """Results of a build whose ports are named after their state."""

    def proof(self, _: Model, port: Port) -> object:
        verdict = port.name.rstrip("0123456789")
        return type("Proof", (), {"verdict": verdict}) if verdict != "open" else None

    def loaded(self, _: Model, port: Port) -> Load:
        failed = port.name.startswith("failed")
        return Load(framework="onnx", failure=Failure(reason="broken") if failed else None)


def of(*states: str, title: str = "Net") -> Badge:
    request = LoadRequest(root="", path="", name="")
    ports = tuple(
        Port(name=f"{state}{number}", framework="onnx", request=request)
        for number, state in enumerate(states)
    )
    model = Model(id="m", folder="m", manifest=Manifest(title=title), ports=ports)
    return badge.badge(model, States())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("states", "value", "colour"),
    [
        (["verified"], "1 of 1 port verified", VERIFIED),
        (["verified"] * 6, "6 of 6 ports verified", VERIFIED),
        (["verified", "open"], "1 of 2 ports verified", OPEN),
        (["verified", "disagrees"], "1 of 2 ports verified, 1 disagrees", DIFFERS),
        (["disagrees"] * 2, "0 of 2 ports verified, 2 disagree", DIFFERS),
        (["verified", "failed"], "1 of 2 ports verified, 1 not loaded", FAILED),
        (["disagrees", "failed"], "0 of 2 ports verified, 1 disagrees, 1 not loaded", FAILED),
        ([], "no ports", OPEN),
    ],
)
def test_text_and_colour_tell_the_state(states: list[str], value: str, colour: str) -> None:
    assert of(*states) == Badge(label="Net", value=value, colour=colour)


@pytest.mark.parametrize("colour", [VERIFIED, DIFFERS, FAILED, OPEN])
def test_white_text_can_be_read_on_it(colour: str) -> None:
    def part(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (part(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    assert 1.05 / (luminance + 0.05) >= 4.5


@settings(max_examples=100, deadline=None)
@given(TITLES)
def test_any_title_gives_an_image_with_its_text(title: str) -> None:
    one = of("verified", title=title)
    root = ElementTree.fromstring(badge.svg(one))
    told = root.findtext(f"{SVG}title")
    assert told == root.get("aria-label") == f"{one.label}: 1 of 1 port verified"
    assert root.get("role") == "img"
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg", "title", "rect", "path", "g", "text",
    }  # fmt: skip
    before, after = badge.markdown(one).split("](badge.svg)]")
    assert before.startswith("[![")
    assert "]" not in before.replace("\\]", "")
    assert after == "(index.html)"


@pytest.mark.browser
def test_texts_keep_their_place_in_a_browser(open_tab: OpenTab) -> None:
    page = open_tab()
    one = of("verified", "disagrees", title="ResNet-50 v1.5 (ImageNet) & WWW")
    page.set_content(badge.svg(one))
    expect(page.get_by_role("img", name="ResNet-50")).to_be_visible()
    boxes = [text.bounding_box() for text in page.locator("text").all()]
    whole = page.locator("svg").bounding_box()
    assert whole is not None
    label, value = (box for box in boxes if box is not None)
    assert whole["x"] < label["x"]
    assert label["x"] + label["width"] < value["x"]
    assert value["x"] + value["width"] < whole["x"] + whole["width"]
    stretched = page.evaluate(STRETCHED)
    assert all(0.8 < factor < 1.25 for factor in stretched), stretched
