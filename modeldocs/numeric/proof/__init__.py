"""Proofs: records of how a port's graph compares with what its framework computes.

The framework's model gets designed weights and runs in its own environment. The graph as loaded,
and in normal form, runs in onnxruntime with the same weights and inputs: as a whole, and layer by
layer on what the framework's layers computed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from modeldocs import formatting
from modeldocs.errors import Failure
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.struct import Struct

ROUNDINGS = 10
"""Outputs may differ by this times the effect of a change of `rounding.RELATIVE_CHANGE`, in a
network whose layers agree one by one."""


class ParameterCount(Struct, frozen=True):
    """Numbers of parameter values: trainable ones, and others."""

    trainable: int
    frozen: int


class Proof(Struct, frozen=True):
    """The result of a verification; without a `failure` it has differences of the outputs.

    `reference` is the software that the port was compared with (`keras 3.15.0`), `against` its kind
    (`their framework`, `another port`). `loaded` and `normal` are the differences of the outputs,
    as loaded and in normal form; `layers` is the largest difference of a single layer among the
    `compared` ones, and `first` the first layer that disagrees. `rounding`, where outputs differ,
    is how far rounding alone changes them. `theirs` are the framework's counts of parameters, where
    it has any, and `ours` the graph's. `date` is the day on which it was made (ISO 8601, UTC).
    """

    reference: str = ""
    against: str = ""
    loaded: Difference | None = None
    normal: Difference | None = None
    layers: Difference | None = None
    compared: int = 0
    rounding: Difference | None = None
    first: str | None = None
    theirs: ParameterCount | None = None
    ours: ParameterCount | None = None
    failure: Failure | None = None
    seconds: float = 0.0
    date: str = ""

    @property
    def verdict(self) -> str:
        """`verified`, `disagrees`, or `not run`."""
        if self.loaded is None or self.normal is None:
            return "not run"
        same_counts = self.theirs is None or self.theirs == self.ours
        same_outputs = self._is_rounding(self.loaded) and self._is_rounding(self.normal)
        agrees = self.first is None and same_outputs and same_counts
        return "verified" if agrees else "disagrees"

    def _is_rounding(self, outputs: Difference) -> bool:
        """Whether a difference of the outputs is rounding, which chaotic networks amplify."""
        if outputs.small or self.rounding is None or self.rounding.relative is None:
            return outputs.small
        return self.compared > 0 and outputs.size() <= ROUNDINGS * self.rounding.relative

    @property
    def disagreement(self) -> Failure | None:
        """The failure of a port that disagrees with its framework, else None."""
        if self.verdict != "disagrees":
            return None
        worst = self.worst
        if self.first is None and self.theirs != self.ours and self.theirs is not None:
            reason = "it counts other parameters"
        elif worst is None or worst.relative is None:
            reason = "it gives values that cannot be compared"
        else:
            reason = f"the largest relative error is {formatting.error(worst.relative)}"
        first = f", first at {self.first}" if self.first else ""
        return Failure(
            reason=f"disagrees with {self.reference}: {reason}{first}",
            fix="a part of its source is read wrong; see its page, and report it with the file",
        )

    @property
    def worst(self) -> Difference | None:
        """The largest of the differences, relative to their tolerances."""
        differences = [one for one in (self.loaded, self.normal, self.layers) if one is not None]
        return max(differences, key=lambda one: one.size() / one.tolerance, default=None)


def count_verified(proofs: Iterable[Proof | None]) -> str:
    """Numbers of verified ports by kind of reference: `51 against their framework, …`."""
    verified = [proof for proof in proofs if proof is not None and proof.verdict == "verified"]
    counts = Counter(proof.against for proof in verified)
    return ", ".join(f"{count} against {kind}" for kind, count in counts.most_common())
