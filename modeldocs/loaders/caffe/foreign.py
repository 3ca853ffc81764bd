"""What a definition has that Caffe's own has not: fields of forks."""

from __future__ import annotations

from collections.abc import Container

from modeldocs.loaders.caffe.network import Network

MAX_LISTED = 3


def fields(network: Network, types: Container[str]) -> list[str]:
    """A sentence for each field that layers of these types have and Caffe's have not.

    Those that look mistyped are told elsewhere, with their lines.
    """
    held: dict[str, list[str]] = {}
    for layer in network.layers:
        for name, _, near in layer.record.unknown() if layer.type in types else ():
            if layer.record.is_own(name):
                continue
            owners = held.setdefault(name, [])
            if near is None and layer.name not in owners:
                owners.append(layer.name)
    return [_sentence(name, owners) for name, owners in held.items() if owners]


def _sentence(name: str, owners: list[str]) -> str:
    verb = "has" if len(owners) == 1 else "have"
    return f"Caffe has no field {name!r}, which {listed(owners)} {verb}: shown, and without effect"


def listed(names: list[str]) -> str:
    """The first of some names, and how many more there are."""
    shown = ", ".join(repr(name) for name in names[:MAX_LISTED])
    return shown + (f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else "")
