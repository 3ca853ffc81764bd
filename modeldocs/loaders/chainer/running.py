"""One forward pass of a port, recorded: what it was given, what was applied, what came out."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, callables, samples
from modeldocs.loaders.chainer import building, stack
from modeldocs.loaders.chainer.tape import Recorder, Tape, Tensor

MAX_INPUT = 2**27


@dataclass(frozen=True)
class Run:
    """A recorded pass. `inputs` and `outputs` are by name; `paths` of the links, by id."""

    request: LoadRequest
    link: Any
    tape: Tape
    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]
    given: dict[str, np.ndarray[Any, Any]]
    got: dict[str, np.ndarray[Any, Any]]
    paths: dict[int, str]

    @property
    def named_links(self) -> dict[int, Any]:
        """The model's links by id."""
        return {id(link): link for _, link in self.link.namedlinks()}


@dataclass(frozen=True)
class Session:
    """A link that was built, and what it is run on."""

    request: LoadRequest
    link: Any
    given: dict[str, np.ndarray[Any, Any]]
    recorder: Recorder

    def forward(self, *, keep_values: bool) -> tuple[dict[str, Tensor], Any, Tape, dict[int, str]]:
        """A recorded pass: its inputs, what it gave back, the tape, and the links' paths by id."""
        _forget(self.link)
        tape = Tape(keep_values=keep_values)
        variables = _variables(self.given)
        read = {name: tape.made(variable) for name, variable in variables.items()}
        paths = {id(one): path.strip("/") for path, one in self.link.namedlinks()}
        self.recorder.start(tape, paths)
        return read, _forward(self.request, self.link, variables), tape, paths


def run(
    request: LoadRequest,
    *,
    given: Mapping[str, np.ndarray[Any, Any]] | None = None,
    prepare: Callable[[Any], None] | None = None,
    keep_values: bool = False,
) -> Run:
    """Build the port's link, and run it in test mode on sample inputs, or on those that are given.

    `prepare` may give the link's parameters other values, which all have their shapes then.
    `keep_values` keeps what each function made.

    Raises:
        ModeldocsError: the port raises, or does not give back what functions made of its input.
    """
    import chainer

    with (
        Recorder(stack.PortFiles(request)) as recorder,
        chainer.using_config("train", False),
        chainer.using_config("enable_backprop", False),
    ):
        link, shapes = building.build_link(request)
        session = Session(request, link, dict(given or _sample(request, shapes)), recorder)
        if prepare is not None:
            if not is_whole(link):
                session.forward(keep_values=False)
            prepare(link)
        read, made, tape, paths = session.forward(keep_values=keep_values)
    variables = _named(made)
    if not variables:
        raise _unmade(request, made)
    outputs = {name: _output(request, tape, value) for name, value in variables.items()}
    got = {name: np.asarray(value.array) for name, value in variables.items()}
    return Run(request, link, tape, read, outputs, session.given, got, paths)


def is_whole(link: Any) -> bool:
    """Whether every parameter and statistic of a link has its shape."""
    parameters = all(parameter.array is not None for parameter in link.params())
    return parameters and all(value is not None for _, value in persistents(link))


def persistents(link: Any) -> list[tuple[str, Any]]:
    """What a link stores beside its parameters (running statistics, counts), by path."""
    return [
        (f"{path.strip('/')}/{name}".strip("/"), vars(one).get(name))
        for path, one in sorted(link.namedlinks(), key=lambda item: str(item[0]))
        for name in sorted(one._persistent)
    ]


def _sample(
    request: LoadRequest, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, np.ndarray[Any, Any]]:
    made = {}
    for name, shape in shapes.items():
        if not all(size >= 1 for size in shape) or math.prod(shape) > MAX_INPUT:
            raise ModeldocsError(
                f"the input {name!r} cannot have the shape {tuple(shape)}",
                file=request.source,
                mend=f"give sizes of at least 1, at most {MAX_INPUT:,} values together",
            )
        made[name or "x"] = samples.sample(name, shape, _dtype(request, name))
    return made


def _dtype(request: LoadRequest, name: str) -> str:
    """Chainer's own integers are int32."""
    asked = request.dtypes.get(name, request.dtypes.get("", "float32"))
    try:
        np.dtype(asked)
    except TypeError:
        raise ModeldocsError(
            f"the input {name!r} has an unknown dtype {asked!r}",
            file=request.source,
            mend="write `float32` or `int32`",
        ) from None
    return asked


def _variables(given: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    import chainer

    return {name: chainer.Variable(array) for name, array in given.items()}


def _forget(link: Any) -> None:
    """Take what recurrent links remember of an earlier pass."""
    for one in link.links():
        reset = getattr(one, "reset_state", None)
        if callable(reset):
            reset()


def _forward(request: LoadRequest, link: Any, variables: Mapping[str, Any]) -> Any:
    try:
        if len(variables) > 1 and _takes(link, variables):
            return link(**variables)
        return link(*variables.values())
    except BaseException as error:
        raise callables.failure(request, error, "running it on a sample input") from None


def _takes(link: Any, variables: Mapping[str, Any]) -> bool:
    """Whether a link's forward has arguments of these names."""
    forward = getattr(link, "forward", None) or link.__call__
    own = type(link).__dict__.get("__call__")
    try:
        return set(variables) <= set(inspect.signature(own or forward).parameters)
    except (TypeError, ValueError):
        return False


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


def _unmade(request: LoadRequest, made: Any) -> ModeldocsError:
    return ModeldocsError(
        f"its output ({type(made).__name__}) was not made of its input by chainer's functions",
        file=request.source,
        mend="return the Variable that the last function gave, not its array",
    )
