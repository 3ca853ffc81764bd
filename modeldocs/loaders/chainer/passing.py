"""One call of a link, recorded: what it read, what it gave or what its loss was made of."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables
from modeldocs.loaders.chainer import calling
from modeldocs.loaders.chainer.calling import Way
from modeldocs.loaders.chainer.tape import Recorder, Tape, Tensor


@dataclass(frozen=True)
class Pass:
    """What one call of a link left: its inputs, its outputs by name, the tape, paths of links."""

    way: Way
    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]
    got: dict[str, np.ndarray[Any, Any]]
    tape: Tape
    paths: dict[int, str]


@dataclass(frozen=True)
class Session:
    """A link that was built, and what it is run on."""

    request: LoadRequest
    link: Any
    given: dict[str, np.ndarray[Any, Any]]
    recorder: Recorder

    def other(self) -> Session:
        """The same link on the same inputs in another order, and of the other sign."""
        turned = {
            name: np.ascontiguousarray(array[..., ::-1] * (-1 if array.dtype.kind == "f" else 1))
            for name, array in self.given.items()
        }
        return Session(self.request, self.link, turned, self.recorder)

    def forward(self, *, keep_values: bool) -> Pass:
        """A recorded pass, in the first way to call the link that gives an output."""
        ways = calling.ways(self.request, self.link, list(self.given))
        errors = []
        for way in ways.ways:
            try:
                return self._passed(way, keep_values=keep_values)
            except ModeldocsError as error:
                errors.append(error)
        raise errors[ways.told]

    def _passed(self, way: Way, *, keep_values: bool) -> Pass:
        _forget(self.link)
        tape = Tape(keep_values=keep_values)
        variables = _variables(self.given)
        read = {name: tape.made(variable) for name, variable in variables.items()}
        labels = _variables(dict.fromkeys(way.labels, self._label()))
        tape.labelled.update(tape.made(variable).key for variable in labels.values())
        paths = {id(one): path.strip("/") for path, one in self.link.namedlinks()}
        self.recorder.start(tape, paths)
        made = _forward(self.request, way, variables, labels)
        if made is None and not way.labels:
            made = _kept(self.link, tape)
            told = ", ".join(f"self.{name}" for name in made)
            said = f"the call gives nothing back: drawn up to what it keeps as {told}"
            way = replace(way, note="; ".join(filter(None, (way.note, said))))
            made = next(iter(made.values())) if len(made) == 1 else made or None
        outputs, got = self._outputs(way, tape, read, _named(made), made)
        return Pass(way, read, outputs, got, tape, paths)

    def _label(self) -> np.ndarray[Any, Any]:
        """A class for each of the batch."""
        first = next(iter(self.given.values()))
        return np.zeros(first.shape[:1], np.int32)

    def _outputs(
        self,
        way: Way,
        tape: Tape,
        read: Mapping[str, Tensor],
        variables: Mapping[str, Any],
        made: Any,
    ) -> tuple[dict[str, Tensor], dict[str, np.ndarray[Any, Any]]]:
        """Outputs by name, and their values: what came back, or what the loss was made of."""
        if not way.labels:
            if not variables:
                raise _unmade(self.request, made)
            tensors = {
                name: _output(self.request, tape, value) for name, value in variables.items()
            }
            return tensors, {name: np.asarray(value.array) for name, value in variables.items()}
        wide = [
            value for value in variables.values() if _is_labelled(tape, value) and value.size > 1
        ]
        if wide:
            raise _computed_with(self.request, self.link, way, list(self.given))
        found = calling.heads(tape, list(read.values()))
        if not found:
            raise _unmade(self.request, made)
        alone = len(found) == 1
        tensors = {"" if alone else f"output{i}": one for i, one in enumerate(found, 1)}
        return tensors, {name: one.array for name, one in tensors.items() if one.array is not None}


def _variables(given: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    import chainer

    return {name: chainer.Variable(array) for name, array in given.items()}


def _forget(link: Any) -> None:
    """Take what recurrent links remember of an earlier pass.

    Each is asked itself, so that one that fails to ask those within it takes nothing away.
    """
    for one in link.links():
        reset = getattr(one, "reset_state", None)
        if callable(reset):
            with contextlib.suppress(Exception):
                reset()


def _kept(link: Any, tape: Tape) -> dict[str, Any]:
    """What functions made and a link keeps as its own attributes, by name."""
    import chainer

    return {
        name: value
        for name, value in vars(link).items()
        if isinstance(value, chainer.Variable)
        and not isinstance(value, chainer.Parameter)
        and id(value.node) in tape.known
    }


def _forward(
    request: LoadRequest, way: Way, variables: Mapping[str, Any], labels: Mapping[str, Any]
) -> Any:
    names = [parameter.name for parameter in calling.parameters(way.method)]
    by_name = set(variables) <= set(names) and (len(variables) > 1 or labels)
    try:
        if by_name:
            return way.method(**variables, **labels, **way.settings)
        return way.method(*variables.values(), **labels, **way.settings)
    except BaseException as error:
        raise callables.failure(request, error, "running it on a sample input") from None


def _named(made: Any, name: str = "") -> dict[str, Any]:
    """Outputs by name: keys of a dict, numbers in a tuple; "" for the only one."""
    if isinstance(made, dict):
        pairs = [(str(key), value) for key, value in made.items()]
    elif isinstance(made, list | tuple):
        alone = len(made) == 1
        pairs = [("" if alone else f"output{i}", value) for i, value in enumerate(made, 1)]
    else:
        return {name: made} if made is not None else {}
    found: dict[str, Any] = {}
    for key, value in pairs:
        found |= _named(value, f"{name}/{key}".strip("/"))
    return found


def _output(request: LoadRequest, tape: Tape, made: Any) -> Tensor:
    import chainer

    if isinstance(made, chainer.Variable) and id(made.node) in tape.known:
        return tape.read(made)
    raise _unmade(request, made)


def _is_labelled(tape: Tape, value: Any) -> bool:
    import chainer

    return isinstance(value, chainer.Variable) and id(value.node) in tape.labelled


def _computed_with(
    request: LoadRequest, link: Any, way: Way, names: Sequence[str]
) -> ModeldocsError:
    """What it takes for labels makes more than a loss: it is an input."""
    wanted = " and ".join(way.labels)
    return ModeldocsError(
        f"{type(link).__name__} computes its output with {wanted}, of which no shape is given",
        file=request.source,
        fix="pass " + " ".join(f"--input {name}=SHAPE" for name in (*names, *way.labels)),
    )


def _unmade(request: LoadRequest, made: Any) -> ModeldocsError:
    return ModeldocsError(
        f"its output ({type(made).__name__}) was not made of its input by chainer's functions",
        file=request.source,
        fix="return the Variable that the last function gave, not its array",
    )
