"""A process of its own for code that is not ours: limits on time, memory, secrets and network."""

from modeldocs.isolation.limits import Confinement, Limits
from modeldocs.isolation.process import LOG_BYTES, Outcome, leave, run

__all__ = ["LOG_BYTES", "Confinement", "Limits", "Outcome", "leave", "run"]
