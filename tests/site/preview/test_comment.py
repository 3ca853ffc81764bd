"""The comment: short whatever changed, and text of models is shown, not obeyed."""

from __future__ import annotations

import html
import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeldocs.errors import ModeldocsError
from modeldocs.site.preview import document
from modeldocs.site.preview.comment import MARKER, MAX_BYTES, comment
from modeldocs.site.preview.document import (
    ChangeLine,
    Effect,
    Figures,
    ModelChange,
    PortChange,
    Preview,
    RecordChange,
    Revision,
    SideState,
)

LINK = "https://example.org/previews/7"


def preview(*ports: PortChange, **others: object) -> Preview:
    return Preview(
        modeldocs="1.0",
        base=Revision(commit="a" * 40),
        head=Revision(commit="b" * 40),
        command="modeldocs preview",
        ports=ports,
        **others,
    )


def changed(port: str = "caffe", title: str = "epsilon 1e-5 → 1e-3", lines: int = 1) -> PortChange:
    state = SideState(figures=Figures(layers=8, parameters=100, macs=1000), proof="verified")
    return PortChange(
        model="net",
        port=port,
        framework="caffe",
        kind="changed",
        before=state,
        after=state,
        effect=Effect(
            step="different-results",
            headline="Different results",
            text="They differ.",
            changes=lines,
            lines=(ChangeLine(title=title, consequence="computes", layers=3),) * min(lines, 20),
        ),
        page=f"changes/net/{port}/",
    )


def test_nothing_changed_gives_no_comment() -> None:
    assert comment(preview(untouched=67)) == ""


def test_it_says_what_a_reviewer_must_know() -> None:
    text = comment(preview(changed(), untouched=66), LINK)
    first, second, *_ = text.splitlines()
    assert first == MARKER
    assert second == "### modeldocs: 1 changes the result (net/caffe)"
    assert f"[net/caffe]({LINK}/changes/net/caffe/)" in text
    assert f"[See the preview]({LINK}/changes/)" in text
    assert "66 ports are untouched" in text
    assert "epsilon" in text


def test_pictures_of_before_and_after_are_shown_where_the_preview_is_published() -> None:
    two = preview(changed(lines=2))
    both = "![before]({0}before.svg) → ![after]({0}after.svg)".format(f"{LINK}/changes/net/caffe/")
    assert both in comment(two, LINK)
    assert "![" not in comment(two)
    broken = msgspec.structs.replace(two.ports[0], after=SideState(failure="no such weights"))
    assert "![" not in comment(preview(broken), LINK)


def test_the_gravest_comes_first() -> None:
    broken = PortChange(
        model="zoo", port="onnx", framework="onnx", kind="changed",
        before=changed().before, after=SideState(failure="model.onnx:3: no such operator"),
    )  # fmt: skip
    text = comment(preview(changed(), broken))
    assert text.splitlines()[1] == (
        "### modeldocs: 1 broken (zoo/onnx) &#183; 1 changes the result (net/caffe)"
    )
    assert "no longer loads&#58; model&#46;onnx&#58;3&#58; no such operator" in text
    table = text.partition("|---")[2]
    assert table.index("zoo/onnx") < table.index("net/caffe")


def test_without_ports_it_says_what_else_changed() -> None:
    records = (
        RecordChange(model="net", file="a.json", kind="added", answer="slower", against="b.json"),
        RecordChange(model="net", file="c.json", kind="removed"),
    )
    text = comment(preview(records=records))
    assert text.splitlines()[1] == "### modeldocs: 1 record is slower than before"
    mistaken = (ModelChange(model="net", kind="changed", mistakes=("model.yml:1: unknown field",)),)
    assert comment(preview(models=mistaken)).splitlines()[1] == "### modeldocs: mistakes in net"


def test_of_many_ports_the_gravest_are_shown_and_the_others_listed() -> None:
    text = comment(preview(*(changed(f"port{number}", lines=9) for number in range(5_000))), LINK)
    assert len(text.encode()) <= MAX_BYTES
    assert "4995 more ports" in text
    assert text.count("</details>") == text.count("<details>") == 6
    assert re.search(r"- and \d+ more\n\n</details>", text)


HOSTILE = [
    "@everyone look", "fixes #1", "GH-12", "![x](http://evil.example/x.png)", "<img src=x>",
    "</details><script>alert(1)</script>", "a | b | c", "`code` ``` more", "<!-- hidden -->",
    "[text](javascript:alert(1))", "www.evil.example", "line\n\n# heading", "\u202egnol",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_models_is_shown_and_nothing_else(text: str) -> None:
    port = changed("caffe", title=text, lines=3)
    record = RecordChange(model="net", file=text, kind="added", label=text)
    made = comment(
        preview(port, records=(record,), models=(ModelChange(model=text, kind="added"),))
    )
    body = made.replace(MARKER, "")
    allowed = re.sub(r"</?(details|summary|code)>", "", body)
    assert "<" not in allowed
    assert not re.search(r"[@#]\w", html.unescape(allowed).replace("###", ""))
    assert not re.search(r"GH-\d", html.unescape(allowed))
    assert not re.search(r"\]\((?!https)|!\[|www\.|`", allowed)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_verdict_of_a_proof_is_text_too(text: str) -> None:
    """A job that ran the change's code may write anything there."""
    port = changed()
    forged = msgspec.structs.replace(port.after, proof=text)
    made = comment(preview(msgspec.structs.replace(port, after=forged))).replace(MARKER, "")
    assert "<" not in re.sub(r"</?code>", "", made)
    assert not re.search(r"[@#]\w", html.unescape(made).replace("###", ""))
    assert not re.search(r"\]\(|!\[|www\.|`", made)


texts = st.text(max_size=2000)
names = st.text(min_size=1, max_size=300)
states = st.none() | st.builds(SideState, figures=st.none(), failure=texts, proof=names, why=texts)
effects = st.none() | st.builds(
    Effect,
    step=names, headline=texts, text=texts, changes=st.integers(0, 10**6),
    lines=st.lists(
        st.builds(ChangeLine, title=texts, consequence=names, layers=st.integers(0, 10**6)),
        max_size=3
    ).map(tuple),
)  # fmt: skip
previews = st.builds(
    lambda ports: preview(*ports),
    st.lists(
        st.builds(
            PortChange,
            model=names, port=names, framework=names,
            kind=st.sampled_from(["added", "removed", "changed"]),
            before=states, after=states, effect=effects,
            page=st.sampled_from(["", "changes/a/b/"]),
        ),
        max_size=12,
    ),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(previews)
def test_it_fits_a_host_whatever_changed(one: Preview) -> None:
    text = comment(one, LINK)
    assert len(text.encode()) <= MAX_BYTES
    assert text.startswith(MARKER) or not one.ports


class TestData:
    """What the job that comments reads was made by a job that ran code of the change."""

    @pytest.mark.parametrize(
        "field",
        [
            {"page": "../../evil/"},
            {"page": "//evil.example/"},
            {"page": "javascript:alert(1)"},
            {"page": "https://evil.example/"},
            {"model": "x" * 301},
            {"kind": "other"},
        ],
    )
    def test_a_forged_field_is_refused(self, field: dict[str, str]) -> None:
        data = msgspec.json.decode(document.encode(preview(changed())))
        data["ports"][0] |= field
        with pytest.raises(ModeldocsError, match="is no preview"):
            document.decode(msgspec.json.encode(data))

    @pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b'{"format": 1e400}'])
    def test_other_data_is_refused(self, data: bytes) -> None:
        with pytest.raises(ModeldocsError, match="is no preview"):
            document.decode(data)

    def test_much_data_is_refused(self) -> None:
        with pytest.raises(ModeldocsError, match="MiB"):
            document.decode(b" " * (document.MAX_BYTES + 1))

    def test_another_format_is_refused(self) -> None:
        data = msgspec.json.decode(document.encode(preview())) | {"format": 99}
        with pytest.raises(ModeldocsError, match="format 99"):
            document.decode(msgspec.json.encode(data))
