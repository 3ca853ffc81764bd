"""Recording of the functions that Chainer applies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from modeldocs.loaders.chainer import provenance
from modeldocs.loaders.chainer.program import FunctionCall, Tape
from modeldocs.loaders.chainer.provenance import Caller, PortFiles
from modeldocs.loaders.emission.settings import plain

DROPOUT = "Dropout"
SIGN = "Sign"


class CallRecorder:
    """Records every function that is applied while it is entered, from `start` on.

    `dropout` in test mode and `sign` apply no function, so that both are replaced wherever they
    were imported. The recorder is entered before the port is imported, which may keep a reference.
    """

    def __init__(self, files: PortFiles) -> None:
        self.files = files
        self.tape: Tape | None = None
        self.links: Mapping[int, str] = {}
        self._replaced: list[tuple[Any, str, Any]] = []
        """Module, name and original of the functions that were replaced."""

    def start(self, tape: Tape, links: Mapping[int, str]) -> None:
        """Record on `tape`; `links` are the paths of the model's links, by id."""
        self.tape, self.links = tape, links

    def __enter__(self) -> CallRecorder:
        import chainer

        self._apply = chainer.FunctionNode.apply
        chainer.FunctionNode.apply = self._recording_apply()
        dropout, sign = chainer.functions.dropout, chainer.functions.sign
        recording = {dropout: self._recording_dropout(dropout), sign: self._recording_sign(sign)}
        self._replaced = [
            (module, name, function)
            for module in list(sys.modules.values())
            for name, value in list(getattr(module, "__dict__", {}).items())
            for function in recording
            if value is function
        ]
        for module, name, function in self._replaced:
            setattr(module, name, recording[function])
        return self

    def __exit__(self, *_: object) -> None:
        import chainer

        chainer.FunctionNode.apply = self._apply
        for module, name, function in self._replaced:
            setattr(module, name, function)

    def _recording_apply(self) -> Callable[..., Any]:
        import chainer

        original = self._apply

        def apply(node: Any, inputs: Any) -> Any:
            if self.tape is None:
                return original(node, inputs)
            variables = tuple(chainer.as_variable(value) for value in inputs)
            outputs = self._outputs(original, node, variables)
            caller = provenance.caller(self.files, self.links)
            self._record(_kind(node), node, caller, variables, outputs)
            return outputs

        return apply

    def _outputs(self, original: Callable[..., Any], node: Any, variables: Sequence[Any]) -> Any:
        """A function's outputs; a zero where it fails on the labels, whose values are made up."""
        import chainer

        assert self.tape is not None
        try:
            return original(node, variables)
        except Exception:
            if not any(id(variable.node) in self.tape.labelled for variable in variables):
                raise
            return (chainer.Variable(np.zeros((), np.float32)),)

    def _recording_sign(self, original: Callable[..., Any]) -> Callable[..., Any]:
        import chainer

        def sign(x: Any) -> Any:
            output = original(x)
            if self.tape is not None and isinstance(x, chainer.Variable):
                caller = replace(provenance.caller(self.files, self.links), function="sign")
                self._record(SIGN, None, caller, (x,), (output,))
            return output

        return sign

    def _recording_dropout(self, original: Callable[..., Any]) -> Callable[..., Any]:
        import chainer

        def dropout(x: Any, ratio: float = 0.5, **kwargs: Any) -> Any:
            if self.tape is None or chainer.config.train or kwargs.get("return_mask"):
                return original(x, ratio, **kwargs)
            caller = provenance.caller(self.files, self.links)
            arguments = {"ratio": plain(ratio)}
            caller = replace(caller, function="dropout", arguments=arguments)
            variable = chainer.as_variable(x)
            output = chainer.Variable(variable.array)
            self._record(DROPOUT, None, caller, (variable,), (output,))
            return output

        return dropout

    def _record(
        self, kind: str, node: Any, caller: Caller, inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        assert self.tape is not None
        read = tuple(self.tape.read(variable) for variable in inputs)
        computed = tuple(self.tape.add(variable) for variable in outputs)
        if any(tensor.key in self.tape.labelled for tensor in read):
            self.tape.labelled.update(tensor.key for tensor in computed)
        self.tape.calls.append(FunctionCall(kind, node, caller, read, computed))


def _kind(node: Any) -> str:
    """The class of a function; that of the old-style function which an adapter wraps."""
    inner = getattr(node, "function", None)
    return type(inner if type(node).__name__ == "FunctionAdapter" else node).__name__
