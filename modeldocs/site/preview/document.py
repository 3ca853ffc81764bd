"""`diff.json`: what a change does to the models of a catalog, as plain data with a schema."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct

FORMAT = 2
"""Version of the JSON format; raised when a field changes its name or its meaning."""

MAX_BYTES = 8 << 20
"""Bytes of the largest file that is read."""

MAX_LINES = 20
"""Changes of a port that are listed; the others are only counted."""

Text = Annotated[str, Meta(max_length=2000)]
Name = Annotated[str, Meta(max_length=300)]
Address = Annotated[str, Meta(max_length=600, pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*/)*$")]
"""Of a folder below the site's root; no step leads upwards."""

Kind = Literal["added", "removed", "changed", "renamed"]


class Revision(Struct, frozen=True):
    """One side of a change: a commit, and whether its files were changed since."""

    commit: Name
    modified: bool = False


class Figures(Struct, frozen=True):
    """Counts of a network; None where they are unknown."""

    layers: int
    parameters: int | None = None
    macs: int | None = None


class SideState(Struct, frozen=True):
    """A port on one side: its figures, or why it could not be loaded.

    `proof` is `verified`, `disagrees`, `not run` or `not tried`; `why` says it of the first three
    where there is a reason. `machine` is whether the machine failed, not the port.
    """

    figures: Figures | None = None
    failure: Text = ""
    proof: Name = "not tried"
    why: Text = ""
    machine: bool = False


class ChangeLine(Struct, frozen=True):
    """A change of the network in words: see `modeldocs.diff.Change`.

    `file` is the head's file that defines the first layer of it, relative to the repository, and
    `row` the line in it; empty and None where they are not known.
    """

    title: Text
    consequence: Name
    layers: int
    parameter_delta: int = 0
    file: Text = ""
    row: int | None = None


class Effect(Struct, frozen=True):
    """How the network on the head differs from that on the base.

    `step` is the id of the verdict's step, `headline` and `text` the verdict, `error` the largest
    relative error of a layer, None where none was measured. `lines` are the
    gravest of its `changes`. `violates` are the policies of `modeldocs diff` that it violates.
    """

    step: Name
    headline: Text
    text: Text
    changes: int = 0
    lines: Annotated[tuple[ChangeLine, ...], Meta(max_length=MAX_LINES)] = ()
    violates: tuple[Name, ...] = ()
    error: float | None = None


class Relation(Struct, frozen=True):
    """What a port is to another one of its model, by the ids of the verdict's step.

    `before` is empty where the two were not compared. `differences` are what the port has otherwise
    than the other one on the head, `error` is the largest relative error of a layer.
    """

    port: Name
    reference: bool
    before: Name
    after: Name
    differences: Annotated[tuple[Text, ...], Meta(max_length=MAX_LINES)] = ()
    error: float | None = None


class PortChange(Struct, frozen=True):
    """A port that was added, removed, changed or renamed.

    `page` is its address in the preview's site. Of a renamed one `was` is the former `model/port`.
    `relations` are what it is to the other ports of its model, the reference first. `unjudged` is
    the failure of the machine for which it is not known what the change does to it.
    """

    model: Name
    port: Name
    framework: Name
    kind: Kind
    before: SideState | None = None
    after: SideState | None = None
    effect: Effect | None = None
    page: Address = ""
    unjudged: Text = ""
    was: Name = ""
    relations: Annotated[tuple[Relation, ...], Meta(max_length=MAX_LINES)] = ()

    @property
    def name(self) -> str:
        """`model/port`."""
        return f"{self.model}/{self.port}"


class FamilyChange(Struct, frozen=True):
    """The families of a model's ports on both sides, where they are others now."""

    model: Name
    before: tuple[tuple[Name, ...], ...]
    after: tuple[tuple[Name, ...], ...]


class RecordChange(Struct, frozen=True):
    """A benchmark record that was added, removed or changed.

    `answer` and `reason` are the verdict on an added record and the one before it in its series,
    `against`; they are empty where there is none. `mistake` is why a record cannot be read.
    """

    model: Name
    file: Name
    kind: Kind
    label: Text = ""
    against: Name = ""
    answer: Name = ""
    reason: Text = ""
    mistake: Text = ""


class ModelChange(Struct, frozen=True):
    """A model that was added, removed or renamed (`was` is its former name), or whose manifest
    changed.

    `mistakes` are those that it has, `fields` the fields of a changed manifest that are others now.
    """

    model: Name
    kind: Kind
    mistakes: tuple[Text, ...] = ()
    fields: tuple[Name, ...] = ()
    was: Name = ""


class Preview(Struct, frozen=True, omit_defaults=False):
    """A change of a catalog. Models and ports are sorted by name; `untouched` counts ports.

    `command` makes the same file again, in the root of a checkout that has both commits.
    """

    modeldocs: Name
    base: Revision
    head: Revision
    command: Text
    models: tuple[ModelChange, ...] = ()
    ports: tuple[PortChange, ...] = ()
    families: tuple[FamilyChange, ...] = ()
    records: tuple[RecordChange, ...] = ()
    untouched: int = 0
    format: int = FORMAT

    @property
    def is_empty(self) -> bool:
        """Whether the change does nothing to any model."""
        return not (self.models or self.ports or self.families or self.records)


def cut(text: str, length: int = 2000) -> str:
    """`text` with at most so many characters, those of a `Text` by default."""
    return text if len(text) <= length else text[: length - 1] + "…"


def encode(preview: Preview) -> bytes:
    """The JSON of a preview, the same bytes for the same preview."""
    data = msgspec.json.encode(preview, order="deterministic")
    return msgspec.json.format(data, indent=1) + b"\n"


def decode(data: bytes, *, file: str = "diff.json") -> Preview:
    """The preview that `encode` wrote.

    Raises:
        ModeldocsError: it is too large, or does not fit the schema.
    """
    fix = "make it again with `modeldocs preview`, of this version"
    if len(data) > MAX_BYTES:
        raise ModeldocsError(
            f"has {len(data) >> 20} MiB, and at most {MAX_BYTES >> 20} are read",
            file=file,
            fix=fix,
        )
    try:
        preview = msgspec.json.decode(data, type=Preview)
    except msgspec.DecodeError as error:
        raise ModeldocsError(f"is no preview: {error}", file=file, fix=fix) from None
    if preview.format != FORMAT:
        raise ModeldocsError(
            f"has format {preview.format}, and this version reads {FORMAT}", file=file, fix=fix
        )
    return preview


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `encode`'s output."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs Preview",
        **msgspec.json.schema(Preview),
    }
