"""Origins of ONNX nodes: the layer, its settings, and the line that made it."""

from __future__ import annotations

from typing import Any

import numpy as np

from modeldocs.ir import Origin, origin
from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.keras import framework

_MACHINERY = frozenset({"name", "module", "registered_name", "build_config", "shared_object_id"})


def origin_of(operation: Any, request: LoadRequest, arguments: dict[str, Any]) -> Origin:
    """The origin of a call; `arguments` are the constant arguments of the call itself."""
    layers = framework.imported().layers
    line = vars(operation).get(callables.LINE)
    is_layer = isinstance(operation, layers.Layer)
    settings = _config(operation) if is_layer else _settings(operation)
    return Origin(
        operator=_operator(operation, is_layer=is_layer),
        name=operation.name,
        attributes=plain(settings | arguments),
        file=request.relative(line[0]) if line else None,
        line=line[1] if line else None,
    )


def _operator(operation: Any, *, is_layer: bool) -> str:
    """How a port writes it: `keras.layers.Dense`, `keras.ops.add`, or its own class."""
    kind = type(operation)
    if getattr(operation, "source_class", None):
        return str(operation.source_class)
    if not kind.__module__.startswith("keras."):
        return kind.__name__
    if not is_layer:
        return f"keras.ops.{function_name(operation)}"
    public = hasattr(framework.imported().layers, kind.__name__)
    return f"keras.layers.{kind.__name__}" if public else f"keras.{kind.__name__}"


def function_name(operation: Any) -> str:
    """The name of an operation's function: `get_item` for `GetItem`."""
    from keras.src.utils.naming import to_snake_case

    kind = getattr(operation, "source_class", None) or type(operation).__name__
    return str(to_snake_case(kind.rpartition(".")[2]))


def _config(layer: Any) -> dict[str, Any]:
    """The layer's own settings, or the arguments of its constructor where it returns none."""
    try:
        config = layer.get_config()
    except Exception:
        auto_config = getattr(layer, "_auto_config", None)
        config = dict(getattr(auto_config, "config", {}) or {})
    return {name: value for name, value in config.items() if name != "name"}


def _settings(operation: Any) -> dict[str, Any]:
    return {
        name: value
        for name, value in vars(operation).items()
        if name[0] != "_" and name not in ("name", "built")
    }


def plain(value: Any) -> Any:
    """A value as JSON has it; an object that Keras serialised, by its class and settings."""
    if isinstance(value, dict):
        return _plain_object(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist() if value.size <= 64 else f"{value.dtype} array of {value.shape}"
    if isinstance(value, np.generic):
        return value.item()
    if value is Ellipsis:
        return "..."
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return ":".join("" if part is None else str(part) for part in parts[: 2 + bool(parts[2])])
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return origin.plain(value) if _is_plain(value) else _text(value)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | set | frozenset)


def _text(value: Any) -> str:
    """An object's class and name; its `repr` would contain an address in memory."""
    name = getattr(value, "name", "")
    return f"{type(value).__name__} {name}".strip()


def _plain_object(value: dict[str, Any]) -> Any:
    config = value.get("config")
    if value.get("class_name") == "DTypePolicy" and isinstance(config, dict):
        return config.get("name")
    settings = {str(k): plain(v) for k, v in value.items() if k not in _MACHINERY}
    if value.get("class_name") == "__tuple__" or value.get("class_name") == "function":
        return settings.get("config", settings)
    return settings
