"""A format of recorded figures: whether a file fits it, and the records that it holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.record import Record


@dataclass(frozen=True)
class FormatMatch:
    """How well a file fits a format; `missing` says what it lacks where it almost does."""

    fits: bool
    missing: str = ""


YES = FormatMatch(fits=True)
NO = FormatMatch(fits=False)


def almost(missing: str) -> FormatMatch:
    """A file that looks like the format but for what is missing."""
    return FormatMatch(fits=False, missing=missing)


def with_fields(found: Collection[str], needed: Sequence[str], marks: Sequence[str]) -> FormatMatch:
    """The fit of a table or an object by its fields.

    It fits where it has all that are `needed`; it almost does where it has one of the `marks`,
    fields that only this format has.
    """
    lacking = [name for name in needed if name not in found]
    if not lacking:
        return YES
    if any(mark in found for mark in marks):
        return almost(f"it lacks {', '.join(lacking)}")
    return NO


@dataclass(frozen=True)
class Recording:
    """One recorded run of a file.

    The record's `model.id` is the source's own name of the model, empty where the file tells none,
    and its date is empty where the file tells none. `prototxt` is the network, where the file
    holds it, and `shapes` the sizes of layers' outputs by name.
    """

    record: Record
    prototxt: str = ""
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class LogFormat:
    """One format.

    `fit` looks at a file's content, never at its name. `read` gives its runs; it raises a
    ModeldocsError where the file is broken.
    """

    name: str
    fit: Callable[[Content], FormatMatch]
    read: Callable[[Content], Sequence[Recording]]
