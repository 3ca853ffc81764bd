"""The functions that a forward pass applied, in order, with the tensors they read and made."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from modeldocs.loaders.chainer import stack
from modeldocs.loaders.chainer.stack import Caller

DROPOUT, SIGN = "Dropout", "Sign"


@dataclass(frozen=True)
class Tensor:
    """A tensor of the pass: `key` is the same wherever it is read, `array` its value if kept.

    The value is kept of what no function made: parameters and constants.
    """

    key: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    array: np.ndarray[Any, Any] | None = None


@dataclass(frozen=True)
class Call:
    """One function applied. `node` is Chainer's own object, which holds its settings."""

    kind: str
    node: Any
    caller: Caller
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


@dataclass
class Tape:
    """Calls in the order they were made; `kept` holds what must outlive the pass.

    `labelled` are keys of labels, and of what functions made of them. `arrays` are what functions
    made, by id: a port may take one out of its variable, and put it in another.
    """

    calls: list[Call] = field(default_factory=list)
    keep_values: bool = False
    known: set[int] = field(default_factory=set)
    kept: list[Any] = field(default_factory=list)
    labelled: set[int] = field(default_factory=set)
    arrays: dict[int, tuple[weakref.ref[Any], int]] = field(default_factory=dict)

    def read(self, variable: Any) -> Tensor:
        """The tensor of a variable that a function reads."""
        node, array = variable.node, variable.array
        self.kept.append(node)
        if id(node) in self.known:
            return Tensor(id(node), variable.shape, variable.dtype)
        held, key = self.arrays.get(id(array), (None, 0))
        if held is not None and held() is array:
            return Tensor(key, variable.shape, variable.dtype)
        return Tensor(id(array), variable.shape, variable.dtype, array)

    def made(self, variable: Any) -> Tensor:
        """The tensor of a variable that a function made, or that the pass was given."""
        self.known.add(id(variable.node))
        self.kept.append(variable.node)
        self.arrays[id(variable.array)] = (weakref.ref(variable.array), id(variable.node))
        array = variable.array if self.keep_values else None
        return Tensor(id(variable.node), variable.shape, variable.dtype, array)


class Recorder:
    """Sees every function that is applied while it is entered, and records from `start` on.

    It is entered before the port is imported: a port may hold `dropout` and `sign` themselves,
    which leave no trace (the one in test mode, the other ever), so that others are put in their
    places from the beginning.
    """

    def __init__(self, files: stack.PortFiles) -> None:
        self.files = files
        self.tape: Tape | None = None
        self.links: Mapping[int, str] = {}
        self._places: list[tuple[Any, str, Any]] = []

    def start(self, tape: Tape, links: Mapping[int, str]) -> None:
        """Record on `tape`; `links` are the paths of the model's links, by id."""
        self.tape, self.links = tape, links

    def __enter__(self) -> Recorder:
        import chainer

        self._apply = chainer.FunctionNode.apply
        chainer.FunctionNode.apply = self._seen_apply()
        dropout, sign = chainer.functions.dropout, chainer.functions.sign
        seen = {dropout: self._seen_dropout(dropout), sign: self._seen_sign(sign)}
        self._places = [
            (module, name, function)
            for module in list(sys.modules.values())
            for name, value in list(getattr(module, "__dict__", {}).items())
            for function in seen
            if value is function
        ]
        for module, name, function in self._places:
            setattr(module, name, seen[function])
        return self

    def __exit__(self, *_: object) -> None:
        import chainer

        chainer.FunctionNode.apply = self._apply
        for module, name, function in self._places:
            setattr(module, name, function)

    def _seen_apply(self) -> Callable[..., Any]:
        import chainer

        original = self._apply

        def apply(node: Any, inputs: Any) -> Any:
            if self.tape is None:
                return original(node, inputs)
            variables = tuple(chainer.as_variable(value) for value in inputs)
            outputs = self._applied(original, node, variables)
            told = stack.caller(self.files, self.links)
            self._record(_kind(node), node, told, variables, outputs)
            return outputs

        return apply

    def _applied(self, original: Callable[..., Any], node: Any, variables: Sequence[Any]) -> Any:
        """What a function makes; of labels that do not fit it, which nobody knows, a zero."""
        import chainer

        assert self.tape is not None
        try:
            return original(node, variables)
        except Exception:
            if not any(id(variable.node) in self.tape.labelled for variable in variables):
                raise
            return (chainer.Variable(np.zeros((), np.float32)),)

    def _seen_sign(self, original: Callable[..., Any]) -> Callable[..., Any]:
        import chainer

        def sign(x: Any) -> Any:
            made = original(x)
            if self.tape is not None and isinstance(x, chainer.Variable):
                told = replace(stack.caller(self.files, self.links), function="sign")
                self._record(SIGN, None, told, (x,), (made,))
            return made

        return sign

    def _seen_dropout(self, original: Callable[..., Any]) -> Callable[..., Any]:
        import chainer

        def dropout(x: Any, ratio: float = 0.5, **kwargs: Any) -> Any:
            if self.tape is None or chainer.config.train or kwargs.get("return_mask"):
                return original(x, ratio, **kwargs)
            told = stack.caller(self.files, self.links)
            told = replace(told, function="dropout", arguments={"ratio": stack.plain(ratio)})
            variable = chainer.as_variable(x)
            passed = chainer.Variable(variable.array)
            self._record(DROPOUT, None, told, (variable,), (passed,))
            return passed

        return dropout

    def _record(
        self, kind: str, node: Any, told: Caller, inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        assert self.tape is not None
        read = tuple(self.tape.read(variable) for variable in inputs)
        made = tuple(self.tape.made(variable) for variable in outputs)
        if any(tensor.key in self.tape.labelled for tensor in read):
            self.tape.labelled.update(tensor.key for tensor in made)
        self.tape.calls.append(Call(kind, node, told, read, made))


def _kind(node: Any) -> str:
    """The function's class; of an old-style one the class that its adapter stands for."""
    inner = getattr(node, "function", None)
    return type(inner if type(node).__name__ == "FunctionAdapter" else node).__name__
