"""Import of recorded runs: from a file of any format into the folders of a catalog's models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from modeldocs import digest
from modeldocs.benchmarks import labels, readers, record
from modeldocs.benchmarks.metadata import RecordSource
from modeldocs.benchmarks.readers import Content, Recording
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.errors import ModeldocsError
from modeldocs.published import log_patterns, same_network
from modeldocs.published.layer_matching import match_layers
from modeldocs.published.record_fields import section_of
from modeldocs.published.source import PublishedSource, Settings

_TAG_DIGITS = 6


class Imported(NamedTuple):
    """A record of the catalog and its file.

    It is `updated` where the file was there with other matches of layers, for example.
    """

    record: Record
    file: Path
    state: Literal["new", "updated", "unchanged"]


class ImportOutcome(NamedTuple):
    """The records of a file, and how many of its runs are of networks that have no model here."""

    format: str
    imported: tuple[Imported, ...]
    left_out: int


def import_file(
    path: Path, source: PublishedSource, target: Catalog, *, checked: bool = True
) -> ImportOutcome:
    """Import the runs of a file whose models the source leads to a model of the catalog.

    With `checked` a trace that cannot be of that model is refused.

    A record's name ends with a digest of its content, so that importing again changes nothing.

    Raises:
        ModeldocsError: the file fits no format or is broken, a run lacks its date, the source leads
            to a model or a port that the catalog does not have, or the run is of another network.
    """
    form, recordings = _recordings(path, source)
    wanted = [one for one in recordings if source.place(_name(one, source, path)) is not None]
    origin = RecordSource(
        title=source.title,
        citation=source.citation,
        url=source.url,
        commit=source.commit,
        licence=source.licence,
        file=source.path(path),
        hash=Content(path).hash if wanted else None,
        format=form,
    )
    imported = tuple(_import(one, origin, path, source, target, checked=checked) for one in wanted)
    return ImportOutcome(form, imported, len(recordings) - len(wanted))


def _recordings(path: Path, source: PublishedSource) -> tuple[str, Sequence[Recording]]:
    """The name of a file's format, and its runs: by the source's own patterns where they fit."""
    content = Content(path)
    for patterns in source.logs:
        log = log_patterns.opened(content, patterns)
        if log.fits():
            return patterns.name, log_patterns.read(log)
    form, recordings = readers.read(path)
    return form.name, recordings


def _import(
    recording: Recording,
    origin: RecordSource,
    path: Path,
    source: PublishedSource,
    target: Catalog,
    *,
    checked: bool = True,
) -> Imported:
    name = _name(recording, source, path)
    model, port = _place(target, source.place(name) or "")
    reason = same_network.contradiction(recording.record, model, port) if checked else ""
    if reason:
        raise ModeldocsError(
            reason, file=path, fix="name the model that was run, or import it with --anyway"
        )
    settings = source.settings(path, recording.record.device.name)
    made = _with_provenance(recording.record, name, origin, path, source)
    made = _with_settings(made, settings, path)
    made = msgspec.structs.replace(
        made,
        model=msgspec.structs.replace(made.model, id=model.id, port=port.name if port else None),
    )
    made = _tagged(made, source)  # before layers are matched, which depend on the port
    layers_of = source.layers.get(name) or (f"{model.id}/{port.name}" if port else None)
    if made.blocks is not None and layers_of is not None:
        made = _with_layers(made, recording, target, layers_of)
    file = Path(model.folder) / record.FOLDER / labels.file_name(made)
    before = file.read_bytes() if file.exists() else None
    if before == record.encode(made):
        return Imported(made, file, "unchanged")
    record.write(made, Path(model.folder))
    return Imported(made, file, "new" if before is None else "updated")


def _name(recording: Recording, source: PublishedSource, path: Path) -> str:
    """The source's own name of the model: the file's, or what the source says of the file."""
    settings = source.settings(path, recording.record.device.name)
    return str(settings.get("model.id") or recording.record.model.id)


def _place(target: Catalog, address: str) -> tuple[Model, Port | None]:
    """The model, and the port if the address names one."""
    if "/" in address:
        return target.port(address)
    for model in target.models:
        if model.id == address:
            return model, None
    raise ModeldocsError(
        f"the source leads to the model {address!r}, which the catalog does not have",
        fix=f"take one of: {', '.join(model.id for model in target.models)}",
    )


def _with_settings(made: Record, settings: Settings, path: Path) -> Record:
    """The record with the fields that the source says beside its files."""
    data = msgspec.to_builtins(made)
    for name, value in settings.items():
        found = section_of(data, name)
        if found is None:
            raise ModeldocsError(
                f"the source sets {name!r}, which a record does not have",
                file=path,
                fix="take a field of the schema of records, such as device.name",
            )
        section, field = found
        section[field] = value
    try:
        return msgspec.convert(data, Record)
    except msgspec.ValidationError as error:
        raise ModeldocsError(f"the source sets a wrong value: {error}", file=path) from None


def _with_provenance(
    made: Record, name: str, origin: RecordSource, path: Path, source: PublishedSource
) -> Record:
    """The record with its origin, beside what the reader told of the source."""
    date = made.run.date or source.date
    if date is None:
        raise ModeldocsError(
            "tells no day of its runs",
            file=path,
            fix="give the day that it was published with --date, or `date:` in the source's file",
        )
    told = made.provenance or RecordSource(title="", citation="")
    provenance = msgspec.structs.replace(
        origin,
        figures=told.figures,
        rounding=told.rounding,
        tool=told.tool,
        units=told.units,
        page=told.page,
        unknown=source.unknown or told.unknown,
        model=name or None,
        dated=source.dated if not made.run.date else None,
    )
    return msgspec.structs.replace(
        made, run=msgspec.structs.replace(made.run, date=str(date)), provenance=provenance
    )


def _with_layers(made: Record, recording: Recording, target: Catalog, name: str) -> Record:
    """The record with each block's layer in the port of that name."""
    layers = match_layers(recording, target.port(name)[1])
    blocks = tuple(
        msgspec.structs.replace(block, layer=layers.get(block.path)) for block in made.blocks or ()
    )
    model = msgspec.structs.replace(made.model, layers_of=name)
    return msgspec.structs.replace(made, model=model, blocks=blocks)


def _first_fields(made: Record) -> dict[str, Any]:
    """The fields that the format has had from the first record on.

    Fields that it got later are left out, so that the names of records stay.
    """
    fields: dict[str, Any] = msgspec.to_builtins(made)
    del fields["host_operators"]
    if fields["gpu"] is not None:
        del fields["gpu"]["idle_causes"]
    return fields


def _tagged(made: Record, source: PublishedSource) -> Record:
    """The record with a tag of its content, which tells runs with equal options apart."""
    content = digest.of(msgspec.json.encode(_first_fields(made)))[:_TAG_DIGITS]
    tag = "-".join(part for part in (source.name, content) if part)
    return msgspec.structs.replace(made, run=msgspec.structs.replace(made.run, tag=tag))
