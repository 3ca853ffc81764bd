"""What a preview says of each port, the gravest first: for the comment and for the pages."""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs import families, spelling
from modeldocs.catalog.manifest import NAME
from modeldocs.site.preview.document import (
    FamilyChange,
    ModelChange,
    PortChange,
    Preview,
    RecordChange,
    State,
)
from modeldocs.struct import Struct

_NO_PORT = "no port changed"


class Row(Struct, frozen=True):
    """A port: how grave its change is (0 the gravest), what happened, and its figures.

    `sign` stands before `what`. `figures` are its layers, parameters and MACs, `480 → 482` where
    they changed; `proof` is its verdict against its framework in the same way.
    """

    change: PortChange
    gravity: int
    sign: str
    what: str
    figures: tuple[str, str, str]
    proof: str

    @property
    def name(self) -> str:
        """`model/port`."""
        return self.change.name


def rows(preview: Preview) -> list[Row]:
    """All ports, the gravest changes first."""
    made = (_row(change) for change in preview.ports)
    return sorted(made, key=lambda row: (row.gravity, row.name))


def headline(preview: Preview) -> str:
    """What a reviewer must know, in one sentence."""
    ports = rows(preview)
    broken = [row for row in ports if row.gravity <= _UNVERIFIED]
    if broken:
        others = len(broken) - 1
        more = f"; {others} more port{'' if others == 1 else 's'} failed" if others else ""
        return f"{broken[0].name} {broken[0].what}{more}"
    unjudged = [row for row in ports if row.gravity == _UNJUDGED]
    if unjudged:
        others = len(unjudged) - 1
        more = f"; nor could {others} more port{'' if others == 1 else 's'}" if others else ""
        return f"{unjudged[0].name} {unjudged[0].what}{more}"
    kinds = ("changed", "added", "removed")
    of_kind = {kind: [row for row in ports if row.change.kind == kind] for kind in kinds}
    phrases = [_counted(kind, found) for kind, found in of_kind.items() if found]
    return "; ".join([*phrases, *_of_others(preview)]) or _of_models(preview)


def _of_models(preview: Preview) -> str:
    """What is said where neither ports nor records changed."""
    described = [one.model for one in preview.models if one.fields]
    more = f" and {len(described) - 3} more" if len(described) > 3 else ""
    return f"{NAME} of {', '.join(described[:3])}{more} was changed" if described else _NO_PORT


def _of_others(preview: Preview) -> Iterator[str]:
    """Mistakes and benchmark records, as far as a reviewer must know of them."""
    mistaken = [one.model for one in preview.models if one.mistakes]
    mistaken += [f"{one.model}/{one.file}" for one in preview.records if one.mistake]
    slower = sum(one.answer == "slower" for one in preview.records)
    if mistaken:
        yield f"mistakes in {', '.join(mistaken[:3])}"
    if slower:
        yield f"{slower} record{' is' if slower == 1 else 's are'} slower than before"
    elif preview.records:
        count = len(preview.records)
        yield f"{count} benchmark record{'' if count == 1 else 's'} changed"


def _counted(kind: str, found: list[Row]) -> str:
    """`3 ports changed, 1 of them in what it computes`."""
    count = f"{len(found)} port{'' if len(found) == 1 else 's'} {kind}"
    others = sum(row.gravity == _DIFFERS for row in found)
    if kind != "changed":
        return count
    if not others:
        return f"{count}, computing the same as before"
    which = "" if len(found) == 1 else f", {others} of them"
    return f"{count}{which} in what {'it computes' if others == 1 else 'they compute'}"


_FAILS, _UNVERIFIED, _UNJUDGED, _DIFFERS, _REMOVED, _ADDED, _MENDED, _SAME = range(8)


def _row(change: PortChange) -> Row:
    gravity, sign, what = _told(change)
    return Row(
        change=change,
        gravity=gravity,
        sign=sign,
        what=what,
        figures=_figures(change),
        proof=proof(change),
    )


def _told(change: PortChange) -> tuple[int, str, str]:
    """Gravity, sign and words of a change."""
    old, new = change.before, change.after
    if new is None:
        return _REMOVED, "−", "was removed"
    if new.failure and not new.machine:
        known = old if old is not None and not (old.failure and old.machine) else None
        again = "still does not load" if known is not None and known.failure else "does not load"
        again = "no longer loads" if known is not None and not known.failure else again
        return _FAILS, "✗", f"{again}: {new.failure}"
    if new.proof == "disagrees":
        was = old is not None and old.proof == "verified"
        start = "no longer agrees" if was else "does not agree"
        return _UNVERIFIED, "✗", f"{start} with its framework: {new.why}"
    if change.unjudged:
        return _UNJUDGED, "?", f"could not be judged: {change.unjudged}"
    if old is None:
        return _ADDED, "+", "is new"
    if change.effect is None:
        return _MENDED, "✓", "loads now"
    step = families.BY_ID.get(change.effect.step)
    sign = step.sign if step is not None else ""
    if step in (families.SAME, families.BY_STRUCTURE):
        return _SAME, sign, "computes the same as before"
    return _DIFFERS, sign, _differs(change)


def _differs(change: PortChange) -> str:
    effect = change.effect
    assert effect is not None
    titles = [line.title for line in effect.lines if line.consequence != "spelling"]
    if not titles:
        return f"changed: {effect.headline}"
    others = effect.changes - 1
    more = f"; {others} more change{'' if others == 1 else 's'}" if others else ""
    return f"changed: {titles[0]}{more}"


def _figures(change: PortChange) -> tuple[str, str, str]:
    sides = [
        state.figures if state is not None else None for state in (change.before, change.after)
    ]
    layers, parameters, macs = (
        _arrow(*(spelling.exact(getattr(one, name)) if one is not None else "" for one in sides))
        for name in ("layers", "parameters", "macs")
    )
    return layers, parameters, macs


def proof(change: PortChange) -> str:
    """The verdict of a port's proof, `verified → disagrees` where it changed."""
    return _arrow(_proven(change.before), _proven(change.after))


def _proven(state: State | None) -> str:
    return state.proof if state is not None and state.figures is not None else ""


def _arrow(before: str, after: str) -> str:
    """`before → after`; one of them where they are equal or the other is not there."""
    return f"{before} → {after}" if before and after and before != after else after or before


def others(preview: Preview) -> list[str]:
    """What is said of mistakes, families, records and models, in this order."""
    return [
        *(mistake for one in preview.models for mistake in mistakes(one)),
        *(family(one) for one in preview.families),
        *(record(one) for one in preview.records),
        *(model(one) for one in preview.models),
    ]


def mistakes(change: ModelChange) -> list[str]:
    """The mistakes of a model, each with its name."""
    return [f"{change.model}: {mistake}" for mistake in change.mistakes]


def model(change: ModelChange) -> str:
    """What happened to a model, and which fields of its manifest are others now."""
    if not change.fields:
        return f"the model {change.model} was {change.kind}"
    return f"{NAME} of {change.model} was changed: {', '.join(change.fields)}"


def family(change: FamilyChange) -> str:
    """How the families of a model's ports changed: their numbers, and the families now."""
    now = " | ".join(", ".join(names) for names in change.after)
    count = len(change.after)
    noun = "family" if count == 1 else "families"
    return f"{change.model} has {count} {noun}, {len(change.before)} before: {now}"


def record(change: RecordChange) -> str:
    """What is said of a benchmark record."""
    if change.mistake:
        return f"{change.file} cannot be read: {change.mistake}"
    start = f"{change.label or change.file} was {change.kind}"
    if not change.answer:
        return start
    return f"{start}: {change.answer} (against {change.against}). {change.reason}"
