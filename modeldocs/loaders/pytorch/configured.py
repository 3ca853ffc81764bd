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

import functools
import inspect
from collections.abc import Callable
from typing import Any, cast

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest

CONFIG = "config"


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
        return cast("Callable[..., Any]", target)
    if make is _chosen and "model_type" not in settings:
        raise ModeldocsError(
            "its configuration does not say of which kind the model is",
            file=request.source,
            mend="add `model_type` to `config:` in the port's `args:`, for example `bert`",
        )

    @functools.wraps(target, updated=())
    def configured(**arguments: Any) -> Any:
        config = make(**settings)
        _forget_earlier(config, settings)
        return target(**arguments | {CONFIG: config})

    return configured


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
