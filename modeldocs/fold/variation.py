"""What varies between the instances of a repeat: channels, image size, settings."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs import formatting
from modeldocs.fold.group import Variation
from modeldocs.ir import Layer
from modeldocs.ir.tensor import Shape

UNSEEN = ("name", "momentum")
"""Attributes that say nothing of what a layer computes."""


def variations(instances: Sequence[Sequence[Layer]]) -> tuple[Variation, ...]:
    """What differs between groups of layers that have the same operators in the same places.

    Channels and image size are those of the last layer of each; an attribute is listed
    once, with the values of the first layer in which they differ.
    """
    result = [
        Variation(name=name, values=tuple(values))
        for name, values in (
            ("channels", [_channels(layers[-1]) for layers in instances]),
            ("image", [_image(layers[-1]) for layers in instances]),
        )
    ]
    names: dict[str, Variation] = {}
    for together in zip(*instances, strict=True):
        for name in sorted({name for layer in together for name in layer.attributes}):
            if name not in names and name not in UNSEEN:
                values = tuple(_setting(layer, name) for layer in together)
                if len(set(values)) > 1:
                    names[name] = Variation(name=name, values=values)
        paddings = tuple(layer.padding or "" for layer in together)
        if len(set(paddings)) > 1:
            names.setdefault("padding", Variation(name="padding", values=paddings))
    return tuple(one for one in [*result, *names.values()] if len(set(one.values)) > 1)


def _shape(layer: Layer) -> Shape:
    return (layer.outputs[0].shape if layer.outputs else None) or ()


def _channels(layer: Layer) -> str:
    shape = _shape(layer)
    if not shape:
        return "?"
    return str(shape[1] if len(shape) > 3 else shape[-1])


def _image(layer: Layer) -> str:
    return "×".join(map(str, _shape(layer)[2:])) if len(_shape(layer)) > 3 else ""


def _setting(layer: Layer, name: str) -> str:
    value = layer.attributes.get(name)
    return formatting.setting(value) if value is not None else ""


def shares_weights(instances: Sequence[Sequence[Layer]]) -> bool:
    """Whether all instances use the same parameters."""
    names = [{p.name for layer in layers for p in layer.parameters} for layers in instances]
    return bool(names[0]) and all(one == names[0] for one in names)
