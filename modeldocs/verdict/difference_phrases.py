"""What sets one port apart from another, in a few words: `stride in the 1×1 Conv`, `ε 2e-05`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from modeldocs import formatting
from modeldocs.diff import CONSEQUENCES, Change, Diff
from modeldocs.ir import Constant

_LONGEST: Final = 2
"""Operators of a block, or of layers in the place of others, that are named."""


def differences(diff: Diff, of_head: frozenset[int], *, mirrored: bool = False) -> tuple[str, ...]:
    """What B has otherwise than A, the gravest first, each phrase once; of A, where `mirrored`.

    `of_head` are the numbers of the changes of the output head, which come last. Changes of
    spelling are left out. Where numbers differ and no change does, that is said.
    """
    grave = [
        (number in of_head, CONSEQUENCES.index(change.consequence), number)
        for number, change in enumerate(diff.changes, start=1)
        if change.consequence != "spelling"
    ]
    phrases = (
        phrase(diff.changes[number - 1], in_head=head, mirrored=mirrored)
        for head, _, number in sorted(grave)
    )
    return tuple(dict.fromkeys(phrases)) or _by_numbers(diff)


def phrase(change: Change, *, in_head: bool = False, mirrored: bool = False) -> str:
    """A change in a few words, as a property of B; of A, where `mirrored`."""
    ours, theirs = change.before, change.after
    kind = change.kind
    if mirrored:
        ours, theirs = theirs, ours
        kind = {"inserted": "deleted", "deleted": "inserted"}.get(kind, kind)
    if kind in ("inserted", "deleted"):
        return _one_sided(change, kind == "inserted", in_head)
    if in_head:
        return f"{_operators(theirs)} at the end"
    return _PHRASES[kind](change, ours, theirs)


def _by_numbers(diff: Diff) -> tuple[str, ...]:
    """What parity shows of two ports whose structure is the same."""
    parity = diff.parity
    if parity is None or parity.verdict == "not run":
        return ()
    if parity.turned:
        return ("a weight is rearranged",)
    divergence = parity.first
    if divergence is None or divergence.error.relative is None:
        return ()
    return ("other numbers that no change explains",)


def _one_sided(change: Change, inserted: bool, in_head: bool) -> str:
    if in_head:
        return f"{change.operator} at the end" if inserted else f"no {change.operator} at the end"
    made = change.before or change.after
    if change.operator == "preprocessing":
        return f"preprocessing {made}" if inserted else "no preprocessing"
    count = len(change.pairs)
    if change.operator:
        times = f" × {count:,}" if count > 1 else ""
        return f"{change.operator}{times} more" if inserted else f"no {change.operator}{times}"
    word = "more" if inserted else "fewer"
    blocks = f"{count:,} blocks {word}" if count > 1 else f"a block {word}"
    return f"{blocks} ({_operators(made)})"


def _attribute(change: Change, _: Any, theirs: Any) -> str:
    name = change.attribute or "setting"
    if name == "epsilon":
        where = "" if change.operator == "BatchNormalization" else f" in {change.operator}"
        return f"ε {_number(theirs)}{where}"
    where = _where(change)
    if name in _SWITCHES:
        return f"{_SWITCHES[name][bool(theirs)]} {where}"
    if name not in _NAMES and not name.isidentifier():  # not one setting: `order of axes`
        return f"another {name} {where}"
    if theirs is None or theirs == []:
        return f"no {_NAMES.get(name, name)} {where}"
    return f"{_NAMES.get(name, name)} {_value(name, theirs)} {where}"


def _moved(change: Change, _: Any, theirs: Any) -> str:
    if change.attribute == "strides":
        match theirs:
            case [list() | tuple() as kernel, str() as operator]:
                return f"stride in the {formatting.windowed(kernel, operator)}"
        return "stride in another layer"
    return f"{change.operator or 'a layer'} after {_operators(theirs)}"


def _operator(change: Change, ours: Any, theirs: Any) -> str:
    return f"{_operators(theirs)} for {_operators(ours)}{_times(change)}"


def _regrouped(change: Change, ours: Any, theirs: Any) -> str:
    """`no BatchNormalization after 53 Conv`, where one side has that in its Conv; else both."""
    first, second = (str(value).split(" + ") for value in (ours, theirs))
    for word, pieces, whole in (("no ", first, second), ("", second, first)):
        if len(whole) == 1 and len(pieces) > 1 and whole[0].split(" ")[0] == pieces[0]:
            count = f"{len(change.pairs):,} " if len(change.pairs) > 1 else ""
            return f"{word}{' + '.join(pieces[1:])} after {count}{pieces[0]}"
    return _operator(change, ours, theirs)


def _parameters(change: Change, ours: Any, theirs: Any) -> str:
    name, where = change.attribute or "parameters", _where(change)
    if theirs is None:
        return f"no {name} {where}"
    if isinstance(theirs, str):
        return f"{name} {theirs} {where}"
    if ours is None:
        return f"{name} {where}"
    if isinstance(theirs, list | tuple) and all(isinstance(dim, int) for dim in theirs):
        return f"{name} {formatting.dims(theirs)} {where}"
    return f"another {name} {where}"


def _shape(change: Change, _: Any, theirs: Any) -> str:
    sizes = formatting.dims(theirs) if isinstance(theirs, list | tuple) else "of another shape"
    if change.operator == "input":
        return f"input {sizes}"
    return f"output {sizes} {_where(change)}"


def _region(change: Change, *_: Any) -> str:
    return f"other numbers {_where(change)}"


def _output(change: Change, *_: Any) -> str:
    order = change.consequence == "order"
    return "outputs in another form" if order else "another output"


def _rewired(change: Change, ours: Any, theirs: Any) -> str:
    if change.operator == "output":
        return "fewer outputs" if theirs is None else "more outputs" if ours is None else "outputs"
    if change.attribute is not None:
        return f"another order of the {change.attribute} {_where(change)}"
    return f"other operands {_where(change)}"


_PHRASES: Final[dict[str, Callable[[Change, Any, Any], str]]] = {
    "network": lambda *_: "another network",
    "attribute": _attribute,
    "operator": _operator,
    "regrouped": _regrouped,
    "rewired": _rewired,
    "shape": _shape,
    "parameters": _parameters,
    "moved": _moved,
    "region": _region,
    "output": _output,
    "body": lambda change, *_: f"another {change.title.partition(': ')[0]}",
}
"""The phrases of the kinds of changes that both sides have."""

_NAMES: Final = {
    "kernel_shape": "kernel",
    "strides": "stride",
    "dilations": "dilation",
    "group": "groups",
}
"""Names of attributes in plain words."""

_SWITCHES: Final = {
    "count_include_pad": ("padding not counted", "padding counted"),
    "ceil_mode": ("sizes rounded down", "sizes rounded up"),
}
"""What attributes say that are 0 or 1."""


def _where(change: Change) -> str:
    """The layers of a change: `in MaxPool`, `in 9 Conv`."""
    count = len(change.pairs)
    number = f"{count:,} " if count > 1 else ""
    return f"in {number}{change.operator or ('layers' if count > 1 else 'a layer')}"


def _times(change: Change) -> str:
    return f" × {len(change.pairs):,}" if len(change.pairs) > 1 else ""


def _operators(value: Any) -> str:
    """An operator, or the first of several in a row."""
    if not value:
        return "another layer"
    if not isinstance(value, list | tuple):
        return str(value)
    more = " + …" if len(value) > _LONGEST else ""
    return " + ".join(map(str, value[:_LONGEST])) + more


def _value(name: str, value: Any) -> str:
    if isinstance(value, Constant | dict):
        return "of other values"
    if name == "pads" and isinstance(value, list | tuple):
        return formatting.pads(value).replace(", ", ",")
    if isinstance(value, list | tuple) and value and all(one == value[0] for one in value):
        return formatting.setting(value if name == "kernel_shape" else value[0])
    return _number(value) if isinstance(value, float) else formatting.setting(value)


def _number(value: Any) -> str:
    """A number in its shortest form: `2e-5`, `0.001`."""
    text = f"{value:g}" if isinstance(value, int | float) else str(value)
    return text.replace("e-0", "e-").replace("e+0", "e+")
