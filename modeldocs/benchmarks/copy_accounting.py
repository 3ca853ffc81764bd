"""Bytes copied to a device, against what a network needs there: its parameters and its inputs."""

from __future__ import annotations

from modeldocs.struct import Struct

TOLERANCE = 0.01
"""Share of the copied bytes that may be neither: counters of batches, scalars, a loss."""


class Audit(Struct, frozen=True):
    """The explanation of copied bytes with the fewest bytes left over.

    `states` is how often all parameters and running statistics were copied, 0 or 1, `inputs` how
    often a batch was. `rest` are bytes that neither explains.
    """

    copied: int
    state_bytes: int
    input_bytes: int | None
    states: int
    inputs: int
    rest: int

    @property
    def matches(self) -> bool:
        """Whether parameters and inputs explain the copies."""
        return (self.states > 0 or self.inputs > 0) and self.rest <= TOLERANCE * self.copied


def audit(copied: int, state_bytes: int, input_bytes: int | None) -> Audit:
    """Explain bytes that were copied from the host to the device.

    `state_bytes` is the size of all parameters and running statistics, `input_bytes` that of one
    batch, None where the batch is unknown.
    """
    candidates = []
    for states in (0, 1):
        left = copied - states * state_bytes
        if left < 0:
            continue
        inputs, rest = divmod(left, input_bytes) if input_bytes else (0, left)
        candidates.append((rest, -states, inputs))
    rest, states, inputs = min(candidates)
    return Audit(
        copied=copied,
        state_bytes=state_bytes,
        input_bytes=input_bytes,
        states=-states,
        inputs=inputs,
        rest=rest,
    )
