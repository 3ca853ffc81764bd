"""Which parts of a module can be traced, where the data decide what the whole computes.

Detectors are such modules: how many boxes they find is in no shape. What is computed before the
first step of that kind is kept as it is. A module that runs later is kept as far as it can be
traced by itself: on what others gave, where it was given that as it was, and else on an input of
its own. That has one element along the first axis, if that can be: how many there are is in the
data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from modeldocs.loaders.pytorch import refusals
from modeldocs.loaders.pytorch.calls import Call, Key, record, tensors
from modeldocs.loaders.pytorch.lineage import Lineage
from modeldocs.loaders.pytorch.parts import IN, OUT, Later, Parts, Place

if TYPE_CHECKING:
    import torch

_PLAIN = (int, float, complex, bool, str, type(None))


def planned(ran: Call) -> Parts | None:
    """The parts of a module that ran; None where nothing in it needs values, or all of it does."""
    from torch._subclasses import FakeTensorMode

    lineage = Lineage()
    with FakeTensorMode(allow_non_fake_inputs=True) as mode, lineage.watching():
        return _Planner(ran, mode, lineage).made()


class _Planner:
    """Runs a module and those in it on tensors without values, which shows what needs them."""

    def __init__(self, ran: Call, mode: Any, lineage: Lineage) -> None:
        self.ran, self.mode, self.lineage = ran, mode, lineage
        self.real = {call.key: call for call in ran.all()}
        self.parts = Parts()
        self.fakes: dict[Place, torch.Tensor] = {}
        self.places: dict[tuple[int, int], Place] = {}  # by tensor, and how it was by then

    def made(self) -> Parts | None:
        args, kwargs = self._fake((self.ran.args, self.ran.kwargs))
        tried, error = record(self.ran.module, args, kwargs)
        if error is None:
            return None
        self.parts.reason = refusals.reason(error)
        self._keep_begun(tried)
        for call in _unreached(self.ran, tried):
            self._take(call)
        kept = {p: t for p, t in self.fakes.items() if p[0] == IN or self.real[p[1]].learned}
        for place in self.lineage.ends(kept):
            self.parts.outputs[self._label(place)] = place
        return self.parts if any(self.real[p[1]].learned for p in kept) else None

    def _fake(self, value: Any) -> Any:
        import torch
        from torch.utils import _pytree as pytree

        return pytree.tree_map_only(torch.Tensor, self.mode.from_tensor, value)

    def _keep_begun(self, tried: Call) -> None:
        """Keep what came out before the first step that needs values, and what went into that."""
        for call in tried.outermost():
            self._keep(OUT, call.key, call.result)
        begun = [call for call in tried.all() if not call.done and call is not tried]
        self.parts.left_out += [_told(call) for call in begun]
        if begun:
            self._keep(IN, begun[-1].key, (begun[-1].args, begun[-1].kwargs))
        else:
            self.parts.left_out.append(f"the last steps of {type(tried.module).__name__}")

    def _keep(self, side: str, key: Key, fakes: Any) -> None:
        call = self.real[key]
        versions = call.came_out if side == OUT else call.went_in
        held = zip(tensors(fakes), tensors(self._held(side, key)), versions, strict=True)
        for index, (fake, real, version) in enumerate(held):
            place = (side, key, index)
            self.fakes[place] = fake
            self.places[id(real), version] = place

    def _held(self, side: str, key: Key) -> Any:
        call = self.real[key]
        return call.result if side == OUT else (call.args, call.kwargs)

    def _take(self, call: Call) -> None:
        """Keep a call by itself, or else those in it."""
        if call.learned and _is_plain((call.args, call.kwargs)):
            for first in (1, None):
                later, given = self._later(call, first)
                try:
                    result = later.made(self.fakes | given)
                except Exception:  # it needs values, or more elements
                    continue
                if later.apart and call.key[1]:
                    break  # one of many calls of a module is enough where each starts anew
                self.parts.later.append(later)
                self.parts.given |= given
                self._keep(OUT, call.key, result)
                return
        self.parts.left_out.append(_told(call))
        if call.learned:
            for child in call.children:
                self._take(child)

    def _later(self, call: Call, first: int | None) -> tuple[Later, dict[str, torch.Tensor]]:
        """A call by itself and the inputs of its own, of `first` elements if that is given."""
        import torch

        later = Later(call)
        given: dict[str, torch.Tensor] = {}
        name = call.key[0].replace(".", "_") + (f"_{call.key[1]}" if call.key[1] else "")
        for tensor, version in zip(tensors((call.args, call.kwargs)), call.went_in, strict=True):
            place = self.places.get((id(tensor), version))
            if place is not None:
                later.sources.append(place)
                continue
            shape = (first or tensor.shape[0], *tensor.shape[1:]) if tensor.ndim else ()
            own = f"{name}_{len(given)}" if given else name
            later.sources.append(own)
            given[own] = torch.empty(shape, dtype=tensor.dtype)
        return later, given

    def _label(self, place: Place) -> str:
        """A tensor's name: its module, and where it is in what that gave."""
        import torch
        from torch.utils import _pytree as pytree

        side, (path, number), index = place
        leaves = pytree.tree_flatten_with_path(self._held(side, (path, number)))[0]
        steps = [step for step, leaf in leaves if isinstance(leaf, torch.Tensor)][index]
        told = [str(getattr(s, "key", getattr(s, "idx", getattr(s, "name", "")))) for s in steps]
        call = [f"call{number + 1}"] if number else []
        return ".".join([path, *call, *(["in"] if side == IN else []), *told])


def _unreached(ran: Call, tried: Call) -> Iterator[Call]:
    """The outermost calls that were not begun."""
    begun = {call.key: call for call in tried.children}
    for call in ran.children:
        held = begun.get(call.key)
        if held is None:
            yield call
        elif not held.done:
            yield from _unreached(call, held)


def _told(call: Call) -> str:
    told = f"{call.key[0]} ({type(call.module).__name__})"
    return f"parts of {told}" if call.learned else told


def _is_plain(value: Any) -> bool:
    """Whether there are only tensors and plain values in nested containers."""
    import torch
    from torch.utils import _pytree as pytree

    kinds = (torch.Tensor, torch.dtype, torch.device, *_PLAIN)
    return all(isinstance(leaf, kinds) for leaf in pytree.tree_leaves(value))
