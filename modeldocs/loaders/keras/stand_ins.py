"""Symbolic tensors that stand in for a model's variables while it is traced.

Keras records operations on symbolic tensors alone. A layer that computes with a variable of its own
(`self.token + x`, `ops.transpose(self.embedding.embeddings)`) would leave a constant in the graph
in place of the parameter.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from modeldocs.loaders.keras import framework

_BOOKKEEPING = frozenset(
    {"_trainable_variables", "_non_trainable_variables", "_seed_generators", "_metrics", "_tracker"}
)


class _VariableSwap(NamedTuple):
    """An attribute of a layer: its variable, and the stand-in."""

    attributes: dict[str, Any]
    name: str
    real: Any
    symbolic: Any


class StandIns:
    """Stand-ins for all variables of a model's layers."""

    def __init__(self, model: Any) -> None:
        self._keras = framework.imported()
        self._tensors: dict[int, Any] = {}
        self.variables: dict[int, Any] = {}
        """The variable of each stand-in, by the tensor's id."""
        self._swaps: dict[int, list[_VariableSwap]] = {}
        for layer in model._flatten_layers():
            self._swaps[id(layer)] = self._of_layer(layer)

    def _of_layer(self, layer: Any) -> list[_VariableSwap]:
        attributes = vars(layer)
        pairs = [(n, v, self._symbolic(v)) for n, v in attributes.items() if n not in _BOOKKEEPING]
        return [
            _VariableSwap(attributes, n, real, symbolic)
            for n, real, symbolic in pairs
            if symbolic is not None
        ]

    def _symbolic(self, value: Any) -> Any:
        """A stand-in for a variable, or for a list or dict with some; None for anything else."""
        if isinstance(value, self._keras.Variable):
            return self._tensor(value)
        if isinstance(value, list | tuple) and any(self._is_variable(item) for item in value):
            return [self._tensor(v) if self._is_variable(v) else v for v in value]
        if isinstance(value, dict) and any(self._is_variable(item) for item in value.values()):
            return {k: self._tensor(v) if self._is_variable(v) else v for k, v in value.items()}
        return None

    def _is_variable(self, value: Any) -> bool:
        return isinstance(value, self._keras.Variable)

    def _tensor(self, variable: Any) -> Any:
        tensor = self._tensors.get(id(variable))
        if tensor is None:
            tensor = self._keras.KerasTensor(variable.shape, variable.dtype, name=variable.name)
            self._tensors[id(variable)] = tensor
            self.variables[id(tensor)] = variable
        return tensor

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Replace the variables of every layer by stand-ins in this block."""
        swaps = [swap for of_layer in self._swaps.values() for swap in of_layer]
        with _set(swaps, symbolic=True):
            yield

    @contextlib.contextmanager
    def suspended(self, layer: Any) -> Iterator[None]:
        """Restore the real variables of a layer and of those below it in this block."""
        layers = layer._flatten_layers()
        with _set([s for one in layers for s in self._swaps.get(id(one), ())], symbolic=False):
            yield


@contextlib.contextmanager
def _set(swaps: list[_VariableSwap], *, symbolic: bool) -> Iterator[None]:
    before = [swap.attributes.get(swap.name) for swap in swaps]
    for swap in swaps:
        swap.attributes[swap.name] = swap.symbolic if symbolic else swap.real
    try:
        yield
    finally:
        for swap, value in zip(swaps, before, strict=True):
            swap.attributes[swap.name] = value
