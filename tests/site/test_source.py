"""Sources of a port: what its page shows, and where lines of longer files are."""

from __future__ import annotations

from modeldocs.site.port.source import MAX_BYTES, sources


def test_short_files_are_on_the_page_and_long_ones_beside_it() -> None:
    long = "name: 'x'\n" * MAX_BYTES
    shown = sources({"a.py": "x = 1\n", "b.prototxt": long, "c.py": "y = 2\n"})
    assert [file.inline for file in shown.files] == [True, False, True]
    assert shown.href("a.py", 1) == "#source-1-1"
    assert shown.href("b.prototxt", 7) == "#source-2-7"
    assert [file.name for file in shown.long] == ["b.prototxt"]


def test_a_line_that_the_page_does_not_show_has_no_link() -> None:
    shown = sources({"a.py": "x = 1\n"})
    assert shown.href("elsewhere.py", 1) == shown.href("a.py", None) == ""


def test_no_character_of_a_source_is_syntax_of_the_page() -> None:
    [file] = sources({"a.py": "x = '<script>'\n"}).files
    assert "<script>" not in "".join(file.lines)
