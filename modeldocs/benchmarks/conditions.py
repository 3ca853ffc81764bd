"""The conditions without which a measured record cannot be read: they are found, never guessed."""

from __future__ import annotations

from modeldocs.benchmarks.request import Facts
from modeldocs.errors import ModeldocsError

_ADDRESSED = (
    "let the driver's `nvidia-smi` run on this machine, or import the figures of your own run "
    "with `modeldocs bench import`"
)


def check(facts: Facts) -> None:
    """Refuse a run whose device or software cannot be read.

    Raises:
        ModeldocsError: the name of the device, the driver or the clocks of a GPU, the version of
            the framework or its number of threads cannot be read.
    """
    missing = _missing(facts)
    if missing:
        raise ModeldocsError(
            f"{' and '.join(missing)} cannot be read, so that the record would not tell what was "
            "measured",
            fix=_ADDRESSED if facts.device.kind == "cuda" else "report this with the platform",
        )


def _missing(facts: Facts) -> list[str]:
    device, software = facts.device, facts.software
    found = []
    if not device.name or "unknown" in device.name:
        found.append("the name of the device")
    if device.kind == "cuda":
        if device.driver is None:
            found.append("the version of the driver")
        if device.clocks_before is None or device.clocks_before.core_mhz is None:
            found.append("the clocks of the device")
    if software.framework_version is None:
        found.append("the version of the framework")
    if device.kind == "cpu" and software.threads is None:
        found.append("the number of threads")
    return found
