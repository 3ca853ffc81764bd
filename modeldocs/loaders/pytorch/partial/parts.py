"""The parts of a module that can be traced, and a `forward` that computes only those."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from modeldocs.loaders import Inputs
from modeldocs.loaders.pytorch.partial.calls import Key, ModuleCall, hooked, tensors

if TYPE_CHECKING:
    import torch

IN, OUT = "in", "out"
TensorRef = tuple[str, Key, int]
"""A tensor among the arguments (`IN`) or in the result (`OUT`) of a call: side, call, index."""


@dataclass
class SeparateCall:
    """A call made on its own; each of its tensors is a `TensorRef`, or a new input by name."""

    call: ModuleCall
    sources: list[TensorRef | str] = field(default_factory=list)

    @property
    def has_new_inputs(self) -> bool:
        """Whether any of its tensors is a new input."""
        return any(isinstance(source, str) for source in self.sources)

    def run(self, values: dict[Any, torch.Tensor]) -> Any:
        """The module's result on tensors by `TensorRef` and name of the input."""
        import torch
        from torch.utils import _pytree as pytree

        leaves, spec = pytree.tree_flatten((self.call.args, self.call.kwargs))
        operands = iter([values[source] for source in self.sources])
        leaves = [next(operands) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        args, kwargs = pytree.tree_unflatten(leaves, spec)
        return self.call.module(*args, **kwargs)


@dataclass
class Parts:
    """The traceable parts of a module.

    `outputs` are by name; `separate` calls are made after the module's own run was stopped, on
    `new_inputs` where they cannot read what the module computed. `omitted` lists what cannot be
    traced, and `reason` says why.
    """

    outputs: dict[str, TensorRef] = field(default_factory=dict)
    separate: list[SeparateCall] = field(default_factory=list)
    new_inputs: dict[str, torch.Tensor] = field(default_factory=dict)
    omitted: list[str] = field(default_factory=list)
    reason: str = ""

    def inputs(self, own: Inputs) -> Inputs:
        """The module's own inputs and the new ones."""
        shapes = {name: tuple(tensor.shape) for name, tensor in self.new_inputs.items()}
        dtypes = {n: str(t.dtype).removeprefix("torch.") for n, t in self.new_inputs.items()}
        return Inputs(own.shapes | shapes, own.dtypes | dtypes)

    def sample_inputs(self) -> dict[str, torch.Tensor]:
        """Zeros for each new input."""
        import torch

        return {name: torch.zeros(t.shape, dtype=t.dtype) for name, t in self.new_inputs.items()}

    @property
    def note(self) -> str:
        """A note for the reader: what is left out and why."""
        note = f"left out, since {self.reason}: {', '.join(self.omitted)}"
        paths = ", ".join(one.call.key[0] for one in self.separate if one.has_new_inputs)
        return f"{note}; what comes after starts from inputs of its own: {paths}" if paths else note

    def install(self, module: torch.nn.Module) -> None:
        """Replace a module's `forward` by one that computes these parts only."""
        original = module.forward

        def forward(*args: Any, **kwargs: Any) -> dict[str, torch.Tensor]:
            own = {name: tensor for name, tensor in kwargs.items() if name not in self.new_inputs}
            values: dict[Any, Any] = {name: kwargs[name] for name in self.new_inputs}
            values |= self._run_until_complete(module, original, args, own)
            for separate in self.separate:
                result = separate.run(values)
                values |= {(OUT, separate.call.key, i): t for i, t in enumerate(tensors(result))}
            return {name: values[tensor] for name, tensor in self.outputs.items()}

        own = inspect.signature(original).parameters.values()
        kind = inspect.Parameter.KEYWORD_ONLY
        new = [inspect.Parameter(name, kind) for name in self.new_inputs]
        forward.__signature__ = inspect.Signature([*own, *new])  # type: ignore[attr-defined]
        module.forward = forward

    def _run_until_complete(
        self, module: torch.nn.Module, original: Callable[..., Any], args: Any, kwargs: Any
    ) -> dict[TensorRef, torch.Tensor]:
        """Run the module until every tensor that is needed of it was computed."""
        separate_keys = {separate.call.key for separate in self.separate}
        sources = [source for separate in self.separate for source in separate.sources]
        refs = [ref for ref in (*self.outputs.values(), *sources) if not isinstance(ref, str)]
        needed = {ref for ref in refs if ref[1] not in separate_keys}
        values: dict[TensorRef, torch.Tensor] = {}

        def collect(side: str, key: Key, value: Any) -> None:
            refs = {(side, key, index): t for index, t in enumerate(tensors(value))}
            values.update((ref, tensor) for ref, tensor in refs.items() if ref in needed)
            if len(values) == len(needed):
                raise _StopError

        with (
            hooked(
                module,
                lambda key, _, inner_args, inner_kwargs: collect(
                    IN, key, (inner_args, inner_kwargs)
                ),
                lambda key, result: collect(OUT, key, result),
            ),
            contextlib.suppress(_StopError),
            _restored_module_stack(),
        ):
            if needed:
                original(*args, **kwargs)
        return values


@contextlib.contextmanager
def _restored_module_stack() -> Iterator[None]:
    """Restore a tracer's stack of modules where `_StopError` ends the block inside of them."""
    from torch.fx.experimental.proxy_tensor import get_proxy_mode

    stack = getattr(getattr(get_proxy_mode(), "tracer", None), "module_stack", {})
    before = dict(stack)
    try:
        yield
    except _StopError:
        stack.clear()
        stack.update(before)
        raise


class _StopError(Exception):
    """Every tensor that is needed was computed."""
