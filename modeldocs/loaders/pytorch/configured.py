"""Callables that take a configuration object, as the models of Hugging Face `transformers` do.

A port cannot write such an object in `args:`; it writes the object's own settings there instead:

    module: transformers
    entry: BertModel                # or AutoModel.from_config, with a `model_type` among them
    args: {config: {num_hidden_layers: 6}}
    inputs: {input_ids: {shape: [1, 128], dtype: int64}}

Only the configuration decides what is built: no weights are read, nothing is downloaded. Keys and
values of earlier tokens are not returned unless the settings say `use_cache: true`.
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
    """`target`, but given a configuration made of the settings in `args`, if it wants one.

    It wants one where it is, or is a method of, a class that names its `config_class`, or that
    chooses the model by the configuration (`AutoModel`).

    Raises:
        ModeldocsError: the settings make no configuration.
    """
    owner = getattr(target, "__self__", target)
    settings = request.args.get(CONFIG, {})
    make = _maker(owner) if isinstance(owner, type) and _takes_config(target) else None
    if make is None or not isinstance(settings, dict):
        return _with_dataclasses(request, target)
    if make is _chosen and "model_type" not in settings:
        raise ModeldocsError(
            "its configuration does not say of which kind the model is",
            file=request.source,
            fix="add `model_type` to `config:` in the port's `args:`, for example `bert`",
        )

    @functools.wraps(target, updated=())
    def configured(**arguments: Any) -> Any:
        config = make(**settings)
        _forget_earlier(config, settings)
        return target(**arguments | {CONFIG: config})

    return configured


def _with_dataclasses(request: LoadRequest, target: Any) -> Callable[..., Any]:
    """`target`, but given dataclasses made of the settings in `args`, for arguments that are one.

    An argument is one that is annotated so; one without default or annotation, if the only one,
    is the only dataclass of the file.
    """
    kinds = {
        name: kind
        for name, kind in _dataclasses(target).items()
        if isinstance(request.args.get(name, {}), dict)
    }
    if not kinds:
        return cast("Callable[..., Any]", target)

    @functools.wraps(target, updated=())
    def configured(**arguments: Any) -> Any:
        made = {name: kind(**arguments.get(name, {})) for name, kind in kinds.items()}
        return target(**arguments | made)

    return configured


def _dataclasses(target: Any) -> dict[str, type]:
    """By name of the argument, the dataclass that it has to be."""
    try:
        parameters = inspect.signature(target).parameters.values()
        hints = typing.get_type_hints(getattr(target, "__init__", target))
    except (TypeError, ValueError, NameError):
        return {}
    wanted = [p for p in parameters if p.default is p.empty and p.kind in _NAMED]
    found = {p.name: hints[p.name] for p in wanted if dataclasses.is_dataclass(hints.get(p.name))}
    if len(wanted) == 1 and wanted[0].name not in hints:
        module = getattr(target, "__module__", "")
        held = vars(sys.modules[module]) if module in sys.modules else {}
        own = [one for one in held.values() if _is_settings(one, module)]
        found |= {wanted[0].name: own[0]} if len(own) == 1 else {}
    return found


def _is_settings(value: Any, module: str) -> bool:
    return (
        isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == module
    )


def make_exportable(module: Any, request: LoadRequest) -> None:
    """Settings of transformers' models without which torch.export or its ONNX form fails.

    No keys and values of earlier tokens are given, which come in a cache of their own: a report is
    of one pass. Experts are products by the weights of each token's own, not grouped by expert.
    """
    settings = request.args.get(CONFIG, {})
    settings = settings if isinstance(settings, dict) else {}
    for inner in module.modules():
        config: Any = getattr(inner, "config", None)
        _forget_earlier(config, settings)
        if getattr(config, "_experts_implementation", None) == "grouped_mm":
            config._experts_implementation = "batched_mm"


def _forget_earlier(config: Any, settings: dict[str, Any]) -> None:
    """No keys and values of earlier tokens, unless the settings ask for them."""
    if "use_cache" not in settings and getattr(config, "use_cache", False) is True:
        config.use_cache = False


def _takes_config(target: Any) -> bool:
    try:
        parameters = inspect.signature(target).parameters
    except (TypeError, ValueError):
        return False
    open_to_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    return CONFIG in parameters or open_to_any


def _maker(owner: type) -> Callable[..., Any] | None:
    """What makes a configuration for the models of a class."""
    if hasattr(owner, "_model_mapping"):
        return _chosen
    found = getattr(owner, "config_class", None)
    return found if isinstance(found, type) else None


def _chosen(**settings: Any) -> Any:
    from transformers import AutoConfig

    return AutoConfig.for_model(**settings)
