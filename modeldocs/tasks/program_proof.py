"""How a program made from a port was proven: by its loader, by parity, and in its framework."""

from __future__ import annotations

from modeldocs.diff import Diff
from modeldocs.errors import Failure
from modeldocs.numeric.proof import frameworks
from modeldocs.numeric.proof.frameworks import FrameworksProof
from modeldocs.struct import Struct
from modeldocs.tasks.load import Load


class ProgramProof(Struct, frozen=True):
    """How a program was proven.

    `diff` is the diff of port and program, settled by running both with the same weights; it is
    None where no loader loads the program. `frameworks` compares what their own frameworks compute;
    it is None for an edited port, which no framework has. `loaded` is how the program loaded.
    `seconds` is how long all of it took.
    """

    loaded: Load | None = None
    diff: Diff | None = None
    frameworks: FrameworksProof | None = FrameworksProof()
    failure: Failure | None = None
    seconds: float = 0.0

    @property
    def reason(self) -> str | None:
        """Why it is not proven; None where it is."""
        if self.failure is not None:
            return self.failure.reason
        differs = _difference(self.diff) if self.diff is not None else None
        if differs is not None:
            return differs
        both = self.frameworks
        if both is None:
            return None if self.diff is not None else "nothing ran it"
        if both.failure is not None:
            return both.failure.reason
        is_shown = self.diff is not None and both.unrunnable is not None
        if not is_shown and not both.holds:
            return "its framework gives other numbers than that of its source"
        return None

    @property
    def machine_failure(self) -> Failure | None:
        """The failure of the machine that prevented it."""
        parity = self.diff.parity if self.diff is not None else None
        both = self.frameworks.failure if self.frameworks is not None else None
        failures = (self.failure, both, parity.failure if parity else None)
        return next((one for one in failures if one is not None and one.machine), None)

    def lines(self) -> list[str]:
        """What a program says of how it was proven; nothing where it was not."""
        if self.reason is not None:
            return []
        spellings = [one.title for one in self.diff.changes] if self.diff is not None else []
        lines = [f"Written differently: {one}." for one in spellings]
        if self.diff is not None:
            same = "the same layers" if not spellings else "the same layers but for that"
            lines.append(f"Proven: {same}; the weights of either give the same outputs in both.")
        start = "Proven: " if self.diff is None else ""
        return [*lines, *_of_frameworks(self.frameworks, start)]


def _difference(diff: Diff) -> str | None:
    """How a program differs from its source by their diff, which parity has settled; None where it
    does not.

    Frameworks hold parameters differently, as the gates and biases of recurrent layers: that is no
    difference where either can hold the other's weights, and returns the same.
    """
    parity = diff.parity
    both_hold = parity is not None and all(one.returns == "same" for one in parity.directions)
    allowed = {"spelling", "parameters"} if both_hold else {"spelling"}
    graver = [one for one in diff.changes if one.consequence not in allowed]
    if graver:
        return f"it differs from its source: {graver[0].title}"
    if parity is not None and parity.failure is not None:
        return f"it could not be run beside its source: {parity.failure.reason}"
    if parity is None or parity.verdict != "holds":
        first = parity.first if parity is not None else None
        where = f", first at {', '.join(first.pair[0])}" if first is not None else ""
        return f"it gives other numbers than its source{where}"
    return None


def _of_frameworks(both: FrameworksProof | None, start: str) -> list[str]:
    if both is None:
        return ["No framework has the edited network to hold it against."]
    lines = []
    if both.unrunnable is not None:
        where = "to hold it against" if both.outputs is None else "but onnxruntime its layers"
        lines.append(f"Nothing runs {both.unrunnable} any more {where}.")
    if both.outputs is not None:
        lines.append(
            f"{start}{both.source} and {both.program} agree within {frameworks.TOLERANCE:.0e} with "
            "designed weights and with ordinary ones."
        )
    return lines
