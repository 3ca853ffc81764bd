"""Which parts of a module can be traced where its control flow depends on data.

Detectors are such modules: the number of boxes that they find depends on the image. The part
before the first data-dependent step is traced as it is. A module that runs after it is traced
separately where it can be: on tensors of the traced parts where it reads those unchanged, else on
new inputs. A new input has size 1 along its first axis if the module runs on that, since the real
size depends on the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from modeldocs.loaders.pytorch import containers, errors
from modeldocs.loaders.pytorch.partial.calls import Key, ModuleCall, record, tensors
from modeldocs.loaders.pytorch.partial.lineage import Lineage
from modeldocs.loaders.pytorch.partial.parts import IN, OUT, Parts, SeparateCall, TensorRef

if TYPE_CHECKING:
    import torch

_PLAIN = (int, float, complex, bool, str, type(None))


def traceable_parts(real_run: ModuleCall) -> Parts | None:
    """The traceable parts of a module that ran; None where that is all of it, or none with weights.

    `real_run` is a run on real tensors.
    """
    from torch._subclasses import FakeTensorMode

    lineage = Lineage()
    with FakeTensorMode(allow_non_fake_inputs=True) as mode, lineage.recording():
        return _Planner(real_run, mode, lineage).parts_of_run()


class _Planner:
    """Runs a module and those inside of it on fake tensors, which fail where data are needed."""

    def __init__(self, real_run: ModuleCall, mode: Any, lineage: Lineage) -> None:
        self.real_run, self.mode, self.lineage = real_run, mode, lineage
        self.real_calls = {call.key: call for call in real_run.all()}
        self.parts = Parts()
        self.fakes: dict[TensorRef, torch.Tensor] = {}
        self.refs: dict[tuple[int, int], TensorRef] = {}  # by id and version of the real tensor

    def parts_of_run(self) -> Parts | None:
        args, kwargs = self._to_fake((self.real_run.args, self.real_run.kwargs))
        fake_run, error = record(self.real_run.module, args, kwargs)
        if error is None:
            return None
        self.parts.reason = errors.reason(error)
        self._add_computed(fake_run)
        for call in _not_started(self.real_run, fake_run):
            self._add_separately(call)
        candidates = {
            ref: tensor
            for ref, tensor in self.fakes.items()
            if ref[0] == IN or self.real_calls[ref[1]].has_parameters
        }
        for ref in self.lineage.ends(candidates):
            self.parts.outputs[self._output_name(ref)] = ref
        has_weights = any(self.real_calls[ref[1]].has_parameters for ref in candidates)
        return self.parts if has_weights else None

    def _to_fake(self, value: Any) -> Any:
        import torch
        from torch.utils import _pytree as pytree

        return pytree.tree_map_only(torch.Tensor, self.mode.from_tensor, value)

    def _add_computed(self, fake_run: ModuleCall) -> None:
        """Add results before the first data-dependent step, and the arguments of that step."""
        for call in fake_run.completed():
            self._add_tensors(OUT, call.key, call.result)
        unfinished = [call for call in fake_run.all() if not call.done and call is not fake_run]
        self.parts.omitted += [_description(call) for call in unfinished]
        if unfinished:
            innermost = unfinished[-1]
            self._add_tensors(IN, innermost.key, (innermost.args, innermost.kwargs))
        else:
            self.parts.omitted.append(f"the last steps of {type(fake_run.module).__name__}")

    def _add_tensors(self, side: str, key: Key, fakes: Any) -> None:
        call = self.real_calls[key]
        versions = call.output_versions if side == OUT else call.input_versions
        reals = tensors(self._real_value(side, key))
        for index, (fake, real, version) in enumerate(
            zip(tensors(fakes), reals, versions, strict=True)
        ):
            ref = (side, key, index)
            self.fakes[ref] = fake
            self.refs[id(real), version] = ref

    def _real_value(self, side: str, key: Key) -> Any:
        call = self.real_calls[key]
        return call.result if side == OUT else (call.args, call.kwargs)

    def _add_separately(self, call: ModuleCall) -> None:
        """Add a call on its own where it can be traced, else the calls inside of it."""
        if call.has_parameters and _is_plain((call.args, call.kwargs)):
            for first_size in (1, None):
                separate, new_inputs = self._separate(call, first_size)
                try:
                    result = separate.run(self.fakes | new_inputs)
                except Exception:  # it depends on data, or on the size of the first axis
                    continue
                if separate.has_new_inputs and call.key[1]:
                    break  # of several calls of a module on new inputs one is enough
                self.parts.separate.append(separate)
                self.parts.new_inputs |= new_inputs
                self._add_tensors(OUT, call.key, result)
                return
        self.parts.omitted.append(_description(call))
        if call.has_parameters:
            for child in call.children:
                self._add_separately(child)

    def _separate(
        self, call: ModuleCall, first_size: int | None
    ) -> tuple[SeparateCall, dict[str, torch.Tensor]]:
        """A call on its own, and its new inputs, of size `first_size` along axis 0 if given."""
        import torch

        separate = SeparateCall(call)
        new_inputs: dict[str, torch.Tensor] = {}
        path, number = call.key
        name = path.replace(".", "_") + (f"_{number}" if number else "")
        operands = tensors((call.args, call.kwargs))
        for tensor, version in zip(operands, call.input_versions, strict=True):
            ref = self.refs.get((id(tensor), version))
            if ref is not None:
                separate.sources.append(ref)
                continue
            shape = (first_size or tensor.shape[0], *tensor.shape[1:]) if tensor.ndim else ()
            input_name = f"{name}_{len(new_inputs)}" if new_inputs else name
            separate.sources.append(input_name)
            new_inputs[input_name] = torch.empty(shape, dtype=tensor.dtype)
        return separate, new_inputs

    def _output_name(self, ref: TensorRef) -> str:
        """A tensor's name: the path of its module, then its own in that module's result."""
        import torch

        side, (path, number), index = ref
        leaves = containers.paths(self._real_value(side, (path, number)))
        steps = [steps for steps, leaf in leaves if isinstance(leaf, torch.Tensor)][index]
        call = [f"call{number + 1}"] if number else []
        direction = ["in"] if side == IN else []
        return ".".join([path, *call, *direction, *map(str, steps)])


def _not_started(real_run: ModuleCall, fake_run: ModuleCall) -> Iterator[ModuleCall]:
    """The outermost calls of the real run that the fake run did not reach."""
    started = {call.key: call for call in fake_run.children}
    for call in real_run.children:
        fake_call = started.get(call.key)
        if fake_call is None:
            yield call
        elif not fake_call.done:
            yield from _not_started(call, fake_call)


def _description(call: ModuleCall) -> str:
    description = f"{call.key[0]} ({type(call.module).__name__})"
    return f"parts of {description}" if call.has_parameters else description


def _is_plain(value: Any) -> bool:
    """Whether there are only tensors and plain values in nested containers."""
    import torch
    from torch.utils import _pytree as pytree

    kinds = (torch.Tensor, torch.dtype, torch.device, *_PLAIN)
    return all(isinstance(leaf, kinds) for leaf in pytree.tree_leaves(value))
