"""Notes and errors about names in a definition that Caffe, or the network, does not have."""

from __future__ import annotations

from collections.abc import Container, Sequence

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format.record import CaffeMessage, nearest
from modeldocs.loaders.caffe.layer import CaffeLayer
from modeldocs.loaders.emission.names import first_of

MAX_LISTED = 3


def mistyped_fields(net: CaffeMessage) -> tuple[str, ...]:
    """A sentence for each unknown field that resembles one of Caffe's, with its lines."""
    lines: dict[tuple[str, str], list[int]] = {}
    for name, place, near in net.unknown():
        if near:
            lines.setdefault((name, near), []).append(place.line)
    return tuple(
        f"{_where(numbers)}Caffe has no field {name!r}, it may be {near!r} mistyped; "
        "it is shown and has no effect"
        for (name, near), numbers in lines.items()
    )


def _where(lines: list[int]) -> str:
    """The lines of a field; a binary file has none."""
    return f"line {first_of([str(line) for line in lines], 1)}: " if lines[0] else ""


def unknown_fields(layers: Sequence[CaffeLayer], types: Container[str]) -> list[str]:
    """A sentence for each other unknown field of layers of these types, such as those of forks."""
    owners: dict[str, list[str]] = {}
    for layer in layers:
        for name, _, near in layer.record.unknown() if layer.type in types else ():
            if near is None and not layer.record.is_own(name):
                owners.setdefault(name, []).append(layer.name)
    return [
        f"Caffe has no field {name!r}, which {listed(unique)} "
        f"{'has' if len(unique) == 1 else 'have'}: shown, and without effect"
        for name, unique in ((name, list(dict.fromkeys(names))) for name, names in owners.items())
    ]


def listed(names: Sequence[str]) -> str:
    """The first of some names in quotes, and how many more there are."""
    return first_of([repr(name) for name in names], MAX_LISTED)


def missing_blob(
    layer: CaffeLayer,
    name: str,
    known: Sequence[str],
    layers: Sequence[CaffeLayer],
    left_out: Sequence[CaffeLayer],
) -> ModeldocsError:
    """The error for a blob that a layer reads before any layer makes it.

    It names the layer that makes the blob later, or in another phase, or the blob among the
    `known` ones that is probably meant.
    """
    later = [one for one in layers if name in one.tops]
    elsewhere = [one for one in left_out if name in one.tops]
    near = nearest(name, list(known))
    if later:
        fix = f"move it below {later[0].name!r} ({later[0].where}), which makes the blob"
    elif elsewhere:
        fix = (
            f"{elsewhere[0].where} makes it, in another phase or stage: pass that as --args, or "
            "give the layer the same rules"
        )
    else:
        fix = f"did you mean {near!r}?" if near else f"make {name!r} in a layer before it"
    return layer.error(f"reads {name!r}, which no layer before it makes", at="bottom", fix=fix)
