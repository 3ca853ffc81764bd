"""Reports in notebooks: one frame that asks for nothing, in light and in dark."""

from __future__ import annotations

import pytest

import modeldocs as md
from tests.browser import Browser

NET = 'name: "%s" input: "x" input_shape { dim: 1 dim: 3 dim: 8 dim: 8 }\n'
LAYER = (
    'layer { name: "conv" type: "Convolution" bottom: "x" top: "conv"\n'
    "  convolution_param { num_output: %d kernel_size: 3 } }\n"
)


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    """What a notebook gets of a network and of a comparison."""
    folder = tmp_path_factory.mktemp("nets")
    for name, channels in (("a", 4), ("b", 5)):
        (folder / f"{name}.prototxt").write_text(NET % name + LAYER % channels)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found = md.diff("a.prototxt", folder / "b.prototxt", parity=False)
        return md.load("a.prototxt")._repr_html_(), found._repr_html_()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_notebook_shows_them_and_asks_for_nothing(frames, browser: Browser, scheme):
    context = browser.new_context(color_scheme=scheme)
    heard = []
    context.on("console", lambda message: heard.append(message.text))
    context.on("weberror", lambda error: heard.append(str(error.error)))
    context.on("request", lambda request: heard.append(request.url))
    tab = context.new_page()
    tab.set_content(f"<style>:root {{ color-scheme: {scheme} }}</style>{''.join(frames)}")
    network, comparison = (tab.frame_locator("iframe").nth(number) for number in (0, 1))
    assert network.locator("tr#conv-1").is_visible()
    assert network.get_by_label("Overview, scrolls").is_visible()
    assert comparison.locator(".mr-verdict-headline").inner_text() == "≠ Different"
    comparison.get_by_label("why they match").check()  # its scripts run
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    grounds = {tab.frames[number].evaluate(colour) for number in (1, 2)}
    assert grounds == {"rgb(255, 255, 255)" if scheme == "light" else "rgb(21, 24, 29)"}
    assert heard == []
    context.close()
