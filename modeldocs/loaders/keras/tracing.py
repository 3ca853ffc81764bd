"""Models called with symbolic tensors, down to layers that have an emitter.

A layer with an emitter stays whole. The `call` of any other (a nested model, a layer of the port's
own, a Lambda) is run on the symbolic tensors, so that the operations in it take its place. Where
that fails, it stays whole too.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.ir import Module
from modeldocs.loaders.keras import framework, masking, rewriting
from modeldocs.loaders.keras.emitters import emitter_of
from modeldocs.loaders.keras.stand_ins import StandIns

MAX_CALLS = 30_000
"""Calls of layers and operations in one model, which nested shared models multiply."""


class CallTrace:
    """Symbolic calls of one model, and the module path of each."""

    def __init__(self, model: Any) -> None:
        self.stand_ins = StandIns(model)
        self.notes: list[str] = []
        self.constants: dict[int, tuple[Any, Any]] = {}
        """Symbolic tensors for constants that a layer reads, with their values, by id."""
        self._modules: dict[int, tuple[Module, ...]] = {}
        self._stack: list[Module] = []
        self._keras = framework.imported()
        self._original: Callable[..., Any] | None = None

    def modules(self, node: Any) -> tuple[Module, ...]:
        """The modules around a call, outermost first, without the model itself."""
        return self._modules.get(id(node), ())

    def of_model(self, model: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """The model's outputs, flat, for symbolic arguments.

        Raises:
            Exception: whatever the model's `call` raises.
        """
        if _count_calls(model, {}) > MAX_CALLS:
            raise _too_many()
        with self._recording(), self.stand_ins.active():
            outputs = model.call(*args, **self._filled(model, args, kwargs))
        return self._flat(outputs)

    def of_function(
        self, function: Callable[..., Any], inputs: Sequence[Any], modules: Sequence[Module]
    ) -> list[Any]:
        """The outputs of any function of symbolic tensors, called inside of some modules."""
        self._stack = list(modules)
        try:
            with self._recording():
                return self._flat(function(*inputs))
        finally:
            self._stack = []

    def _flat(self, outputs: Any) -> list[Any]:
        tensors: list[Any] = self._keras.tree.flatten(outputs)
        for output in tensors:
            if not isinstance(output, self._keras.KerasTensor):
                raise TypeError(f"it returned {type(output).__name__}, which depends on no input")
        return tensors

    @contextlib.contextmanager
    def _recording(self) -> Iterator[None]:
        from keras.src.ops.node import Node

        layer_class, original_init = self._keras.layers.Layer, Node.__init__
        self._original = original = layer_class.__call__
        trace = self

        def call(layer: Any, *args: Any, **kwargs: Any) -> Any:
            return trace._call(layer, args, kwargs)

        def init(node: Any, *args: Any, **kwargs: Any) -> None:
            original_init(node, *args, **kwargs)
            trace._record(node)

        layer_class.__call__, Node.__init__ = call, init
        try:
            yield
        finally:
            layer_class.__call__, Node.__init__ = original, original_init

    def _record(self, node: Any) -> None:
        self._modules[id(node)] = tuple(self._stack)
        if len(self._modules) > MAX_CALLS:
            raise _too_many()

    def _call(self, layer: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        tensors = self._keras.tree.flatten((args, kwargs))
        if not any(isinstance(tensor, self._keras.KerasTensor) for tensor in tensors):
            if not layer.weights:
                return self._whole(layer, args, kwargs)
            # A table that is looked up at constant positions is a parameter all the same.
            args, kwargs = self._keras.tree.map_structure(self._symbolic, (args, kwargs))
        if emitter_of(layer) is not None or hasattr(layer, "source_class"):
            return self._whole(layer, args, kwargs)
        try:
            return self._inside(layer, args, kwargs)
        except ModeldocsError:
            raise
        except Exception as error:
            self._note(layer, error)
            return self._whole(layer, args, kwargs)

    def _symbolic(self, value: Any) -> Any:
        """A symbolic tensor in place of a constant one."""
        if not self._keras.ops.is_tensor(value):
            return value
        tensor = self._keras.KerasTensor(
            value.shape, self._keras.backend.standardize_dtype(value.dtype)
        )
        self.constants[id(tensor)] = (tensor, value)
        return tensor

    def _whole(self, layer: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        assert self._original is not None
        with self.stand_ins.suspended(layer):
            outputs = self._original(layer, *args, **kwargs)
        if args and isinstance(args[0], self._keras.KerasTensor):
            rewriting.fill_in_sizes(layer, args[0], outputs)
        return outputs

    def _inside(self, layer: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        path = f"{self._stack[-1].path}/{layer.name}" if self._stack else layer.name
        depth = len(self._stack)
        self._stack.append(Module(path=path, kind=type(layer).__name__))
        try:
            args = self._keras.tree.map_structure(lambda x: self._converted(layer, x), args)
            completed = self._filled(layer, args, kwargs)
            rewritten = rewriting.of(layer)
            outputs = (layer.call if rewritten is None else rewritten)(*args, **completed)
        finally:
            del self._stack[depth:]
        masking.pass_on(layer, args, completed, outputs)
        return outputs

    def _converted(self, layer: Any, value: Any) -> Any:
        """An argument as the layer converts it: floats in its own type."""
        if not layer._convert_input_args or not isinstance(value, self._keras.KerasTensor):
            return value
        return layer.dtype_policy.convert_input(value, layer.autocast, layer.input_dtype)

    def _filled(self, layer: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Keyword arguments with those that Keras itself adds: inference, and masks."""
        parameters = inspect.signature(layer.call).parameters
        completed = dict(kwargs)
        if "training" not in parameters:
            completed.pop("training", None)  # a functional model hands it to every layer
        elif completed.get("training") is None:
            completed["training"] = False
        completed |= masking.added(list(parameters), args, completed)
        positional = list(parameters)[: len(args)]
        return {name: value for name, value in completed.items() if name not in positional}

    def _note(self, layer: Any, error: Exception) -> None:
        reason = first_line(error) or type(error).__name__
        self.notes.append(
            f"{type(layer).__name__} {layer.name!r} is drawn as one layer of its own: it could not "
            f"be called with symbolic tensors ({reason[:160]})"
        )


def _count_calls(model: Any, known: dict[int, int]) -> int:
    """How many calls a functional model makes, those of nested models included."""
    functional = getattr(model, "_functional", None) or model
    by_depth = getattr(functional, "_nodes_by_depth", None) or {}
    nodes = [node for level in by_depth.values() for node in level]
    if id(model) not in known:
        known[id(model)] = sum(_count_calls(node.operation, known) for node in nodes) or 1
    return known[id(model)]


def _too_many() -> ModeldocsError:
    return ModeldocsError(
        f"the model calls its layers more than {MAX_CALLS:,} times",
        fix="look for models that call each other repeatedly",
    )
