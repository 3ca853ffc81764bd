"""Isolated processes for untrusted code: limits on time, memory, files, network and secrets."""

from modeldocs.isolation.limits import Confinement, Limits
from modeldocs.isolation.outcome import ProcessOutcome, unreadable
from modeldocs.isolation.process import LOG_BYTES, preparing, run, stop, write_result

__all__ = [
    "LOG_BYTES",
    "Confinement",
    "Limits",
    "ProcessOutcome",
    "preparing",
    "run",
    "stop",
    "unreadable",
    "write_result",
]
