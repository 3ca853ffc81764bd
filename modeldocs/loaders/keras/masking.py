"""Masks: symbolic tensors that Keras passes along with others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modeldocs.loaders.keras import framework


def of(tensor: Any) -> Any | None:
    """The mask of a symbolic tensor, if any."""
    mask = getattr(tensor, "_keras_mask", None)
    return mask if hasattr(mask, "_keras_history") else None


def added(parameters: list[str], args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The masks that Keras adds to the arguments of a call, by name.

    One tensor argument adds `mask`; several add `query_mask`, `value_mask` and so on.
    """
    arguments = {**dict(zip(parameters, args, strict=False)), **kwargs}
    tensors = {name: value for name, value in arguments.items() if _has_tensor(value)}
    if len(tensors) == 1:
        masked = {"mask": next(iter(tensors.values()))}
    else:
        masked = {f"{name}_mask": value for name, value in tensors.items()}
    masks = {
        name: _masks(value)
        for name, value in masked.items()
        if name in parameters and arguments.get(name) is None
    }
    return {name: mask for name, mask in masks.items() if mask is not None}


def pass_on(layer: Any, args: Sequence[Any], kwargs: dict[str, Any], outputs: Any) -> None:
    """Set the masks of the outputs of a layer whose `call` was traced."""
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
