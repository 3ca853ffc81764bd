"""Proof that a port was loaded right: the framework's own numbers against those of the graph.

The framework's model gets designed weights and runs in its own environment; what was loaded, and
its normal form, run in onnxruntime with the same weights on the same inputs: as a whole, and each
layer alone on what the framework's layers gave.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from modeldocs import spelling
from modeldocs.errors import Failure
from modeldocs.numerics.closeness import Difference
from modeldocs.struct import Struct

ROUNDINGS = 10
"""As often as `rounding.CHANGED` float32 rounds a value on its way through a network, at most."""


class Count(Struct, frozen=True):
    """Numbers of parameter values, those that training changes told apart."""

    trainable: int
    frozen: int


class Proof(Struct, frozen=True):
    """How a proof came out; without a `failure` the differences of the outputs are there.

    `reference` names what the port was held against (`keras 3.15.0`), `against` its kind (`their
    framework`, `another port`), as a count of such ports ends. `loaded` and `normal` are of
    the outputs, `layers` of the layer that is furthest from the framework's, fed with the same,
    among as many as `compared`; `first` is the first that disagrees. `moved`, given where outputs
    are apart, is how far rounding alone moves them. `theirs` are the framework's own counts of
    parameters, where it has any. `passing` tells of a failure that another try may not have: an
    environment was not there.
    """

    reference: str = ""
    against: str = ""
    loaded: Difference | None = None
    normal: Difference | None = None
    layers: Difference | None = None
    compared: int = 0
    moved: Difference | None = None
    first: str | None = None
    theirs: Count | None = None
    ours: Count | None = None
    failure: Failure | None = None
    passing: bool = False
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """`verified`, `disagrees`, or `not run`."""
        if self.loaded is None or self.normal is None:
            return "not run"
        counted = self.theirs is None or self.theirs == self.ours
        same = self._is_rounding(self.loaded) and self._is_rounding(self.normal)
        return "verified" if self.first is None and same and counted else "disagrees"

    def _is_rounding(self, end: Difference) -> bool:
        """Whether outputs are as near as can be, in a network whose layers agree one by one."""
        if end.small or self.moved is None or self.moved.relative is None:
            return end.small
        return self.compared > 0 and end.size() <= ROUNDINGS * self.moved.relative

    @property
    def disagreement(self) -> Failure | None:
        """Why the port is not to be trusted, None where nothing speaks against it."""
        if self.verdict != "disagrees":
            return None
        worst = self.worst
        if self.first is None and self.theirs != self.ours and self.theirs is not None:
            told = "it counts other parameters"
        elif worst is None or worst.relative is None:
            told = "it gives values that cannot be compared"
        else:
            told = f"the largest relative error is {spelling.error(worst.relative)}"
        first = f", first at {self.first}" if self.first else ""
        return Failure(
            reason=f"disagrees with {self.reference}: {told}{first}",
            fix="a part of its source is read wrong; see its page, and report it with the file",
        )

    @property
    def worst(self) -> Difference | None:
        """The largest of the differences, by what is rounding of each."""
        both = [held for held in (self.loaded, self.normal, self.layers) if held is not None]
        return max(both, key=lambda one: one.size() / one.tolerance, default=None)


def held_against(proofs: Iterable[Proof | None]) -> str:
    """What verified ports are held against, and how many: `51 against their framework, 9 …`."""
    held = [proof for proof in proofs if proof is not None and proof.verdict == "verified"]
    counts = Counter(proof.against for proof in held)
    return ", ".join(f"{count} against {kind}" for kind, count in counts.most_common())
