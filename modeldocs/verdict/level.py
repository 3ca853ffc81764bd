"""Steps of a verdict: how much it matters that two ports differ, told by word and sign."""

from __future__ import annotations

from typing import Final

from modeldocs.diff import Diff, Direction, Parity
from modeldocs.ir import LayerGraph
from modeldocs.struct import Struct
from modeldocs.verdict import output_error, output_head


class VerdictLevel(Struct, frozen=True):
    """One step of a verdict.

    `id` is its name in files and style sheets, `word` what pages say, `short` the same for narrow
    cells, `meaning` its definition in one sentence. `headline` is what the page of a pair says in
    place of the word.
    """

    id: str
    sign: str
    word: str
    short: str
    meaning: str
    headline: str = ""

    @property
    def rank(self) -> int:
        """How much it matters: 0 for `SAME`."""
        return STEPS.index(self)


SAME: Final = VerdictLevel(
    id="same",
    sign="✓",
    word="same",
    short="same",
    meaning="the same function, and proven: with the weights of either, both give the same numbers",
    headline="Same function, proven by numbers",
)
BY_STRUCTURE: Final = VerdictLevel(
    id="by-structure",
    sign="≟",
    word="same by structure",
    short="by structure",
    meaning="the same function by structure; not, or not in every layer, compared by numbers",
)
UP_TO_HEAD: Final = VerdictLevel(
    id="up-to-head",
    sign="≈",
    word="same up to the output head",
    short="up to the head",
    meaning="only what follows the last common layer differs: an activation, a classifier, or "
    "further outputs",
)
UP_TO_EPSILON: Final = VerdictLevel(
    id="up-to-epsilon",
    sign="≃",
    word="same numbers but for an epsilon",
    short="up to an epsilon",
    meaning="the same numbers from values of usual size; where values are as small as the epsilon "
    "of a norm, other ones",
)
UP_TO_PADDING: Final = VerdictLevel(
    id="up-to-padding",
    sign="≃",
    word="same numbers but for padding",
    short="up to padding",
    meaning="the same numbers from inputs without the integer that one of the two compares them "
    "with, as that of padding; where an input has it, other ones",
)
RETURNED_DIFFERENTLY: Final = VerdictLevel(
    id="returned-differently",
    sign="⇅",
    word="same numbers, returned differently",
    short="returned differently",
    meaning="the same numbers, but the outputs are in another order, shape or type",
)
HELD_DIFFERENTLY: Final = VerdictLevel(
    id="held-differently",
    sign="⇄",
    word="same function, weights need converting",
    short="weights convert",
    meaning="at least one can hold the other's weights and then gives the same numbers, but the "
    "parameters are not the same: a norm folded into a convolution, a bias that only one has, "
    "a turned kernel, rows in another order",
)
PARTLY_COMPARED: Final = VerdictLevel(
    id="partly-compared",
    sign="?",
    word="same as far as compared",
    short="partly compared",
    meaning="all that could be run gives the same numbers, but layers that could not be run are "
    "other ones, and what difference they make is not known",
)
SMALL_DIFFERENCES: Final = VerdictLevel(
    id="small-differences",
    sign="∼",
    word="small differences",
    short="small",
    meaning="a layer computes something else, but at values of usual size the numbers differ by at "
    "most 1 %: another epsilon, or the approximation of an activation",
)
DIFFERENT_RESULTS: Final = VerdictLevel(
    id="different-results",
    sign="≠",
    word="different results",
    short="different",
    meaning="a layer, a setting or a shape is another, or the same weights give other outputs",
)
NOT_LOADED: Final = VerdictLevel(
    id="not-loaded",
    sign="–",
    word="not loaded",
    short="not loaded",
    meaning="one of the two could not be loaded, so that nothing is known",
)

STEPS: Final = (
    SAME,
    BY_STRUCTURE,
    UP_TO_EPSILON,
    UP_TO_PADDING,
    UP_TO_HEAD,
    RETURNED_DIFFERENTLY,
    HELD_DIFFERENTLY,
    PARTLY_COMPARED,
    SMALL_DIFFERENCES,
    DIFFERENT_RESULTS,
    NOT_LOADED,
)
"""All steps, what matters least first."""

BY_ID: Final = {one.id: one for one in STEPS}


_GRAVE: Final = frozenset({"computes", "shape"})
"""Consequences of changes with which two networks are not of one function."""


def step(diff: Diff | None, graphs: tuple[LayerGraph, LayerGraph] | None) -> VerdictLevel:
    """The step of a pair's verdict; None for a pair of which a port did not load.

    What counts is the gravest change that is not of the output head (see `output_head.changes`),
    and what the networks return in both directions (see `_outcome`). Changes are those of a settled
    diff: one that running has shown to make no difference is of spelling.

    - `PARTLY_COMPARED`: a change computes something else or gives other shapes by its structure,
      but it was not measured, and all that was is the same in both directions.
    - `SMALL_DIFFERENCES`: as `DIFFERENT_RESULTS`, but all that differs was measured, and by at
      most `output_error.SMALL`.
    - `DIFFERENT_RESULTS`: a change computes something else or gives other shapes; or what is
      returned is apart in both directions; or parameters or the order of layers differ, and no
      direction shows that the numbers are the same.
    - `RETURNED_DIFFERENTLY`: the same is returned in another order, shape or type.
    - `HELD_DIFFERENTLY`: the numbers are the same in at least one direction, but not in the other,
      or parameters differ, or a kernel must be turned by hand.
    - `UP_TO_HEAD`: neither, and the head differs, whether it was run or not.
    - `UP_TO_EPSILON`: none of these, and the numbers differ only where values are as small as the
      epsilon of a norm.
    - `UP_TO_PADDING`: the numbers differ only where an input has an integer that one of the two
      compares its inputs with.
    - `BY_STRUCTURE`: nothing grave differs, but numbers were not run or cannot be compared in a
      direction, or a layer could not be run.
    - `SAME`: the same numbers in both directions, with every layer compared.
    """
    if diff is None or graphs is None:
        return NOT_LOADED
    return step_before(diff, output_head.changes(diff, graphs))


def step_before(diff: Diff, of_head: frozenset[int]) -> VerdictLevel:
    """`step`, where `of_head` are the numbers of the changes of the output head."""
    numbered = enumerate(diff.changes, start=1)
    parity = diff.parity or Parity()
    apart = of_head | parity.small | parity.by_marks
    changes = [change for number, change in numbered if number not in apart]
    grave = {change.consequence for change in changes} - {"spelling"}
    found = outcomes(diff, of_head)
    same = found.count("same")
    if "form" in found and not grave & _GRAVE:
        return RETURNED_DIFFERENTLY
    if grave & _GRAVE or (not same and (grave or "apart" in found)):
        if _is_unmeasured(diff, found, of_head):
            return PARTLY_COMPARED
        return SMALL_DIFFERENCES if output_error.is_small(diff, of_head) else DIFFERENT_RESULTS
    if parity.marks:
        return UP_TO_PADDING
    if parity.turned or "apart" in found or "parameters" in grave:
        return HELD_DIFFERENTLY
    if of_head:
        return UP_TO_HEAD
    if any(one.only_small for one in parity.directions):
        return UP_TO_EPSILON
    complete = diff.parity is not None and not diff.parity.uncompared
    return SAME if same == 2 and complete else BY_STRUCTURE


def _is_unmeasured(diff: Diff, found: tuple[str, str], of_head: frozenset[int]) -> bool:
    """Whether both were run, nothing that was measured differs, and no grave change was measured.

    `found` are the outcomes of both directions.
    """
    parity = diff.parity
    if parity is None or parity.verdict == "not run" or "apart" in found or "form" in found:
        return False
    if any(one.only_small or not _ends_equal(one) for one in parity.directions):
        return False
    acting = {number for one in parity.directions for number in one.acting} - of_head
    return not acting and parity.compared > 0


def _ends_equal(direction: Direction) -> bool:
    """Whether the last layers that correspond give the same numbers."""
    return direction.outputs is not None and direction.outputs.small


def outcomes(diff: Diff, of_head: frozenset[int]) -> tuple[str, str]:
    """`same`, `form`, `apart` or `unknown` for A's weights in B and for B's in A.

    `of_head` are the numbers of the changes of the head, whose layers may differ.
    """
    parity = diff.parity
    if parity is None or parity.verdict == "not run":
        return ("unknown", "unknown")
    ends = {pair for number in of_head for pair in diff.changes[number - 1].pairs}
    ahead, back = (_outcome(one, of_head, one.end in ends) for one in parity.directions)
    return ahead, back


def _outcome(direction: Direction, of_head: frozenset[int], ends_in_head: bool) -> str:
    """What a direction shows of the layers before the head, and of what is returned.

    `unknown` where nothing is apart, but an output could not be compared: a softmax that is 1 for
    one class and 0 for the others is equal whatever came before it.
    """
    if any(one.change not in of_head for one in direction.divergences):
        return "apart"
    assert direction.outputs is not None
    if of_head:
        if ends_in_head or direction.outputs.small:
            return "same"
        return "unknown" if direction.outputs.relative is None else "apart"
    return "same" if direction.returns == "part" else direction.returns
