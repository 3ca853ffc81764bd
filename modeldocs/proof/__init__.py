"""Proof that a port was loaded right: the framework's own numbers against those of the graph.

The framework's model gets seeded weights and runs in its own environment; what was loaded, and its
normal form, run in onnxruntime with the same weights on the same inputs.
"""

from __future__ import annotations

from modeldocs import spelling
from modeldocs.closeness import Difference
from modeldocs.graph import Struct
from modeldocs.isolation import Failure


class Count(Struct, frozen=True):
    """Numbers of parameter values, those that training changes told apart."""

    trainable: int
    frozen: int


class Proof(Struct, frozen=True):
    """How a proof came out; without a `failure` both differences are there.

    `reference` names what the port was held against (`keras 3.15.0`). `first` is the first layer
    that disagrees. `theirs` are the framework's own counts of parameters, where it has any.
    `passing` tells of a failure that another try may not have: an environment was not there.
    """

    reference: str = ""
    loaded: Difference | None = None
    normal: Difference | None = None
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
        return "verified" if self.loaded.small and self.normal.small and counted else "disagrees"

    @property
    def disagreement(self) -> Failure | None:
        """Why the port is not to be trusted, None where nothing speaks against it."""
        if self.verdict != "disagrees":
            return None
        worst = self.worst
        if worst is None or worst.small:
            told = "it counts other parameters"
        elif worst.relative is None:
            told = "it gives values that cannot be compared"
        else:
            told = f"the largest relative error is {spelling.error(worst.relative)}"
        first = f", first at {self.first}" if self.first else ""
        return Failure(
            reason=f"disagrees with {self.reference}: {told}{first}",
            mend="a part of its source is read wrong; see its page, and report it with the file",
        )

    @property
    def worst(self) -> Difference | None:
        """The larger of the two differences."""
        both = [held for held in (self.loaded, self.normal) if held is not None]
        return max(both, key=Difference.size, default=None)
