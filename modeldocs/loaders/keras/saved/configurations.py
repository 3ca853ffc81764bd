"""Models from configurations that Keras 3 and earlier versions wrote.

Classes that are not Keras' own, and functions stored as code, are neither imported nor run: the
layers that use them become single nodes with the settings in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.keras import framework
from modeldocs.loaders.keras.saved import unknown

MAX_LEVELS = 100
"""Levels of objects in each other in one configuration."""

_MODELS = ("Model", "Functional", "Sequential")
_AGAIN = "save the model again, or give the .py file that builds it"


def build(config: dict[str, Any], request: LoadRequest) -> tuple[Any, list[str]]:
    """The model of a configuration, and notes for the reader.

    Raises:
        ModeldocsError: Keras cannot build it.
    """
    for level in _levels(config):
        if level > MAX_LEVELS:
            raise ModeldocsError(
                f"its configuration nests more than {MAX_LEVELS} levels", file=request.source
            )
    config.pop("compile_config", None)
    _check_model(config, request)
    notes = _replace_unknown(config)
    try:
        model = _deserialized(config)
    except MemoryError:
        raise
    except RecursionError:
        raise ModeldocsError(
            "its layers nest too deeply to be built", file=request.source, fix=_AGAIN
        ) from None
    except Exception as error:
        raise ModeldocsError(
            f"Keras cannot build what it describes: {_reason(error)}",
            file=request.source,
            fix=_AGAIN,
        ) from None
    if not isinstance(model, framework.imported().layers.Layer):
        raise ModeldocsError(
            f"describes a {type(model).__name__}, not a model", file=request.source, fix=_AGAIN
        )
    return model, notes


def _levels(config: Any) -> Iterator[int]:
    """The level of each object in a configuration."""
    stack: list[tuple[Any, int]] = [(config, 1)]
    while stack:
        value, level = stack.pop()
        if isinstance(value, dict | list):
            yield level
            items = value.values() if isinstance(value, dict) else value
            stack += [(item, level + 1) for item in items]


def _check_model(config: dict[str, Any], request: LoadRequest) -> None:
    """Raise if a model's class is not Keras' own, unless the file says what it is made of."""
    name = config.get("class_name")
    if name in _MODELS or unknown.is_known(config):
        return
    settings = config.get("config")
    if isinstance(settings, dict) and "layers" in settings and "input_layers" in settings:
        config |= {"class_name": "Functional", "registered_name": "Functional"}
        if "module" in config:
            config["module"] = "keras.src.models.functional"
        return
    raise ModeldocsError(
        f"its model is of the class {str(name)[:80]!r}, whose code is not in the file",
        file=request.source,
        fix="give the .py file that defines it",
    )


def _replace_unknown(config: dict[str, Any]) -> list[str]:
    """Replace layers that are not Keras' own by stand-ins; a note for each."""
    shapes = unknown.output_shapes(config)
    notes: list[str] = []
    for value in unknown.objects(config):
        layers = value.get("layers")
        if isinstance(layers, list):
            notes += unknown.replace(layers, shapes)
    return notes


def _deserialized(config: dict[str, Any]) -> Any:
    from keras.src.legacy.saving import saving_utils

    keras = framework.imported()
    with keras.saving.custom_object_scope({unknown.NAME: unknown.layer_class()}):
        if config.get("module"):
            return keras.saving.deserialize_keras_object(config, safe_mode=True)
        return saving_utils.model_from_config(config)


def _reason(error: Exception) -> str:
    """The line of Keras' long messages that says what is wrong."""
    text = str(error).strip()
    for mark in ("Exception encountered:", "Error encountered:"):
        if mark in text:
            text = text.rsplit(mark, 1)[1].strip()
    first = (text.splitlines() or [""])[0][:300]
    return first or type(error).__name__
