"""Where a line may break: numbers stay whole, and what is copied or searched stays as it was."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.site.line_breaks import breakable, keep_whole

TAG = re.compile(r"<[^>]*>")


def whole(html: str) -> list[str]:
    """What is kept on one line."""
    return re.findall(r'<span class="mr-digits">(.*?)</span>', keep_whole(html))


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<p>an error of 1e-6, on 2026-11-20</p>", ["1e-6", "2026-11-20"]),
        ("<h1>ResNet-50</h1>", ["ResNet-50"]),
        ("<h1>ResNet&#45;50</h1>", ["ResNet-50"]),
        ("(8e-7).", ["8e-7"]),
        ("caffe-detectionoutput-1", ["detectionoutput-1"]),
        ("well-known, 3-dimensional", []),
    ],
)
def test_words_with_a_digit_behind_a_hyphen_are_kept_whole(html, kept):
    assert whole(html) == kept


@pytest.mark.parametrize(
    "html",
    [
        '<a href="#conv-1" title="1e-6">one</a>',
        "<select><option>batch-1</option></select>",
        "<svg><text>1e-6</text><path d='M1-2c-3-4'/></svg>",
        "<script>x = 1e-6</script>",
        "<script>if (a < b) c = d > e ? x-1 : 'row-1'</script>",
        "<style>a > b::after { content: 'x-1' }</style>",
        f"<p>{'a' * 30}-1</p>",
    ],
)
def test_attributes_drawings_scripts_and_long_words_stay_as_they_are(html):
    assert keep_whole(html) == html


def test_what_is_kept_already_is_not_kept_twice():
    once = keep_whole("<p>1e-6</p>")
    assert keep_whole(once) == once


@given(st.lists(st.sampled_from(["1e-6", " ", "a-1", "<b>", "</b>", "x_y.z", "-", "7", "."])))
def test_the_text_stays_the_same(parts):
    html = "".join(parts)
    assert TAG.sub("", keep_whole(html)) == TAG.sub("", html)


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("conv1", "conv1"),
        ("resnetv10_stage2_conv10", "resnetv10_<wbr>stage2_<wbr>conv10"),
        ("features.5.0.branches", "features.<wbr>5.0.<wbr>branches"),
        ("scope/<b>/weights", "scope/&lt;b&gt;/weights"),
    ],
)
def test_long_names_break_between_their_words_and_not_in_numbers(name, html):
    assert breakable(name) == html
