"""Masks: symbolic tensors that Keras carries along with others, and hands to who asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modeldocs.loaders.keras import framework


def of(tensor: Any) -> Any | None:
    """The mask that comes with a symbolic tensor, if any."""
    mask = getattr(tensor, "_keras_mask", None)
    return mask if hasattr(mask, "_keras_history") else None


def added(known: list[str], args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The masks that Keras adds to the arguments of a call, whose parameters are `known`.

    One tensor argument brings `mask`; several bring `query_mask`, `value_mask` and so on.
    """
    given = {**dict(zip(known, args, strict=False)), **kwargs}
    tensors = {name: value for name, value in given.items() if _has_tensor(value)}
    if len(tensors) == 1:
        wanted = {"mask": next(iter(tensors.values()))}
    else:
        wanted = {f"{name}_mask": value for name, value in tensors.items()}
    found = {
        name: _masks(value)
        for name, value in wanted.items()
        if name in known and given.get(name) is None
    }
    return {name: mask for name, mask in found.items() if mask is not None}


def hand_on(layer: Any, args: Sequence[Any], kwargs: dict[str, Any], outputs: Any) -> None:
    """Give the outputs of a layer that was looked into the mask that it gives them."""
    if layer.supports_masking and args:
        mask = kwargs.get("mask")
        layer._set_mask_metadata(args[0], outputs, _masks(args[0]) if mask is None else mask)


def _masks(value: Any) -> Any:
    """The masks of a structure of tensors, in the same structure; None where there is none."""
    tree = framework.imported().tree
    masks = tree.map_structure(of, value)
    return masks if any(mask is not None for mask in tree.flatten(masks)) else None


def _has_tensor(value: Any) -> bool:
    keras = framework.imported()
    return any(isinstance(item, keras.KerasTensor) for item in keras.tree.flatten(value))
