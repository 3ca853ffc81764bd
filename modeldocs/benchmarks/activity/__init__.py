"""The activity of a device: what ran on it when, and the `gpu` section of a record from that."""

from modeldocs.benchmarks.activity.events import EventKind, Events
from modeldocs.benchmarks.activity.gpu import SMALL_COPY_BYTES, activity
from modeldocs.benchmarks.activity.host import HostColumns

__all__ = ["SMALL_COPY_BYTES", "EventKind", "Events", "HostColumns", "activity"]
