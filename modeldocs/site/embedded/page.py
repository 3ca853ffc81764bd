"""A project's own page in Markdown, with what its calls show of the catalog in their places."""

from __future__ import annotations

import inspect
import string
from itertools import product
from posixpath import dirname

from modeldocs.errors import Failure, ModeldocsError
from modeldocs.site.build import Built
from modeldocs.site.embedded.calls import EmbeddedCall, calls
from modeldocs.site.embedded.parts import Embedded
from modeldocs.site.page import slot
from modeldocs.struct import Struct

BLOCKS = ("diagram", "layers", "diff", "benchmarks")
"""Calls that HTML takes the place of."""

WORDS = ("figure", "verdict")
"""Calls that text takes the place of, in a sentence too."""


class Embedding(Struct, frozen=True):
    """A page's Markdown with slots, the HTML of each slot, and the calls that failed."""

    text: str
    late: dict[str, str]
    failures: tuple[Failure, ...] = ()


def embed(text: str, built: Built, file: str, site_path: str) -> Embedding:
    """What the calls of a page show in their places; a call that fails shows why.

    `file` is the path of the Markdown file, `site_path` that of the page in the site.
    """
    parts = Embedded(built, dirname(site_path))
    slots = ("".join(letters) for letters in product(string.ascii_lowercase, repeat=3))
    late: dict[str, str] = {}
    failures: list[Failure] = []
    pieces, place = [], 0
    for call in calls(text, (*BLOCKS, *WORDS)):
        try:
            shown = _shown(parts, call)
        except ModeldocsError as error:
            failure = Failure(reason=error.reason, fix=error.fix, file=file, line=call.line)
            failures.append(failure)
            shown = parts.failure(failure, whole=call.name in BLOCKS)
        if call.name in BLOCKS:
            name = f"embedded-{next(slots)}"
            late[name] = shown
            shown = slot(name)
        pieces += [text[place : call.start], shown]
        place = call.end
    whole = "".join((*pieces, text[place:]))
    return Embedding(text=whole, late=late, failures=tuple(failures))


def _shown(parts: Embedded, call: EmbeddedCall) -> str:
    method = getattr(parts, call.name)
    arguments, options = call.values()
    try:
        inspect.signature(method).bind(*arguments, **options)
    except TypeError as error:
        parameters = inspect.signature(method).parameters
        raise ModeldocsError(
            f"{call.name}: {error}", fix=f"{call.name} takes {', '.join(parameters)}"
        ) from error
    return str(method(*arguments, **options))
