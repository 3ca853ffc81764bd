"""What edits make of a port: its table, its difference from the port, and its program."""

from __future__ import annotations

import base64
import re
import shlex
from typing import Any

import msgspec

from modeldocs import edits, formatting, generators
from modeldocs.diff import compare
from modeldocs.edits import NewLayer
from modeldocs.generators import Network, docstring
from modeldocs.ir import GraphInput, LayerGraph, decode
from modeldocs.site.pair import report
from modeldocs.site.serving.editing.applied import AppliedEdits, TriedEdit
from modeldocs.site.serving.editing.rows import Row, rows
from modeldocs.site.serving.editing.work import EditWork
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct

EDITED = "edited"
"""What reports call the network with its edits."""


class TotalRow(Struct, frozen=True):
    """A total of the network, before and after."""

    name: str
    before: str
    after: str


class ShownInput(Struct, frozen=True):
    """An input and its shape, as edits are given it, before and after."""

    name: str
    before: str
    after: str


class ShownNetwork(Struct, frozen=True):
    """What a page shows of a port with edits."""

    port: str
    edits: tuple[TriedEdit, ...]
    command: str
    totals: tuple[TotalRow, ...]
    inputs: tuple[ShownInput, ...]
    rows: tuple[Row, ...]
    operators: tuple[NewLayer, ...]
    targets: tuple[dict[str, str], ...]


def compute(work: EditWork) -> bytes:
    """What is wanted, as JSON or HTML.

    Raises:
        ModeldocsError: a layer has no program in the target, or an edit cannot be applied.
    """
    applied = AppliedEdits(work.normal, work.edits)
    source = decode(work.graph)
    if work.kind == "show":
        return msgspec.json.encode(_shown(work.port, source, applied))
    for one in applied.tried:
        if one.failure is not None:
            raise one.failure.error()
    if work.kind == "report":
        graph = edits.editable(applied.draft).graph
        names, both = (work.port, EDITED), (source, graph)
        return report.html(compare(*both), both, names, Templates()).encode()
    return msgspec.json.encode(_program(work, applied))


def _shown(port: str, source: LayerGraph, applied: AppliedEdits) -> ShownNetwork:
    network = edits.editable(applied.draft)
    return ShownNetwork(
        port=port,
        edits=applied.tried,
        command=_command(port, applied),
        totals=tuple(_totals(source, network.graph)),
        inputs=tuple(
            ShownInput(name=before.name, before=_sizes(before), after=_sizes(after))
            for before, after in zip(source.inputs, network.graph.inputs, strict=True)
        ),
        rows=tuple(rows(source, network)),
        operators=tuple(edits.new_layers()),
        targets=tuple(_target(name) for name in generators.targets()),
    )


def _target(name: str) -> dict[str, str]:
    target = generators.target(name)
    return {"name": name, "title": target.title, "suffix": target.suffix}


def _command(port: str, applied: AppliedEdits) -> str:
    written = (edits.written(one) for one in applied.edits)
    words = [word for option, value in written for word in (f"--{option}", value)]
    return shlex.join(["modeldocs", "edit", port, *words])


def _totals(before: LayerGraph, after: LayerGraph) -> list[TotalRow]:
    a, b = before.totals(), after.totals()
    figures = (
        ("Layers", a.layers, b.layers, formatting.exact),
        ("Parameters", a.parameters, b.parameters, formatting.exact),
        ("Not trained", a.buffers, b.buffers, formatting.exact),
        ("MACs", a.macs, b.macs, formatting.exact),
        ("Activations", a.activation_bytes, b.activation_bytes, formatting.size),
    )
    return [
        TotalRow(name=name, before=shown(one), after=shown(other))
        for name, one, other, shown in figures
        if one or other or name != "Not trained"
    ]


def _sizes(given: GraphInput) -> str:
    return ",".join("?" if one is None else str(one) for one in given.type.shape or ())


def _program(work: EditWork, applied: AppliedEdits) -> dict[str, Any]:
    """The program without a proof, which its docstring says."""
    assert work.facts is not None
    target = generators.target(work.target)
    network = Network.of(applied.model)
    draft = target.draft(network, work.port.partition("/")[0])
    written = tuple(" ".join(edits.written(one)) for one in applied.edits)
    facts = msgspec.structs.replace(work.facts, edits=written)
    made = draft.file(docstring.text(target, facts))
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{work.port}-{EDITED}")
    return {
        "target": target.name,
        "title": target.title,
        "file": f"{stem}{target.suffix}",
        "code": made.text,
        "content": base64.b64encode(made.content).decode(),
    }
