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
            owners = held.setdefault(name, [])
            if near is None and layer.name not in owners:
                owners.append(layer.name)
    return [_sentence(name, owners) for name, owners in held.items() if owners]


def _sentence(name: str, owners: list[str]) -> str:
    shown = ", ".join(repr(owner) for owner in owners[:MAX_LISTED])
    more = f" and {len(owners) - MAX_LISTED} more" if len(owners) > MAX_LISTED else ""
    verb = "has" if len(owners) == 1 else "have"
    return f"Caffe has no field {name!r}, which {shown}{more} {verb}: shown, and without effect"
