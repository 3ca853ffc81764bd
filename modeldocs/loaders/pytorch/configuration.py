"""Callables that take a configuration object, as the models of Hugging Face `transformers` do.

A port cannot write such an object in `args:`; it writes the object's own settings there instead:

    module: transformers
    entry: BertModel                # or AutoModel.from_config, with a `model_type` among them
    args: {config: {num_hidden_layers: 6}}
    inputs: {input_ids: {shape: [1, 128], dtype: int64}}

The model is built from the configuration alone: no weights are read, nothing is downloaded. No
key-value cache is returned unless the settings say `use_cache: true`.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import typing
from collections.abc import Callable
from typing import Any, cast

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest

CONFIG = "config"
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def with_config(request: LoadRequest, target: Any) -> Callable[..., Any]:
    """`target`, called with a configuration built from the settings in `args` if it takes one.

    It takes one where it is, or is a method of, a class that names its `config_class`, or that
    chooses the model by the configuration (`AutoModel`).

    Raises:
        ModeldocsError: the settings do not say which configuration to build.
    """
    owner = getattr(target, "__self__", target)
    settings = request.args.get(CONFIG, {})
    builder = None
    if isinstance(owner, type) and _takes_config(target):
        builder = _config_builder(owner)
    if builder is None or not isinstance(settings, dict):
        return _with_dataclasses(request, target)
    if builder is _auto_config and "model_type" not in settings:
        raise ModeldocsError(
            "its configuration does not say of which kind the model is",
            file=request.source,
            fix="add `model_type` to `config:` in the port's `args:`, for example `bert`",
        )

    @functools.wraps(target, updated=())
    def configured(**arguments: Any) -> Any:
        config = builder(**settings)
        _disable_cache(config, settings)
        return target(**arguments | {CONFIG: config})

    return configured


def _with_dataclasses(request: LoadRequest, target: Any) -> Callable[..., Any]:
    """`target`, called with dataclasses built from the settings in `args` where it takes them."""
    classes = {
        name: dataclass
        for name, dataclass in _dataclasses(target).items()
        if isinstance(request.args.get(name, {}), dict)
    }
    if not classes:
        return cast("Callable[..., Any]", target)

    @functools.wraps(target, updated=())
    def configured(**arguments: Any) -> Any:
        configs = {name: cls(**arguments.get(name, {})) for name, cls in classes.items()}
        return target(**arguments | configs)

    return configured


def _dataclasses(target: Any) -> dict[str, type]:
    """The dataclass that each argument without a default is annotated with, by its name.

    A single argument without default or annotation takes the only dataclass of the file.
    """
    try:
        parameters = inspect.signature(target).parameters.values()
        hints = typing.get_type_hints(getattr(target, "__init__", target))
    except (TypeError, ValueError, NameError):
        return {}
    required = [p for p in parameters if p.default is p.empty and p.kind in _NAMED]
    classes = {
        p.name: hints[p.name] for p in required if dataclasses.is_dataclass(hints.get(p.name))
    }
    if len(required) == 1 and required[0].name not in hints:
        module = getattr(target, "__module__", "")
        names = vars(sys.modules[module]) if module in sys.modules else {}
        own = [value for value in names.values() if _is_dataclass_of(value, module)]
        if len(own) == 1:
            classes[required[0].name] = own[0]
    return classes


def _is_dataclass_of(value: Any, module: str) -> bool:
    """Whether a value is a dataclass that is defined in a module."""
    return (
        isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module
    )


def make_exportable(module: Any, request: LoadRequest) -> None:
    """Change settings of transformers' models that torch.export or the ONNX exporter fails on.

    The key-value cache is off: a report shows one forward pass. Mixtures of experts use batched
    matrix products in place of grouped ones.
    """
    settings = request.args.get(CONFIG, {})
    settings = settings if isinstance(settings, dict) else {}
    for inner in module.modules():
        config: Any = getattr(inner, "config", None)
        _disable_cache(config, settings)
        if getattr(config, "_experts_implementation", None) == "grouped_mm":
            config._experts_implementation = "batched_mm"


def _disable_cache(config: Any, settings: dict[str, Any]) -> None:
    """Turn the key-value cache off, unless the settings mention it."""
    if "use_cache" not in settings and getattr(config, "use_cache", False) is True:
        config.use_cache = False


def _takes_config(target: Any) -> bool:
    try:
        parameters = inspect.signature(target).parameters
    except (TypeError, ValueError):
        return False
    takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    return CONFIG in parameters or takes_any


def _config_builder(owner: type) -> Callable[..., Any] | None:
    """What builds a configuration for the models of a class, None where it takes none."""
    if hasattr(owner, "_model_mapping"):
        return _auto_config
    config_class = getattr(owner, "config_class", None)
    return config_class if isinstance(config_class, type) else None


def _auto_config(**settings: Any) -> Any:
    from transformers import AutoConfig

    return AutoConfig.for_model(**settings)
