"""Weights of a Keras model: designed values for all, and those that its graph does not read."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission.names import first_of
from modeldocs.loaders.reference import Designed


def fill(
    model: Any,
    parameters: Mapping[int, ir.Value],
    designed: Designed,
    constants: Collection[int] = (),
) -> None:
    """Set each weight but constants; `parameters` are the graph's, by the id of their variable."""
    for layer in model._flatten_layers():
        for variable in [*layer._trainable_variables, *layer._non_trainable_variables]:
            if id(variable) in constants:
                continue
            value = parameters.get(id(variable))
            name = str(value.name) if value is not None else variable.path
            if value is not None or "float" in str(variable.dtype):
                variable.assign(designed.parameter(name, tuple(variable.shape)))
    _finalize(model)


@contextlib.contextmanager
def kept(model: Any) -> Iterator[None]:
    """A block after which the variables of a model have the values that they have before it."""
    before = [(variable, np.array(variable)) for variable in model.variables]
    try:
        yield
    finally:
        for variable, value in before:
            variable.assign(value)
        _finalize(model)


def _finalize(model: Any) -> None:
    """Let layers that compute with values derived from their weights derive them."""
    for layer in model._flatten_layers():
        if type(layer).__name__ == "Normalization" and hasattr(layer, "adapt_mean"):
            layer.finalize_state()


def unread(model: Any, parameters: Collection[int]) -> list[Any]:
    """Weights of floats that are no parameters of the graph, such as those of an unused head."""
    return [v for v in model.weights if id(v) not in parameters and "float" in str(v.dtype)]


def unread_notes(variables: Sequence[Any]) -> list[str]:
    """The note about weights that are not read, if there are any."""
    if not variables:
        return []
    paths = [str(variable.path) for variable in variables]
    return [f"parameters that are there but never read: {first_of(paths, 3)}"]


def count(variables: Sequence[Any], left_out: Sequence[Any], parameters: Collection[int]) -> int:
    """Values in variables; integers count where the graph reads them, as position tables are.

    Other integers are counters and states of random generators, which are no parameters.
    """
    excluded = {id(variable) for variable in left_out}
    counted = [v for v in variables if "int" not in str(v.dtype) or id(v) in parameters]
    return sum(math.prod(v.shape) for v in counted if id(v) not in excluded)
