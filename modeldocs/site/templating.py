"""Jinja2 templates; text from models is escaped in HTML and in Markdown."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from modeldocs import digest, formatting, package_data, verdict
from modeldocs.benchmarks.devices import short_name
from modeldocs.benchmarks.labels import software_name
from modeldocs.ir.operators import family
from modeldocs.site import contents
from modeldocs.site.incremental import template_cache
from modeldocs.site.line_breaks import breakable, keep_whole
from modeldocs.site.page import Page, slot, with_terms
from modeldocs.struct import Struct
from modeldocs.verdict import sentences

_SYNTAX = re.compile(r"[^\w\s,;]")
"""Characters that may be syntax in HTML or a dialect of Markdown; as references they never are."""


def _is_html(name: str | None) -> bool:
    return name is not None and name.endswith(".html.j2")


def _is_of_pages(name: str) -> bool:
    return name.endswith((".html.j2", ".md.j2"))


class Templates:
    """The templates of the package; those of the same name in `overrides` replace them."""

    def __init__(self, overrides: Sequence[Path] = ()) -> None:
        self._places = [*overrides, package_data.templates()]
        self.environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self._places),
            autoescape=_is_html,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters |= {
            "md": escape_markdown,
            "shape": formatting.shape,
            "dims": formatting.dims,
            "count": formatting.count,
            "exact": formatting.exact,
            "bytes": formatting.size,
            "setting": formatting.setting,
            "step": formatting.step,
            "pads": formatting.pads,
            "window": formatting.window,
            "apart": sentences.apart,
            "error": formatting.error,
            "duration": formatting.duration,
            "rate": formatting.rate,
            "short_device": short_name,
            "software": software_name,
            "family": family,
            "breakable": breakable,
            "pair": frozenset,
        }
        self.environment.globals |= {
            "headline": formatting.headline,
            "steps": verdict.BY_ID,
            "takeovers": verdict.TAKEOVERS,
        }
        template_cache.keep(self.environment)
        self._digest = ""
        self._long: dict[str, tuple[dict[str, Any], str]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process compiles each template once."""
        return _of_process, (tuple(self._places[:-1]),)

    def digest(self) -> str:
        """Digest of all templates; where it is another than before, `long_html` renders anew."""
        files = [file for place in self._places for file in sorted(place.rglob("*.j2"))]
        found = digest.of("".join(digest.of_file(file) for file in files).encode())
        if found != self._digest:
            self._digest = found
            self._long.clear()
        return found

    def compile(self) -> None:
        """Compile the templates of pages, which otherwise happens at their first use.

        A mistake in one is told where the template is used.
        """
        for name in self.environment.list_templates(filter_func=_is_of_pages):
            with contextlib.suppress(jinja2.TemplateSyntaxError):
                self.environment.get_template(name)

    def html(self, name: str, **context: Any) -> str:
        """A part of a page, rendered from `parts/NAME.html.j2` with all values escaped."""
        return keep_whole(self.environment.get_template(f"parts/{name}.html.j2").render(context))

    def long_html(self, name: str, **context: Any) -> str:
        """A part that grows with the catalog: that of before where it would show the same.

        Rows of models that have not changed are the same objects, which are compared at once.
        """
        known = self._long.get(name)
        if known is None or known[0] != context:
            known = self._long[name] = context, self.html(name, **context)
        return known[1]

    def macros(self, name: str) -> Any:
        """The macros of `parts/NAME.html.j2`; each returns HTML with all values escaped."""
        return self.environment.get_template(f"parts/{name}.html.j2").module

    def page(
        self,
        path: str,
        name: str,
        title: str,
        parts: dict[str, str],
        terms: str = "",
        **context: Any,
    ) -> Page:
        """The Markdown page rendered from `NAME.md.j2`, with `parts` as the HTML of its slots.

        Search finds it also by `terms`, see `with_terms`.

        In the template, `has(part)` is false for an empty part, and `late(part)` is its slot;
        that of the contents has links to the sections.
        """
        late = {key: part for key, part in parts.items() if part.strip()}
        text = self.environment.get_template(f"{name}.md.j2").render(
            context, title=title, late=slot, has=late.__contains__
        )
        if (place := slot(contents.SLOT)) in text:
            late[contents.SLOT] = contents.of(text)
            text = text if late[contents.SLOT] else text.replace(place, "")
        text = with_terms(text, terms) if terms else text
        return Page(path=path, title=title, content=text.encode("utf-8"), late=late)


@functools.cache
def _of_process(overrides: tuple[Path, ...]) -> Templates:
    return Templates(overrides)


class PageLink(Struct, frozen=True):
    """A link: its text, and its address relative to the page."""

    text: str
    href: str


def escape_markdown(text: Any) -> str:
    """`text` on one line, escaped so that Markdown shows it literally."""
    line = " ".join(str(text).split())
    return _SYNTAX.sub(lambda match: f"&#{ord(match.group())};", line)
