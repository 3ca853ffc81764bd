"""One call of a link, recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.chainer.invocation import Invocation, invocations
from modeldocs.loaders.chainer.program import Array, Tape, Tensor
from modeldocs.loaders.chainer.recorder import CallRecorder
from modeldocs.loaders.python_source import callables, port_errors


@dataclass(frozen=True)
class ForwardPass:
    """A recorded call: inputs and outputs by name, values of the outputs, and the tape.

    `paths` are those of the model's links, by id.
    """

    invocation: Invocation
    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]
    values: dict[str, Array]
    tape: Tape
    paths: dict[int, str]


@dataclass(frozen=True)
class LinkSession:
    """A link, and the arrays it is called on."""

    request: LoadRequest
    link: Any
    inputs: dict[str, Array]
    recorder: CallRecorder

    def with_other_inputs(self) -> LinkSession:
        """The same link on its inputs reversed along the last axis and negated."""
        inputs = {
            name: np.ascontiguousarray(array[..., ::-1] * (-1 if array.dtype.kind == "f" else 1))
            for name, array in self.inputs.items()
        }
        return replace(self, inputs=inputs)

    def forward(self, *, keep_values: bool) -> ForwardPass:
        """A recorded pass, by the first way to call the link that gives an output.

        Raises:
            ModeldocsError: none does.
        """
        errors = []
        for invocation in invocations(self.request, self.link, list(self.inputs)):
            try:
                return self._call(invocation, keep_values=keep_values)
            except ModeldocsError as error:
                errors.append(error)
        raise errors[-1]

    def _call(self, invocation: Invocation, *, keep_values: bool) -> ForwardPass:
        _reset_states(self.link)
        tape = Tape(keep_values=keep_values)
        variables = _variables(self.inputs)
        inputs = {name: tape.add(variable) for name, variable in variables.items()}
        batch = next(iter(self.inputs.values())).shape[:1]
        labels = _variables(dict.fromkeys(invocation.labels, np.zeros(batch, np.int32)))
        tape.labelled.update(tape.add(variable).key for variable in labels.values())
        paths = {id(link): path.strip("/") for path, link in self.link.namedlinks()}
        self.recorder.start(tape, paths)
        result = _run(self.request, invocation, variables, labels)
        if result is None and not invocation.labels:
            result = _attributes(self.link, tape)
            names = ", ".join(f"self.{name}" for name in result)
            note = f"the call returns nothing: drawn up to what it stores as {names}"
            note = "; ".join(filter(None, (invocation.note, note)))
            invocation = replace(invocation, note=note)
            result = next(iter(result.values())) if len(result) == 1 else result or None
        if invocation.labels:
            outputs, values = self._loss_operands(invocation, tape, inputs, result)
        else:
            outputs, values = self._results(tape, result)
        return ForwardPass(invocation, inputs, outputs, values, tape, paths)

    def _results(self, tape: Tape, result: Any) -> tuple[dict[str, Tensor], dict[str, Array]]:
        """The tensors that a call returned, and their values, by name."""
        variables = _named(result)
        if not variables:
            raise self._not_computed(result)
        tensors = {}
        for name, variable in variables.items():
            if not _is_variable(variable, tape.known):
                raise self._not_computed(variable)
            tensors[name] = tape.read(variable)
        return tensors, {name: np.asarray(value.array) for name, value in variables.items()}

    def _loss_operands(
        self, invocation: Invocation, tape: Tape, inputs: Mapping[str, Tensor], result: Any
    ) -> tuple[dict[str, Tensor], dict[str, Array]]:
        """The tensors that a loss is computed from, and their values, by name."""
        returned = _named(result).values()
        if any(_is_variable(value, tape.labelled) and value.size > 1 for value in returned):
            raise self._needs_labels(invocation)
        compared = tape.compared_with_labels(list(inputs.values()))
        if not compared:
            raise self._not_computed(result)
        is_single = len(compared) == 1
        tensors = {
            "" if is_single else f"output{i}": tensor for i, tensor in enumerate(compared, 1)
        }
        return tensors, {name: t.array for name, t in tensors.items() if t.array is not None}

    def _needs_labels(self, invocation: Invocation) -> ModeldocsError:
        """The error of a link whose presumed labels determine more than a loss."""
        names = (*self.inputs, *invocation.labels)
        return ModeldocsError(
            f"{type(self.link).__name__} computes its output with "
            f"{' and '.join(invocation.labels)}, of which no shape is given",
            file=self.request.source,
            fix="pass " + " ".join(f"--input {name}=SHAPE" for name in names),
        )

    def _not_computed(self, result: Any) -> ModeldocsError:
        return ModeldocsError(
            f"its output ({type(result).__name__}) was not computed from its input by chainer's "
            "functions",
            file=self.request.source,
            fix="return the Variable that the last function returned, not its array",
        )


def _variables(arrays: Mapping[str, Array]) -> dict[str, Any]:
    import chainer

    return {name: chainer.Variable(array) for name, array in arrays.items()}


def _reset_states(link: Any) -> None:
    """Reset the states of recurrent links.

    Each link is reset by itself, as one whose own method fails would not reset those inside it.
    """
    for child in link.links():
        reset = getattr(child, "reset_state", None)
        if callable(reset):
            with contextlib.suppress(Exception):
                reset()


def _attributes(link: Any, tape: Tape) -> dict[str, Any]:
    """The computed variables that a link keeps as its own attributes, by name."""
    import chainer

    return {
        name: value
        for name, value in vars(link).items()
        if not isinstance(value, chainer.Parameter) and _is_variable(value, tape.known)
    }


def _run(
    request: LoadRequest,
    invocation: Invocation,
    variables: Mapping[str, Any],
    labels: Mapping[str, Any],
) -> Any:
    method, settings = invocation.method, invocation.settings
    names = [parameter.name for parameter in callables.parameters(method)]
    by_name = set(variables) <= set(names) and (len(variables) > 1 or labels)
    with port_errors.located(request, "running it on a sample input"):
        if by_name:
            return method(**variables, **labels, **settings)
        return method(*variables.values(), **labels, **settings)


def _named(result: Any, prefix: str = "") -> dict[str, Any]:
    """Outputs by name: keys of a dict, numbers in a tuple, "" for the only one."""
    if isinstance(result, dict):
        pairs = [(str(key), value) for key, value in result.items()]
    elif isinstance(result, list | tuple):
        is_single = len(result) == 1
        pairs = [("" if is_single else f"output{i}", value) for i, value in enumerate(result, 1)]
    else:
        return {prefix: result} if result is not None else {}
    outputs: dict[str, Any] = {}
    for key, value in pairs:
        outputs |= _named(value, f"{prefix}/{key}".strip("/"))
    return outputs


def _is_variable(value: Any, keys: Collection[int]) -> bool:
    """Whether a value is a variable with one of these keys."""
    import chainer

    return isinstance(value, chainer.Variable) and id(value.node) in keys
