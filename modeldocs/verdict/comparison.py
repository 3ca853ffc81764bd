"""Two ports of a model that were compared: how much they differ, and in what."""

from __future__ import annotations

from modeldocs.diff import Diff
from modeldocs.ir import LayerGraph
from modeldocs.struct import Struct
from modeldocs.verdict import difference_phrases, output_error, output_head
from modeldocs.verdict.level import NOT_LOADED, VerdictLevel, step_before
from modeldocs.verdict.weight_compatibility import UNKNOWN, Takeover, takeovers


class ComparedPair(Struct, frozen=True):
    """Two ports by name, and their verdict.

    `differences` says in a few words what B has otherwise than A, `reverse` the same of A, the
    gravest first. `error` is the largest relative error of a layer, or of what both return, None
    where it was not measured. `changes` counts the changes but those of spelling, `layers` their
    layers. `ahead` is whether B can take over A's weights, `back` whether A can take over B's.
    """

    a: str
    b: str
    step: VerdictLevel
    differences: tuple[str, ...] = ()
    reverse: tuple[str, ...] = ()
    changes: int = 0
    layers: int = 0
    error: float | None = None
    ahead: Takeover = UNKNOWN
    back: Takeover = UNKNOWN

    @property
    def names(self) -> frozenset[str]:
        """Both ports."""
        return frozenset((self.a, self.b))

    @property
    def size(self) -> tuple[int, int, int, str, str]:
        """How much the two differ, for sorting: by step, changes and layers, then by name."""
        first, second = sorted((self.a, self.b))
        return self.step.rank, self.changes, self.layers, first, second

    def of(self, port: str) -> tuple[str, ...]:
        """What a port has otherwise than the other."""
        return self.differences if port == self.b else self.reverse


def compared(
    a: str, b: str, diff: Diff | None, graphs: tuple[LayerGraph, LayerGraph] | None
) -> ComparedPair:
    """The verdict on ports `a` and `b` by their diff; None where one of them did not load."""
    if diff is None or graphs is None:
        return ComparedPair(a=a, b=b, step=NOT_LOADED)
    of_head = output_head.changes(diff, graphs)
    grave = [change for change in diff.changes if change.consequence != "spelling"]
    ahead, back = takeovers(diff, of_head)
    return ComparedPair(
        a=a,
        b=b,
        step=step_before(diff, of_head),
        differences=difference_phrases.differences(diff, of_head),
        reverse=difference_phrases.differences(diff, of_head, mirrored=True),
        changes=diff.a.layers + diff.b.layers if diff.different_networks else len(grave),
        layers=sum(len(change.pairs) for change in grave),
        error=output_error.largest_error(diff, of_head),
        ahead=ahead,
        back=back,
    )
