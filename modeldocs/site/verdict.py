"""The verdict on a pair of graphs, by structure and by numbers, in words."""

from __future__ import annotations

from modeldocs import spelling
from modeldocs.diff import Diff, Direction, Divergence, Ids, Pair, Parity
from modeldocs.ir import LayerGraph
from modeldocs.numerics.closeness import Difference
from modeldocs.struct import Struct

STATUSES = ("different", "unproven", "proven")
"""Statuses of a pair, the worst first; each has a colour."""

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
    """A piece of a sentence; `anchor` is the HTML id that it links to, empty without a link."""

    text: str
    anchor: str = ""


class Verdict(Struct, frozen=True):
    """A verdict: its status, a headline, and the sentences that explain it."""

    status: str
    headline: str
    sentences: tuple[Span, ...]

    def text(self) -> str:
        """The sentences as plain text."""
        return "".join(span.text for span in self.sentences)


def status(diff: Diff) -> str:
    """`proven`, `unproven` or `different`."""
    outcome = _outcome(diff)
    if diff.verdict == "different" or outcome in ("diverges", "one way", "turned"):
        return "different"
    return "proven" if outcome == "holds" else "unproven"


def word(diff: Diff) -> str:
    """The verdict in a badge: `equivalent, proven`, `different`."""
    if diff.verdict == "different":
        return "different"
    words = {"diverges": "other numbers", "one way": "one way only", "turned": "kernel turned"}
    return words.get(_outcome(diff), f"{diff.verdict}, {status(diff)}")


def numbers(diff: Diff) -> str:
    """The error at the end of the two networks, `error 3e-7`; empty where they were not run.

    Where outputs differ in between but agree at the end, it is the error of the first layer that
    differs.
    """
    parity = diff.parity
    if parity is None or parity.outputs is None or parity.verdict == "not run":
        return ""
    worst = parity.first.error if parity.first and parity.outputs.small else parity.outputs
    prefix = "same numbers, " if status(diff) == "different" and parity.verdict == "holds" else ""
    text = spelling.apart(worst.relative)
    return text if worst.size() > 1 else f"{prefix}error {text}"


def verdict(diff: Diff, names: Names) -> Verdict:
    """The verdict on a diff and on its parity, where that was run."""
    sentences = _numbers(diff, names)
    if diff.verdict == "different":
        sentences = (Span(text=f"{_differs(diff)}. "), *sentences)
        headline = "Different networks" if diff.different_networks else "Different"
        return Verdict(status=status(diff), headline=headline, sentences=sentences)
    same = diff.verdict.capitalize()
    headline = {
        "holds": f"{same}, and proven",
        "in part": f"{same}, and proven but for what could not be run",
        "turned": f"{same} by structure, but a kernel is turned",
        "one way": f"{same} by structure, but the weights of only one fit the other",
        "diverges": f"{same} by structure, but not by numbers",
        "not run": f"{same} by structure; not proven by numbers",
    }[_outcome(diff)]
    return Verdict(status=status(diff), headline=headline, sentences=sentences)


def anchor(side: int, identity: str) -> str:
    """HTML id of a layer in the table of both networks: `a-conv-1`; `side` is 0 for A, 1 for B."""
    return f"{'ab'[side]}-{identity}"


def layers(ids: Ids, names: dict[str, str]) -> str:
    """Names of layers, joined: `conv1 + bn1`."""
    return " + ".join(names.get(one, one) for one in ids)


def place(pair: Pair, names: Names) -> Span:
    """The name of a pair of layers, A's or else B's, with a link to their row."""
    side = 0 if pair[0] else 1
    ids = pair[side]
    return Span(text=layers(ids, names[side]), anchor=anchor(side, ids[0]) if ids else "")


def _outcome(diff: Diff) -> str:
    """The verdict of parity; where it holds, `turned` or `in part` if that applies."""
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
    clauses: list[str] = []
    for consequence, (one, many) in _DIFFERS.items():
        count = diff.consequences.get(consequence, 0)
        noun = "" if clauses else (" change" if count == 1 else " changes")
        if count:
            clauses.append(f"{count:,}{noun} {one if count == 1 else many}")
    return ", ".join(clauses)


def _numbers(diff: Diff, names: Names) -> tuple[Span, ...]:
    """The result of parity in sentences."""
    parity = diff.parity
    if parity is None:
        return (Span(text="No numbers were run through the two networks."),)
    if parity.verdict == "not run":
        failure = parity.failure
        why = failure.reason.rstrip(".") if failure else "nothing corresponds that could be run"
        return (Span(text=f"The numbers could not be compared: {why}."),)
    ahead, back = (direction.verdict == "holds" for direction in parity.directions)
    if ahead and back:
        the = "Yet the" if diff.verdict == "different" else "The"
        start = Span(text=f"{the} same weights give the same numbers, A's in B and B's in A (")
        return (start, *_end(parity, names), Span(text=f"). {_by_hand(parity)}".rstrip()))
    if not ahead and not back:
        start = Span(text="With the same weights ")
        return (start, *_divergence(parity.a_to_b, names), Span(text="."))
    holder, other = "BA" if ahead else "AB"
    start = Span(text=f"{holder} can hold {other}'s weights and gives the same numbers, ")
    parting = _divergence(parity.b_to_a if ahead else parity.a_to_b, names)
    return (start, Span(text=f"but {other} cannot hold {holder}'s: "), *parting, Span(text="."))


def turned(parity: Parity) -> str:
    """The number of turned kernels, `one kernel is turned`; empty where there is none."""
    count = parity.turned
    if not count:
        return ""
    return "one kernel is turned" if count == 1 else f"{count:,} kernels are turned"


def _by_hand(parity: Parity) -> str:
    """A sentence on kernels that are turned, which tools that copy weights do not do."""
    kernels = turned(parity)
    if not kernels:
        return ""
    return f"For this {kernels} by hand: copied unchanged, the weights give other numbers."


def _end(parity: Parity | Direction, names: Names) -> tuple[Span, ...]:
    """The error at the end of the networks, and the number of layers compared."""
    assert parity.outputs is not None
    end = (Span(text=" at "), place(parity.end, names)) if parity.end else ()
    noun = "layer" if parity.compared == 1 else "layers"
    count = Span(text=f", {parity.compared:,} {noun} compared")
    return (Span(text=error(parity.outputs)), *end, count)


def _divergence(direction: Direction, names: Names) -> tuple[Span, ...]:
    """The first layer whose outputs differ, its error, and the change that explains it."""
    first = direction.first
    if first is None:
        start = Span(text="no single layer diverges, yet the outputs differ (")
        return (start, *_end(direction, names), Span(text=")"))
    start = Span(text="outputs first diverge at ")
    text = error(first.error)
    size = Span(text=f", {text}, " if "(" in text else f" ({text}), ")
    return (start, place(first.pair, names), size, *_cause(first))


def _cause(divergence: Divergence) -> tuple[Span, ...]:
    if divergence.change is None:
        return (Span(text="which no change explains"),)
    return (
        Span(text="because of "),
        Span(text=f"change {divergence.change}", anchor=f"change-{divergence.change}"),
    )


def error(difference: Difference) -> str:
    """`relative error 3e-7`, or that the numbers are unrelated or cannot be compared."""
    text = spelling.apart(difference.relative)
    return text if difference.size() > 1 else f"relative error {text}"
