"""The preview of a change, from both of its sides."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec

from modeldocs import __version__
from modeldocs.benchmarks import series
from modeldocs.benchmarks.labels import file_name, label
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Model, Port
from modeldocs.catalog.manifest import Manifest
from modeldocs.diff import Change, Diff
from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph
from modeldocs.site import addresses
from modeldocs.site.model.compared_ports import compare_ports
from modeldocs.site.pair import comparison, policies
from modeldocs.site.preview import renames
from modeldocs.site.preview.document import (
    MAX_LINES,
    ChangeLine,
    Effect,
    FamilyChange,
    Figures,
    Kind,
    ModelChange,
    PortChange,
    Preview,
    RecordChange,
    SideState,
    cut,
)
from modeldocs.site.preview.relations import Relations
from modeldocs.site.preview.sides import PreviewSide, Sides
from modeldocs.tasks.kind import machine_failure
from modeldocs.tasks.results import RecordFile, Results
from modeldocs.tasks.store import digest_file
from modeldocs.verdict import output_error, output_head, sentences

_MODELS = "models"
"""The catalog's folder where none is named."""

_BY_NUMBERS = "parity"
"""The policy that depends on a run."""


def preview(sides: Sides) -> Preview:
    """What a change does to models, ports, families and records."""
    related = Relations(sides.before, sides.after)
    found = (_port(name, sides, related) for name in sides.reached)
    ports = renames.joined((one for one in found if one is not None), sides)
    return Preview(
        modeldocs=__version__,
        base=sides.before.revision,
        head=sides.after.revision,
        command=_command(sides),
        models=tuple(renames.models(_models(sides), ports)),
        ports=ports,
        families=tuple(_families(sides)),
        records=tuple(_records(sides)),
        untouched=sides.untouched + _unchanged(sides, ports),
    )


def _unchanged(sides: Sides, ports: tuple[PortChange, ...]) -> int:
    """The ports that a change reaches, and leaves as they were."""
    told = {name for one in ports for name in (one.name, one.was) if name}
    return len(set(sides.reached) - told)


def port_diff(name: str, results: Results) -> Diff | None:
    """The diff of a port's two sides with its parity; None where one of them did not load."""
    diff = results.diff_of(name)
    return comparison.with_parity(diff, results.parity_of(name)) if diff is not None else None


def _command(sides: Sides) -> str:
    base, head = sides.before.revision, sides.after.revision
    words = ["modeldocs", "preview", "--base", base.commit]
    words += [] if head.modified else ["--head", head.commit]
    words += [] if sides.inside == _MODELS else ["--models", sides.inside]
    words += [] if sides.is_proven else ["--no-verify"]
    return cut(shlex.join(words))


def _models(sides: Sides) -> Iterator[ModelChange]:
    before, after = ({m.id: m for m in side.catalog.models} for side in (sides.before, sides.after))
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if new is None:
            yield ModelChange(model=name, kind="removed")
        elif old is None or (old.manifest, old.failures) != (new.manifest, new.failures):
            mistakes = tuple(_sentence(failure) for failure in new.failures)
            yield ModelChange(
                model=name,
                kind="added" if old is None else "changed",
                mistakes=mistakes,
                fields=_fields(old.manifest, new.manifest) if old is not None else (),
            )


def _fields(old: Manifest, new: Manifest) -> tuple[str, ...]:
    """The fields of a manifest that differ, in its order."""
    names = Manifest.__struct_fields__
    return tuple(name for name in names if getattr(old, name) != getattr(new, name))


def _port(name: str, sides: Sides, related: Relations) -> PortChange | None:
    """What happened to a port; None where it is as it was."""
    old, new = sides.before.port(name), sides.after.port(name)
    kind: Kind = "changed" if old and new else "added" if new else "removed"
    if old and new and _same(sides.before, old, sides.after, new):
        return None
    found = new or old
    assert found is not None
    model, port = found
    lost = _unrecognised(port, sides) if new is None else ""
    if lost:
        kind = "changed"
    return PortChange(
        model=model.id,
        port=port.name,
        framework=port.framework,
        kind=kind,
        before=_state(sides.before, old),
        after=SideState(failure=lost) if lost else _state(sides.after, new),
        effect=_effect(name, old, new, sides),
        page=_page(model, port, kind) if new is not None else "",
        unjudged=_unjudged(name, old, new, sides),
        relations=related.of(old, new) if not lost else (),
    )


def _unjudged(
    name: str, old: tuple[Model, Port] | None, new: tuple[Model, Port] | None, sides: Sides
) -> str:
    """The failure of the machine that kept a port from being judged; empty where there is none."""
    of_sides = ((sides.before, old), (sides.after, new))
    failures = [one for side, found in of_sides if found for one in _prevented(side, *found)]
    failures += [one for other, one in sides.across.failures if other == name and one.machine]
    return _sentence(failures[0]) if failures else ""


def _prevented(side: PreviewSide, model: Model, port: Port) -> Iterator[Failure]:
    """Failures of the machine in loading and proving a port."""
    proof = side.results.proof(model, port)
    found = [side.results.loaded(model, port), *([proof] if proof is not None else [])]
    return filter(None, map(machine_failure, found))


def _unrecognised(port: Port, sides: Sides) -> str:
    """The failure of a port whose file is still there, but taken for no definition any more."""
    if port.source is None:
        return ""
    inside = os.path.relpath(port.source, sides.before.catalog.root)
    if not Path(sides.after.catalog.root, inside).is_file():
        return ""
    return f"{port.source.name}: is there, but is not recognised as a definition any more"


def _page(model: Model, port: Port, kind: Kind) -> str:
    changed = addresses.change_folder(model.id, port.name)
    return f"{changed if kind == 'changed' else addresses.port_folder(model, port)}/"


def _same(
    before: PreviewSide, old: tuple[Model, Port], after: PreviewSide, new: tuple[Model, Port]
) -> bool:
    """Whether a port was loaded from the same files to the same result.

    Of one that was not loaded at all, its own file counts.
    """
    a, b = before.results.loaded(*old), after.results.loaded(*new)
    if (a.graph, a.onnx, a.failure, a.read) != (b.graph, b.onnx, b.failure, b.read):
        return False
    if machine_failure(a) is not None:  # nothing is known of either side
        return False
    return bool(a.read) or _content(old[1]) == _content(new[1])


def _content(port: Port) -> str | None:
    return digest_file(port.source) if port.source is not None else None


def _state(side: PreviewSide, found: tuple[Model, Port] | None) -> SideState | None:
    if found is None:
        return None
    load, proof = side.results.loaded(*found), side.results.proof(*found)
    graph = side.results.graph(*found)
    if graph is None:
        if load.failure is None:
            return SideState(failure="was not loaded")
        return SideState(failure=_sentence(load.failure), machine=load.failure.machine)
    totals = graph.totals()
    why = proof.failure or proof.disagreement if proof is not None else None
    return SideState(
        figures=Figures(layers=totals.layers, parameters=totals.parameters, macs=totals.macs),
        proof=proof.verdict if proof is not None else "not tried",
        why=_sentence(why) if why is not None else "",
        machine=why is not None and why.machine,
    )


def _effect(
    name: str, old: tuple[Model, Port] | None, new: tuple[Model, Port] | None, sides: Sides
) -> Effect | None:
    diff = port_diff(name, sides.across)
    if diff is None or old is None or new is None:
        return None
    a, b = sides.before.results.graph(*old), sides.after.results.graph(*new)
    assert a is not None and b is not None
    told = sentences.pair_verdict(diff, (a, b))
    prevented = any(other == name and one.machine for other, one in sides.across.failures)
    return Effect(
        step=told.step.id,
        headline=cut(told.headline),
        text=cut(told.text()),
        changes=len(diff.changes),
        lines=tuple(
            _line(change, b, _folder(new[0], sides)) for change in diff.changes[:MAX_LINES]
        ),
        error=output_error.largest_error(diff, output_head.changes(diff, (a, b))),
        violates=tuple(
            policy
            for policy, test in policies.POLICIES.items()
            if not (prevented and policy == _BY_NUMBERS) and test(diff, (a, b))
        ),
    )


def _folder(model: Model, sides: Sides) -> str:
    """The model's folder, relative to the repository."""
    return f"{sides.inside}/{Path(model.folder).name}"


def _line(change: Change, graph: LayerGraph, folder: str) -> ChangeLine:
    ids = next((theirs for _, theirs in change.pairs if theirs), ())
    layer = next((one for one in graph.layers if one.id in ids), None)
    origin = next((one for one in layer.origins if one.file and one.line), None) if layer else None
    return ChangeLine(
        file=cut(f"{folder}/{origin.file}") if origin is not None else "",
        row=origin.line if origin is not None else None,
        title=cut(change.title),
        consequence=change.consequence,
        layers=len(change.pairs) + change.followers,
        parameter_delta=change.parameter_delta,
    )


def _families(sides: Sides) -> Iterator[FamilyChange]:
    """Models whose ports of both sides are grouped otherwise now."""
    before = {model.id: model for model in sides.before.catalog.models}
    for model in sides.after.catalog.models:
        if model.id in before and not _is_prevented(sides, before[model.id], model):
            old, new = _grouped(sides.before, before[model.id]), _grouped(sides.after, model)
            common = _members(old, new) | _broken(old, new, {port.name for port in model.ports})
            if _among(old, common) != _among(new, common):
                yield FamilyChange(model=model.id, before=old, after=new)


def _is_prevented(sides: Sides, old: Model, new: Model) -> bool:
    """Whether the machine failed on a model, so that not all that sets its ports apart is known."""
    of_sides = ((sides.before, old), (sides.after, new))
    loads = (side.results.loaded(m, port) for side, m in of_sides for port in m.ports)
    named = (one for side, _ in of_sides for one in side.results.failures)
    return any(machine_failure(load) is not None for load in loads) or any(
        name.partition("/")[0] == new.id and failure.machine for name, failure in named
    )


def _grouped(side: PreviewSide, model: Model) -> tuple[tuple[str, ...], ...]:
    families = compare_ports(model, side.results).families
    return tuple(sorted(tuple(sorted(family.ports)) for family in families))


def _members(old: tuple[tuple[str, ...], ...], new: tuple[tuple[str, ...], ...]) -> set[str]:
    """The ports that are in a family on both sides."""
    return {one for group in old for one in group} & {one for group in new for one in group}


def _broken(
    old: tuple[tuple[str, ...], ...], new: tuple[tuple[str, ...], ...], there: set[str]
) -> set[str]:
    """The ports that were of one family with others, and do not load any more."""
    shared = {one for group in old if len(group) > 1 for one in group}
    return (shared & there) - {one for group in new for one in group}


def _among(groups: tuple[tuple[str, ...], ...], kept: set[str]) -> set[frozenset[str]]:
    return {frozenset(group) & kept for group in groups} - {frozenset()}


def _records(sides: Sides) -> Iterator[RecordChange]:
    before = {model.id: model for model in sides.before.catalog.models}
    after = {model.id: model for model in sides.after.catalog.models}
    for name in sorted(before.keys() | after.keys()):
        old = _files(sides.before.results, before.get(name))
        new = _files(sides.after.results, after.get(name))
        for file in sorted(old.keys() | new.keys()):
            if old.get(file) != new.get(file):
                kind: Kind = (
                    "removed" if file not in new else "added" if file not in old else "changed"
                )
                yield _record(name, file, kind, old | new, new)


def _files(results: Results, model: Model | None) -> dict[str, RecordFile]:
    return {item.file: item for item in results.records[model.id]} if model is not None else {}


def _record(
    model: str, file: str, kind: Kind, every: dict[str, RecordFile], new: dict[str, RecordFile]
) -> RecordChange:
    item = every[file]
    change = RecordChange(
        model=model,
        file=file,
        kind=kind,
        label=cut(label(item.record)) if item.record is not None else "",
        mistake=_sentence(msgspec.structs.replace(item.failure, file=file))
        if item.failure is not None
        else "",
    )
    if kind == "removed" or item.record is None:
        return change
    records = [one.record for one in new.values() if one.record is not None]
    return _judged(change, item.record, records)


def _judged(change: RecordChange, one: Record, records: list[Record]) -> RecordChange:
    """The change with the verdict on the record and the one before it in its series."""
    for found in series.series(records):
        for last, point in pairwise(found.points):
            if point.record is one and point.verdict is not None:
                return msgspec.structs.replace(
                    change,
                    against=file_name(last.record),
                    answer=point.verdict.answer,
                    reason=cut(point.verdict.reason),
                )
    return change


def _sentence(failure: Failure) -> str:
    """A failure as a clause with its place."""
    error = failure.error()
    return cut(f"{error.place}: {error.reason}" if error.place else error.reason)
