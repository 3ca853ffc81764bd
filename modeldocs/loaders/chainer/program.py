"""A recorded forward pass as plain data: the functions applied, and the tensors between them."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from modeldocs.loaders.chainer.provenance import Caller

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Tensor:
    """A tensor of the pass; `key` identifies it wherever it is read.

    `array` is the value of what no function computed: parameters and constants. The values of
    other tensors are kept on request.
    """

    key: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    array: Array | None = None


@dataclass(frozen=True)
class FunctionCall:
    """One function applied; `node` is Chainer's own object, which holds the settings."""

    kind: str
    node: Any
    caller: Caller
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    @property
    def name(self) -> str:
        """The public function that was called, else the class of the function applied."""
        return self.caller.function or self.kind


@dataclass
class Tape:
    """Calls in the order in which they were applied.

    `known` are ids of variable nodes that belong to the pass, `labelled` keys of labels and of
    what functions computed from them. `arrays` are functions' outputs by id of the array: a port
    may take an array out of its variable and wrap it in another. `kept` keeps objects alive whose
    ids are keys.
    """

    calls: list[FunctionCall] = field(default_factory=list)
    keep_values: bool = False
    known: set[int] = field(default_factory=set)
    labelled: set[int] = field(default_factory=set)
    arrays: dict[int, tuple[weakref.ref[Any], int]] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)

    def read(self, variable: Any) -> Tensor:
        """The tensor of a variable that a function reads."""
        node, array = variable.node, variable.array
        self.kept.append(node)
        if id(node) in self.known:
            return Tensor(id(node), variable.shape, variable.dtype)
        reference, key = self.arrays.get(id(array), (None, 0))
        if reference is not None and reference() is array:
            return Tensor(key, variable.shape, variable.dtype)
        return Tensor(id(array), variable.shape, variable.dtype, array)

    def add(self, variable: Any) -> Tensor:
        """The tensor of a variable that a function computed, or that is an input of the pass."""
        node, array = variable.node, variable.array
        self.known.add(id(node))
        self.kept.append(node)
        self.arrays[id(array)] = (weakref.ref(array), id(node))
        value = array if self.keep_values else None
        return Tensor(id(node), variable.shape, variable.dtype, value)

    def needed(self, outputs: Iterable[Tensor]) -> list[FunctionCall]:
        """The calls that outputs depend on, in order."""
        keys = {tensor.key for tensor in outputs}
        calls = []
        for call in reversed(self.calls):
            if any(tensor.key in keys for tensor in call.outputs):
                keys.update(tensor.key for tensor in call.inputs)
                calls.append(call)
        return calls[::-1]

    def compared_with_labels(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The tensors computed from inputs that functions read together with labels."""
        live = {tensor.key for tensor in inputs}
        computed: dict[int, Tensor] = {}
        compared: dict[int, Tensor] = {}
        for call in self.calls:
            keys = {tensor.key for tensor in call.inputs}
            if keys & self.labelled:
                compared |= {key: tensor for key, tensor in computed.items() if key in keys}
            elif keys & live:
                live |= {tensor.key for tensor in call.outputs}
                computed |= {tensor.key: tensor for tensor in call.outputs}
        return list(compared.values())
