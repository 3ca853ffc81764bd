"""The verdict on a pair in words, structure and numbers together: the same on every page."""

from __future__ import annotations

from modeldocs import spelling
from modeldocs.diff import Diff, Direction, Divergence, Ids, Pair, Parity
from modeldocs.ir import LayerGraph
from modeldocs.numerics.closeness import Difference
from modeldocs.struct import Struct

STATUSES = ("different", "unproven", "proven")
"""What a reader must know at a glance, the worst first; each has a colour."""

Graphs = tuple[LayerGraph, LayerGraph]
Names = tuple[dict[str, str], dict[str, str]]
"""Names of the inputs and layers of A and of B, by id."""

_DIFFERS = {
    "computes": ("computes something else", "compute something else"),
    "shape": ("gives another shape", "give other shapes"),
    "parameters": ("learns other parameters", "learn other parameters"),
    "order": ("stands in another order", "stand in another order"),
}


class Span(Struct, frozen=True):
    """A piece of a sentence; `anchor` is the id of what it leads to on the same page."""

    text: str
    anchor: str = ""


class Verdict(Struct, frozen=True):
    """A verdict: its status, what it comes to in few words, and the sentences that explain it."""

    status: str
    headline: str
    sentences: tuple[Span, ...]

    def text(self) -> str:
        """The sentences as plain text."""
        return "".join(span.text for span in self.sentences)


def status(diff: Diff) -> str:
    """`proven`, `unproven` or `different`."""
    ran = _ran(diff)
    if diff.verdict == "different" or ran in ("diverges", "one way", "turned"):
        return "different"
    return "proven" if ran == "holds" else "unproven"


def word(diff: Diff) -> str:
    """The verdict in a badge: `equivalent, proven`, `different`."""
    if diff.verdict == "different":
        return "different"
    told = {"diverges": "other numbers", "one way": "one way only", "turned": "kernel turned"}
    return told.get(_ran(diff), f"{diff.verdict}, {status(diff)}")


def numbers(diff: Diff) -> str:
    """How far apart the two end, for a cell: `error 3e-7`; empty where they were not compared.

    Where they part and come together again, it is the error where they part.
    """
    parity = diff.parity
    if parity is None or parity.outputs is None or parity.verdict == "not run":
        return ""
    worst = parity.first.error if parity.first and parity.outputs.small else parity.outputs
    yet = "same numbers, " if status(diff) == "different" and parity.verdict == "holds" else ""
    told = spelling.apart(worst.relative)
    return told if worst.size() > 1 else f"{yet}error {told}"


def verdict(diff: Diff, names: Names) -> Verdict:
    """The verdict on a diff, with its parity where it was run."""
    said = _numbers(diff, names)
    if diff.verdict == "different":
        said = (Span(text=f"{_differs(diff)}. "), *said)
        headline = "Different networks" if diff.different_networks else "Different"
        return Verdict(status=status(diff), headline=headline, sentences=said)
    same = diff.verdict.capitalize()
    headline = {
        "holds": f"{same}, and proven",
        "in part": f"{same}, and proven but for what could not be run",
        "turned": f"{same} by structure, but a kernel is turned",
        "one way": f"{same} by structure, but the weights of only one fit the other",
        "diverges": f"{same} by structure, but not by numbers",
        "not run": f"{same} by structure; not proven by numbers",
    }[_ran(diff)]
    return Verdict(status=status(diff), headline=headline, sentences=said)


def anchor(side: int, identity: str) -> str:
    """Id of a layer's place in the table of both networks: `a-conv-1`."""
    return f"{'ab'[side]}-{identity}"


def shown(ids: Ids, names: dict[str, str]) -> str:
    """Layers by name: `conv1 + bn1`."""
    return " + ".join(names.get(one, one) for one in ids)


def place(pair: Pair, names: Names) -> Span:
    """Where a pair of layers is, by A's name; by B's where A has none."""
    side = 0 if pair[0] else 1
    ids = pair[side]
    return Span(text=shown(ids, names[side]), anchor=anchor(side, ids[0]) if ids else "")


def _ran(diff: Diff) -> str:
    """The verdict of parity, `turned` or `in part` where it holds and that is not all to say."""
    if diff.parity is None:
        return "not run"
    if diff.parity.verdict != "holds":
        return diff.parity.verdict
    if diff.parity.turned:
        return "turned"
    return "in part" if diff.parity.uncompared else "holds"


def _differs(diff: Diff) -> str:
    """`3 changes compute something else, 1 learns other parameters`."""
    if diff.different_networks:
        return "They have too little in common for their layers to be compared one by one"
    told: list[str] = []
    for consequence, (one, many) in _DIFFERS.items():
        count = diff.consequences.get(consequence, 0)
        noun = "" if told else (" change" if count == 1 else " changes")
        if count:
            told.append(f"{count:,}{noun} {one if count == 1 else many}")
    return ", ".join(told)


def _numbers(diff: Diff, names: Names) -> tuple[Span, ...]:
    """What parity said of a pair, in a sentence."""
    parity = diff.parity
    if parity is None:
        return (Span(text="No numbers were run through the two networks."),)
    if parity.verdict == "not run":
        failure = parity.failure
        why = failure.reason.rstrip(".") if failure else "nothing corresponds that could be run"
        return (Span(text=f"The numbers could not be compared: {why}."),)
    ahead, back = (one.verdict == "holds" for one in parity.directions)
    if ahead and back:
        the = "Yet the" if diff.verdict == "different" else "The"
        start = Span(text=f"{the} same weights give the same numbers, A's in B and B's in A (")
        return (start, *_end(parity, names), Span(text=f"). {_by_hand(parity)}".rstrip()))
    if not ahead and not back:
        start = Span(text="With the same weights ")
        return (start, *_parting(parity.a_to_b, names), Span(text="."))
    holder, other = "BA" if ahead else "AB"
    start = Span(text=f"{holder} can hold {other}'s weights and gives the same numbers, ")
    parting = _parting(parity.b_to_a if ahead else parity.a_to_b, names)
    return (start, Span(text=f"but {other} cannot hold {holder}'s: "), *parting, Span(text="."))


def turned(parity: Parity) -> str:
    """How many kernels are turned from port to port: `one kernel is turned`; empty where none."""
    count = parity.turned
    if not count:
        return ""
    return "one kernel is turned" if count == 1 else f"{count:,} kernels are turned"


def _by_hand(parity: Parity) -> str:
    """What has to be done for it, that no tool does that copies weights."""
    told = turned(parity)
    if not told:
        return ""
    return f"Yet on the way {told} by hand: copied as they are, the weights give other numbers."


def _end(parity: Parity | Direction, names: Names) -> tuple[Span, ...]:
    """How far apart the two end, and over how many layers."""
    assert parity.outputs is not None
    where = (Span(text=" at "), place(parity.end, names)) if parity.end else ()
    layers = "layer" if parity.compared == 1 else "layers"
    many = Span(text=f", {parity.compared:,} {layers} compared")
    return (Span(text=error(parity.outputs)), *where, many)


def _parting(ran: Direction, names: Names) -> tuple[Span, ...]:
    first = ran.first
    if first is None:
        start = Span(text="no layer parts, yet the two end apart (")
        return (start, *_end(ran, names), Span(text=")"))
    start = Span(text="outputs first diverge at ")
    said = error(first.error)
    told = Span(text=f", {said}, " if "(" in said else f" ({said}), ")
    return (start, place(first.pair, names), told, *cause(first))


def cause(held: Divergence) -> tuple[Span, ...]:
    """`because of change 2`."""
    if held.change is None:
        return (Span(text="which structure does not show"),)
    return (
        Span(text="because of "),
        Span(text=f"change {held.change}", anchor=f"change-{held.change}"),
    )


def error(difference: Difference) -> str:
    """`relative error 3e-7`, or that the numbers are unrelated or cannot be compared."""
    told = spelling.apart(difference.relative)
    return told if difference.size() > 1 else f"relative error {told}"
