"""Origins of ONNX nodes: the layer, its settings, and the line that made it."""

from __future__ import annotations

from typing import Any

from modeldocs.ir import Origin
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.emission.settings import plain
from modeldocs.loaders.keras import framework
from modeldocs.loaders.python_source import own_files

_MACHINERY = frozenset({"name", "module", "registered_name", "build_config", "shared_object_id"})


def origin_of(operation: Any, request: LoadRequest, arguments: dict[str, Any]) -> Origin:
    """The origin of a call; `arguments` are the constant arguments of the call itself."""
    layers = framework.imported().layers
    line = vars(operation).get(own_files.LINE)
    is_layer = isinstance(operation, layers.Layer)
    settings = _config(operation) if is_layer else _settings(operation)
    return Origin(
        operator=_operator(operation, is_layer=is_layer),
        name=operation.name,
        attributes=plain(_readable(settings | arguments)),
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


def _readable(value: Any) -> Any:
    """A configuration with its objects, which Keras serialised, by their class and settings."""
    if isinstance(value, list | tuple):
        return [_readable(item) for item in value]
    if not isinstance(value, dict):
        return value
    config = value.get("config")
    if value.get("class_name") == "DTypePolicy" and isinstance(config, dict):
        return config.get("name")
    settings = {key: _readable(item) for key, item in value.items() if key not in _MACHINERY}
    if value.get("class_name") == "__tuple__" or value.get("class_name") == "function":
        return settings.get("config", settings)
    return settings
