"""What is wrong with a port is told on its page; the rest of the site is there."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from .conftest import HOSTILE

Built = tuple[Path, str, int]


def page(built: Built, path: str) -> str:
    return (built[0] / path / "index.html").read_text("utf-8")


def words(text: str) -> str:
    """The text that a reader sees."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", text, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_the_build_succeeds_and_counts_the_failures(bad_build: Built) -> None:
    _, printed, code = bad_build
    assert code == 0
    assert "7 models, 8 ports" in printed
    assert "7 failures" in printed


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("models/syntax/ports/caffe", r"caffe\.prototxt:2:\d+ "),
        ("models/raises/ports/pytorch", r"pytorch\.py:3 building the model raised KeyError"),
        ("models/exits/ports/pytorch", r"ended its process itself, with status 0"),
        ("models/prints/ports/pytorch", r"returned int, not a torch\.nn\.Module"),
        ("models/truncated/ports/onnx", r"model\.onnx is not a"),
        ("models/twice/ports/onnx.onnx", r"its name 'onnx' is already that of model\.onnx"),
        ("models/syntax", r"model\.yml:1 unknown field `titel`"),
    ],
)
def test_each_failure_has_a_page_with_the_reason_and_the_fix(
    bad_build: Built, path: str, pattern: str
) -> None:
    text = words(page(bad_build, path))
    assert re.search(pattern, text), text
    assert "Fix:" in text


def test_what_a_port_printed_is_shown_as_text(bad_build: Built) -> None:
    text = page(bad_build, "models/prints/ports/pytorch")
    assert "&lt;b&gt;loud&lt;/b&gt;" in text
    assert "<b>loud</b>" not in text


def test_the_good_port_beside_them_is_whole(bad_build: Built) -> None:
    text = words(page(bad_build, "models/good/ports/caffe"))
    assert "Conv" in text
    assert "112" in text  # 4 filters of 3x3x3, and 4 biases


def test_the_catalog_marks_the_models_that_failed(bad_build: Built) -> None:
    assert words((bad_build[0] / "index.html").read_text()).count("1 failure") >= 5


@pytest.mark.parametrize(
    "path", ["", "models/good", "models/good/ports/caffe", "models/good/ports/caffe/diagram.svg"]
)
def test_a_hostile_name_stays_text_wherever_it_stands(bad_build: Built, path: str) -> None:
    file = bad_build[0] / path
    text = (file if file.is_file() else file / "index.html").read_text("utf-8")
    assert "<img src=x" not in text
    assert "onerror=alert(1)&gt;" in text or "onerror=alert(1)>" in html.unescape(text)


def test_no_file_of_the_site_holds_the_hostile_name_as_markup(bad_build: Built) -> None:
    for file in bad_build[0].rglob("*"):
        if file.suffix in (".html", ".svg", ".xml"):
            assert HOSTILE not in file.read_text("utf-8"), file


def test_markdown_in_a_field_of_the_manifest_is_text(bad_build: Built) -> None:
    text = page(bad_build, "models/good")
    assert not re.search(r"<[^>]*onclick=", text)
    assert "<b>x</b>" not in text
