"""Isolated processes for untrusted code: limits on time, memory, files, network and secrets."""

from modeldocs.isolation.limits import Access, Confinement, Limits
from modeldocs.isolation.outcome import ProcessOutcome, unreadable
from modeldocs.isolation.process import LOG_BYTES, preparing, run, stop, write_result

__all__ = [
    "LOG_BYTES",
    "Access",
    "Confinement",
    "Limits",
    "ProcessOutcome",
    "preparing",
    "run",
    "stop",
    "unreadable",
    "write_result",
]
