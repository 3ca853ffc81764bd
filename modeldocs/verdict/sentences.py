"""The verdict on a pair of graphs, by structure and by numbers, in words."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs import formatting
from modeldocs.diff import EQUAL, Diff, Direction, Divergence, Ids, Pair, Parity, Returned
from modeldocs.ir import LayerGraph
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.struct import Struct
from modeldocs.verdict import level
from modeldocs.verdict.level import VerdictLevel

Graphs = tuple[LayerGraph, LayerGraph]
Names = tuple[dict[str, str], dict[str, str]]
"""Names of the inputs and layers of A and of B, by id."""

_DIFFERS = {
    "computes": ("changes the result", "change the result"),
    "shape": ("changes a shape", "change shapes"),
    "parameters": ("changes the parameters", "change the parameters"),
    "order": ("changes the order of layers", "change the order of layers"),
}


class SentencePart(Struct, frozen=True):
    """A piece of a sentence; `anchor` is the HTML id that it links to, empty without a link."""

    text: str
    anchor: str = ""


class PairVerdict(Struct, frozen=True):
    """A verdict: its step, a headline, and the sentences that explain it."""

    step: VerdictLevel
    headline: str
    sentences: tuple[SentencePart, ...]

    def text(self) -> str:
        """The sentences as plain text."""
        return "".join(span.text for span in self.sentences)


def numbers(diff: Diff) -> str:
    """The error at the end of the two networks, `error 3e-7`; empty where they were not run.

    Where outputs differ in between but agree at the end, it is the error of the first layer that
    differs.
    """
    parity = diff.parity
    if parity is None or parity.outputs is None or parity.verdict == "not run":
        return ""
    worst = parity.first.error if parity.first and parity.outputs.small else parity.outputs
    return error(worst).removeprefix("relative ")


def pair_verdict(diff: Diff, graphs: Graphs) -> PairVerdict:
    """The verdict on a diff and on its parity, where that was run."""
    names = graphs[0].names(), graphs[1].names()
    step = level.step(diff, graphs)
    start = _start(step, diff)
    sentences = SentencePart(text=f"{start}. "), *_numbers(diff, names)
    return PairVerdict(step=step, headline=_headline(step, diff), sentences=sentences)


def _start(step: VerdictLevel, diff: Diff) -> str:
    """What is said first: where two networks differ, or by structure how much."""
    if step == level.UP_TO_HEAD:
        return _ends(diff)
    return _unmeasured(diff) if step == level.PARTLY_COMPARED else _structure(diff)


def _unmeasured(diff: Diff) -> str:
    """What could not be run: `2 differences are in layers that could not be run`."""
    count = sum(one.consequence in ("computes", "shape") for one in diff.changes)
    noun = "One difference is" if count == 1 else f"{count:,} differences are"
    return f"{noun} in layers that could not be run, so that what they change is not known"


def _headline(step: VerdictLevel, diff: Diff) -> str:
    """The step in a few more words."""
    if diff.different_networks:
        return "Different networks"
    if step == level.SAME:
        return level.SAME.headline
    if step == level.UP_TO_HEAD and _adds_outputs(diff):
        return "Same up to further outputs"
    if step == level.BY_STRUCTURE:
        part = diff.parity is not None and diff.parity.verdict == "holds"
        return f"Same by structure; not {'wholly ' if part else ''}proven by numbers"
    if diff.parity is None or diff.parity.verdict == "not run":
        up_to_head = "Same by structure up to the output head; not proven by numbers"
        return up_to_head if step == level.UP_TO_HEAD else "Different"
    if step == level.HELD_DIFFERENTLY and diff.parity.verdict == "one way":
        return f"{step.word.capitalize()} (one way only)"
    return step.word.capitalize()


def _ends(diff: Diff) -> str:
    """What differs of two networks that are the same up to their ends."""
    return "One returns more" if _adds_outputs(diff) else "Only the output head differs"


def _adds_outputs(diff: Diff) -> bool:
    """Whether all that differs is that one network returns further outputs."""
    grave = [change for change in diff.changes if change.consequence != "spelling"]
    return bool(grave) and all(change.operator == "output" for change in grave)


def anchor(side: int, identity: str) -> str:
    """HTML id of a layer in the table of both networks: `a-conv-1`; `side` is 0 for A, 1 for B."""
    return f"{'ab'[side]}-{identity}"


def layers(ids: Ids, names: dict[str, str]) -> str:
    """Names of layers, joined, each once: `conv1 + bn1`."""
    return " + ".join(dict.fromkeys(names.get(one, one) for one in ids))


def place(pair: Pair, names: Names) -> SentencePart:
    """The name of a pair of layers, A's or else B's, with a link to their row."""
    side = 0 if pair[0] else 1
    ids = pair[side]
    return SentencePart(text=layers(ids, names[side]), anchor=anchor(side, ids[0]) if ids else "")


def _structure(diff: Diff) -> str:
    """`3 differences change the result, 1 changes the parameters`."""
    if diff.verdict == "identical":
        return "Nothing differs by structure"
    if diff.verdict == "equivalent":
        return "They differ only in how they are written"
    if diff.different_networks:
        return "They have too little in common for their layers to be compared one by one"
    if all(one.kind == "output" for one in diff.changes if one.consequence != "spelling"):
        return "Only what they return differs"
    clauses: list[str] = []
    for consequence, (one, many) in _DIFFERS.items():
        count = diff.consequences.get(consequence, 0)
        noun = "" if clauses else (" difference" if count == 1 else " differences")
        if count:
            clauses.append(f"{count:,}{noun} {one if count == 1 else many}")
    return ", ".join(clauses)


def _numbers(diff: Diff, names: Names) -> tuple[SentencePart, ...]:
    """The result of parity in sentences."""
    parity = diff.parity
    if parity is None:
        return (SentencePart(text="The two were compared by structure only."),)
    if parity.verdict == "not run":
        failure = parity.failure
        why = failure.reason.rstrip(".") if failure else "nothing corresponds that could be run"
        return (SentencePart(text=f"The numbers could not be compared: {why}."),)
    ahead, back = (direction.verdict == "holds" for direction in parity.directions)
    if ahead and back:
        start = SentencePart(text="The same weights give the same numbers, A's in B and B's in A (")
        return (start, *_end(parity, names), SentencePart(text=f"). {_by_hand(parity)}".rstrip()))
    if not ahead and not back:
        start = SentencePart(text="With the same weights ")
        return (start, *_divergence(parity.a_to_b, names), SentencePart(text="."))
    holder, other = "BA" if ahead else "AB"
    start = SentencePart(text=f"{holder} can hold {other}'s weights and gives the same numbers, ")
    parting = _divergence(parity.b_to_a if ahead else parity.a_to_b, names)
    return (
        start,
        SentencePart(text=f"but {other} cannot hold {holder}'s: "),
        *parting,
        SentencePart(text="."),
    )


def turned(parity: Parity) -> str:
    """The number of rearranged weights, `one weight is rearranged`; empty where there is none."""
    count = parity.turned
    if not count:
        return ""
    return "one weight is rearranged" if count == 1 else f"{count:,} weights are rearranged"


def _by_hand(parity: Parity) -> str:
    """A sentence on weights that are rearranged, which tools that copy weights do not do."""
    kernels = turned(parity)
    if not kernels:
        return ""
    return f"For this {kernels} by hand: copied unchanged, the weights give other numbers."


def _end(parity: Parity | Direction, names: Names) -> tuple[SentencePart, ...]:
    """The error at the end of the networks, and the number of layers compared."""
    assert parity.outputs is not None
    end = (SentencePart(text=" at "), place(parity.end, names)) if parity.end else ()
    noun = "layer" if parity.compared == 1 else "layers"
    count = SentencePart(text=f", {parity.compared:,} {noun} compared")
    return (SentencePart(text=error(parity.outputs)), *end, count)


def _divergence(direction: Direction, names: Names) -> tuple[SentencePart, ...]:
    """The first layer whose outputs differ, its error, and the change that explains it."""
    first = direction.first
    if first is None:
        return _outputs(direction, names)
    start = SentencePart(text="outputs first diverge at ")
    size = SentencePart(text=f" ({error(first.error)}), ")
    return (start, place(first.pair, names), size, *_cause(first))


def _outputs(direction: Direction, names: Names) -> tuple[SentencePart, ...]:
    """What is said of outputs that differ although no layer does."""
    if direction.reordered:
        return (SentencePart(text="no layer differs, and the same is returned in another order"),)
    if direction.returns in ("apart", "form"):
        listed = [one for one in direction.returned if one.relation not in EQUAL]
        return (
            SentencePart(text=f"no layer differs, but what is returned does: {_forms(listed)}"),
        )
    if direction.outputs is not None and direction.outputs.relative is None:
        why = ": they are not finite, or a softmax of 1 for one class and 0 for all others"
        start = SentencePart(text="no layer differs, but the outputs cannot be compared")
        return (start, SentencePart(text=why))
    start = SentencePart(text="no layer differs, but the outputs do (")
    return (start, *_end(direction, names), SentencePart(text=")"))


def _forms(outputs: Sequence[Returned]) -> str:
    """`y 4x3 instead of 3x4`: the outputs that are returned in another form."""
    return ", ".join(map(_form, outputs))


def _form(one: Returned) -> str:
    ours, theirs = (formatting.dims(shape) for shape in one.shapes)
    forms = {
        "shape": f"{one.a} {theirs} instead of {ours}",
        "reshaped": f"{one.a} {theirs} instead of {ours}",
        "transposed": f"{one.a} with its axes in another order",
        "type": f"{one.a} {one.types[1]} instead of {one.types[0]}",
        "missing": f"{one.a or one.b} only in {'A' if one.a else 'B'}",
    }
    return forms.get(one.relation, f"{one.a} ({error(one.error)})")


def _cause(divergence: Divergence) -> tuple[SentencePart, ...]:
    if divergence.change is None:
        return (SentencePart(text="for which no change was found"),)
    return (
        SentencePart(text="because of "),
        SentencePart(text=f"change {divergence.change}", anchor=f"change-{divergence.change}"),
    )


def error(difference: Difference) -> str:
    """`relative error 3e-7`, or that the numbers cannot be compared."""
    if difference.relative is None:
        return "not comparable"
    return f"relative error {apart(difference.relative)}"


def apart(error: float | None) -> str:
    """A relative error of numbers that should be equal, with one digit; `> 1` above 1.

    There the difference is larger than the numbers, and its size has no meaning.
    """
    return "> 1" if error is not None and error > 1 else formatting.error(error)
