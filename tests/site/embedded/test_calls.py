"""Calls of the catalog's parts in Markdown: what is one, and what is left as it is."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.site.embedded.calls import calls

NAMES = ("diagram", "layers", "figure")


def found(text: str) -> list[tuple[str, tuple[object, ...], dict[str, object]]]:
    return [(call.name, *call.values()) for call in calls(text, NAMES)]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ('{{ diagram("a/b") }}', ("diagram", ("a/b",), {})),
        ("{{diagram('a/b')}}", ("diagram", ("a/b",), {})),
        ('It has {{ figure("a/b", "macs") }} MACs.', ("figure", ("a/b", "macs"), {})),
        ('    {{ layers("a/b", module="x") }}', ("layers", ("a/b",), {"module": "x"})),
        ('{{ diagram("a)}b") }}', ("diagram", ("a)}b",), {})),
    ],
)
def test_a_call_is_read_with_its_values(text: str, call: object) -> None:
    assert found(text) == [call]


@pytest.mark.parametrize(
    "text",
    [
        '```\n{{ diagram("a/b") }}\n```\n',
        '~~~ yaml\n{{ diagram("a/b") }}\n~~~\n',
        '    ```\n    {{ diagram("a/b") }}\n    ```\n',
        'Write `{{ diagram("a/b") }}` there.',
        'Write ``{{ diagram("`a`") }}`` there.',
        '<!-- {{ diagram("a/b") }} -->',
        "{{ secrets.TOKEN }} and {{ other(1) }} and { diagram(1) }",
    ],
)
def test_code_comments_and_what_others_call_are_left(text: str) -> None:
    assert found(text) == []


def test_text_after_code_is_read_again() -> None:
    text = '`one` {{ figure("a/b", "macs") }} `two`\n\n```\ncode\n```\n\n{{ diagram("a/b") }}\n'
    assert [name for name, *_ in found(text)] == ["figure", "diagram"]


@pytest.mark.parametrize("inside", ["a/b", "open('x')", "1 +", "*names"])
def test_what_is_no_value_is_refused(inside: str) -> None:
    (call,) = calls(f"# Title\n\n{{{{ diagram({inside}) }}}}\n", NAMES)
    assert call.line == 3
    with pytest.raises(ModeldocsError) as caught:
        call.values()
    assert caught.value.fix == 'write values alone, such as diagram("resnet50/pytorch")'
