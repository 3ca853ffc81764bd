"""Policies of `modeldocs preview --fail-on`, and where a change violates them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from modeldocs.site.pair import policies
from modeldocs.site.preview.document import Preview


def violations(preview: Preview, chosen: Sequence[str]) -> list[str]:
    """Each policy that a preview violates, once, with its places: `failed (lenet/caffe)`."""
    places = {policy: list(POLICIES[policy](preview)) for policy in chosen}
    return [f"{policy} ({', '.join(found)})" for policy, found in places.items() if found]


def unjudged(preview: Preview) -> str:
    """The ports of which the machine kept it unknown whether they violate a policy, and why."""
    found = [port for port in preview.ports if port.unjudged]
    names = ", ".join(port.name for port in found)
    return f"could not judge {names}: {found[0].unjudged}" if found else ""


def _failed(preview: Preview) -> Iterator[str]:
    return (
        port.name
        for port in preview.ports
        if port.after is not None and port.after.failure and not port.after.machine
    )


def _unverified(preview: Preview) -> Iterator[str]:
    """Ports that disagree with their framework, and those that were proven and are not now."""
    for port in preview.ports:
        if port.after is None or port.after.failure:
            continue
        was = port.before is not None and port.before.proof == "verified" and not port.unjudged
        if port.after.proof == "disagrees" or (was and port.after.proof != "verified"):
            yield port.name


def _removed(preview: Preview) -> Iterator[str]:
    return (port.name for port in preview.ports if port.after is None)


def _families(preview: Preview) -> Iterator[str]:
    return (family.model for family in preview.families)


def _slower(preview: Preview) -> Iterator[str]:
    return (f"{one.model}/{one.file}" for one in preview.records if one.answer == "slower")


def _mistakes(preview: Preview) -> Iterator[str]:
    yield from (model.model for model in preview.models if model.mistakes)
    yield from (f"{one.model}/{one.file}" for one in preview.records if one.mistake)


def _by_diff(policy: str, preview: Preview) -> Iterator[str]:
    """Ports whose diff of base and head violates a policy of `modeldocs diff`."""
    for port in preview.ports:
        if port.effect is not None and policy in port.effect.violates:
            yield port.name


POLICIES: Final[dict[str, Callable[[Preview], Iterable[str]]]] = {
    "failed": _failed,
    "unverified": _unverified,
    "mistakes": _mistakes,
    "removed": _removed,
    "families": _families,
    "slower": _slower,
    **{policy: partial(_by_diff, policy) for policy in policies.POLICIES},
}
