"""What a preview says of each port, the gravest first: for the comment and for the pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from modeldocs import formatting, verdict
from modeldocs.catalog.manifest import NAME
from modeldocs.site.preview.document import (
    FamilyChange,
    ModelChange,
    PortChange,
    Preview,
    RecordChange,
    Relation,
    SideState,
)
from modeldocs.struct import Struct
from modeldocs.verdict import sentences

_NO_PORT = "no port changed"


class PreviewRow(Struct, frozen=True):
    """A port: how grave its change is (0 the gravest), what happened, and its figures.

    `sign` stands before `what`. `figures` are its layers, parameters and MACs, `480 → 482` where
    they changed; `proof` is its verdict against its framework in the same way. `sort` is what the
    headline counts it as.
    """

    change: PortChange
    gravity: int
    sign: str
    sort: str
    what: str
    figures: tuple[str, str, str]
    proof: str

    @property
    def name(self) -> str:
        """`model/port`."""
        return self.change.name


def rows(preview: Preview) -> list[PreviewRow]:
    """All ports, the gravest changes first."""
    made = (_row(change) for change in preview.ports)
    return sorted(made, key=lambda row: (row.gravity, row.name))


def headline(preview: Preview) -> str:
    """What a change does, counted by gravity: `1 broken (net/onnx) · 2 renamed`."""
    found: dict[tuple[int, str], list[PreviewRow]] = defaultdict(list)
    for row in rows(preview):
        found[row.gravity, row.sort].append(row)
    phrases = [_counted(sort, some) for (_, sort), some in found.items()]
    return " · ".join([*phrases, *_of_others(preview)]) or _of_models(preview)


_MANY: Final = {
    "changes the result": "change the result",
    "disagrees with its framework": "disagree with their frameworks",
    "computes the same as before": "compute the same as before",
    "loads now": "load now",
    "new port": "new ports",
}
"""Words for several ports, where they are not those for one."""


def _counted(sort: str, some: Sequence[PreviewRow]) -> str:
    """`2 new ports, ≠ the reference`; of one grave change with the port's name."""
    start, comma, rest = sort.partition(",")
    text = f"{len(some)} {_MANY.get(start, start) if len(some) > 1 else start}{comma}{rest}"
    is_named = len(some) == 1 and some[0].gravity <= _DIFFERS_LITTLE
    return f"{text} ({some[0].name})" if is_named else text


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


_FAILS, _UNVERIFIED, _UNJUDGED, _DIFFERS, _DIFFERS_LITTLE = range(5)
_REMOVED, _ADDED, _RENAMED, _MENDED, _SAME = range(5, 10)


def _row(change: PortChange) -> PreviewRow:
    gravity, sign, sort, what = _told(change)
    return PreviewRow(
        change=change,
        gravity=gravity,
        sign=sign,
        sort=sort,
        what=what,
        figures=_figures(change),
        proof=proof(change),
    )


def _told(change: PortChange) -> tuple[int, str, str, str]:
    """Gravity and sign of a change, its sort in the headline, and what happened in words."""
    old, new = change.before, change.after
    if new is None:
        return _REMOVED, "−", "removed", "was removed"
    if new.failure and not new.machine:
        known = old if old is not None and not (old.failure and old.machine) else None
        again = "still does not load" if known is not None and known.failure else "does not load"
        again = "no longer loads" if known is not None and not known.failure else again
        return _FAILS, "✗", "broken", f"{again}: {new.failure}"
    if new.proof == "disagrees":
        was = old is not None and old.proof == "verified"
        start = "no longer agrees" if was else "does not agree"
        what = f"{start} with its framework: {new.why}"
        return _UNVERIFIED, "✗", "disagrees with its framework", what
    if change.unjudged:
        return _UNJUDGED, "?", "not judged", f"could not be judged: {change.unjudged}"
    if change.kind == "renamed":
        return _RENAMED, "↷", "renamed", f"was {change.was}, with the same content"
    if old is None:
        return _new(change)
    if change.effect is None:
        return _MENDED, "✓", "loads now", "loads now"
    step = verdict.BY_ID.get(change.effect.step)
    if step is None:
        return _DIFFERS, "", "changes the result", _differs(change)
    if step in (verdict.SAME, verdict.BY_STRUCTURE):
        return _SAME, step.sign, "computes the same as before", "computes the same as before"
    if step == verdict.DIFFERENT_RESULTS:
        return _DIFFERS, step.sign, "changes the result", _differs(change)
    return _DIFFERS_LITTLE, step.sign, f"{step.sign} {step.word}", _differs(change)


def _new(change: PortChange) -> tuple[int, str, str, str]:
    """A new port, with its verdict against the reference, or else the nearest other port."""
    known = sorted(change.relations, key=lambda one: (not one.reference, _rank(one.after)))
    if not known:
        return _ADDED, "+", "new port", "is new; there is no other port to compare it with"
    other = known[0]
    step = verdict.BY_ID.get(other.after)
    named = f"the reference {other.port}" if other.reference else other.port
    sort = f"new port, {step.sign} the reference" if step and other.reference else "new port"
    what = f"is new; {_step(other.after)}, compared with {named}{_than(other)}"
    return _ADDED, "+", sort, what


def _rank(step: str) -> int:
    return verdict.BY_ID[step].rank if step in verdict.BY_ID else len(verdict.BY_ID)


def _than(relation: Relation) -> str:
    """What a port has otherwise than another, and how far the numbers are apart."""
    differences = "; ".join(relation.differences[:3])
    more = len(relation.differences) - 3
    text = f": {differences}" if differences else ""
    text += f" and {more} more" if more > 0 else ""
    return text + _size(relation.error)


def _size(error: float | None) -> str:
    if error is None or error == 0:
        return ""
    return f" (error {sentences.apart(error)})"


def _differs(change: PortChange) -> str:
    effect = change.effect
    assert effect is not None
    titles = [line.title for line in effect.lines if line.consequence != "spelling"]
    if not titles:
        return f"changed: {effect.headline}{_size(effect.error)}"
    others = effect.changes - 1
    more = f"; {others} more change{'' if others == 1 else 's'}" if others else ""
    return f"changed: {titles[0]}{_size(effect.error)}{more}"


def turned(change: PortChange) -> list[str]:
    """What a port is now to others of its model that it was something else to before."""
    return [
        f"to {one.port}{' (the reference)' if one.reference else ''}: "
        f"{_step(one.before)} → {_step(one.after)}{_than(one)}"
        for one in change.relations
        if one.before and one.before != one.after
    ]


def _step(identity: str) -> str:
    step = verdict.BY_ID.get(identity)
    return f"{step.sign} {step.word}" if step is not None else identity


def _figures(change: PortChange) -> tuple[str, str, str]:
    sides = [
        state.figures if state is not None else None for state in (change.before, change.after)
    ]
    layers, parameters, macs = (
        _arrow(*(formatting.exact(getattr(one, name)) if one is not None else "" for one in sides))
        for name in ("layers", "parameters", "macs")
    )
    return layers, parameters, macs


def proof(change: PortChange) -> str:
    """The verdict of a port's proof, `verified → disagrees` where it changed."""
    return _arrow(_proven(change.before), _proven(change.after))


def _proven(state: SideState | None) -> str:
    return state.proof if state is not None and state.figures is not None else ""


def _arrow(before: str, after: str) -> str:
    """`before → after`; one of them where they are equal or the other is not there. What only the
    base has is marked as its.
    """
    if before and not after:
        return f"{before} (base)"
    return f"{before} → {after}" if before and before != after else after


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
    if change.was:
        return f"the model {change.was} is {change.model} now; links to its pages end"
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
