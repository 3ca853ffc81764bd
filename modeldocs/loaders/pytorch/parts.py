"""What is kept of a module that cannot be traced whole, and how it runs."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from modeldocs.loaders import Inputs
from modeldocs.loaders.pytorch.calls import Call, Key, tensors, watched

if TYPE_CHECKING:
    import torch

IN, OUT = "in", "out"
Place = tuple[str, Key, int]
"""A tensor that goes into a call or comes out of it: which of them."""


@dataclass
class Later:
    """A call made by itself: each of its tensors is at a place, or an input by name."""

    call: Call
    sources: list[Place | str] = field(default_factory=list)

    @property
    def apart(self) -> bool:
        """Whether it has inputs of its own."""
        return any(isinstance(source, str) for source in self.sources)

    def made(self, held: dict[Any, torch.Tensor]) -> Any:
        """What the module gives for what is held, by place and by name of the input."""
        import torch
        from torch.utils import _pytree as pytree

        leaves, spec = pytree.tree_flatten((self.call.args, self.call.kwargs))
        given = iter([held[source] for source in self.sources])
        leaves = [next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        args, kwargs = pytree.tree_unflatten(leaves, spec)
        return self.call.module(*args, **kwargs)


@dataclass
class Parts:
    """What is kept: outputs by name, calls made after the module stopped, and their inputs.

    `left_out` tells what is not, and `reason` why.
    """

    outputs: dict[str, Place] = field(default_factory=dict)
    later: list[Later] = field(default_factory=list)
    given: dict[str, torch.Tensor] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    reason: str = ""

    def inputs(self, own: Inputs) -> Inputs:
        """The module's own inputs, and those of the calls that start anew."""
        shapes = {name: tuple(tensor.shape) for name, tensor in self.given.items()}
        dtypes = {n: str(t.dtype).removeprefix("torch.") for n, t in self.given.items()}
        return Inputs(own.shapes | shapes, own.dtypes | dtypes)

    def samples(self) -> dict[str, torch.Tensor]:
        """A tensor for each input of the calls that start anew."""
        import torch

        return {name: torch.zeros(t.shape, dtype=t.dtype) for name, t in self.given.items()}

    @property
    def note(self) -> str:
        """What a reader must know of it, in a sentence."""
        told = f"left out, since {self.reason}: {', '.join(self.left_out)}"
        apart = ", ".join(later.call.key[0] for later in self.later if later.apart)
        return f"{told}; what comes after starts from inputs of its own: {apart}" if apart else told

    def put_into(self, module: torch.nn.Module) -> None:
        """Let a module compute what is kept, and no more."""
        whole = module.forward

        def forward(*args: Any, **kwargs: Any) -> dict[str, torch.Tensor]:
            own = {name: tensor for name, tensor in kwargs.items() if name not in self.given}
            held: dict[Any, Any] = {name: kwargs[name] for name in self.given}
            held |= self._run(module, whole, args, own)
            for later in self.later:
                result = later.made(held)
                held |= {(OUT, later.call.key, i): t for i, t in enumerate(tensors(result))}
            return {name: held[place] for name, place in self.outputs.items()}

        own = inspect.signature(whole).parameters.values()
        kind = inspect.Parameter.KEYWORD_ONLY
        starts = [inspect.Parameter(name, kind) for name in self.given]
        forward.__signature__ = inspect.Signature([*own, *starts])  # type: ignore[attr-defined]
        module.forward = forward

    def _run(
        self, module: torch.nn.Module, whole: Callable[..., Any], args: Any, kwargs: Any
    ) -> dict[Place, torch.Tensor]:
        """Run the module until all that is wanted of it was computed."""
        made = {later.call.key for later in self.later}
        sources = [source for later in self.later for source in later.sources]
        wanted = {p for p in (*self.outputs.values(), *sources) if not isinstance(p, str)}
        wanted = {place for place in wanted if place[1] not in made}
        held: dict[Place, torch.Tensor] = {}

        def keep(side: str, key: Key, value: Any) -> None:
            places = {(side, key, index): t for index, t in enumerate(tensors(value))}
            held.update((place, t) for place, t in places.items() if place in wanted)
            if len(held) == len(wanted):
                raise _StopError

        with (
            watched(
                module,
                lambda key, _, given, named: keep(IN, key, (given, named)),
                lambda key, _, result: keep(OUT, key, result),
            ),
            contextlib.suppress(_StopError),
            _stack_kept(),
        ):
            if wanted:
                whole(*args, **kwargs)
        return held


@contextlib.contextmanager
def _stack_kept() -> Iterator[None]:
    """Let a tracer forget, where an exception ends the block, which modules it is in."""
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
    """All that is wanted was computed."""
