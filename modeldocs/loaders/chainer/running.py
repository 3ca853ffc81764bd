"""One forward pass of a port, recorded: what it was given, what was applied, what came out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, samples
from modeldocs.loaders.chainer import building, older, reach, stack
from modeldocs.loaders.chainer.passing import Session
from modeldocs.loaders.chainer.tape import Recorder, Tape, Tensor

MAX_INPUT = 2**27


@dataclass(frozen=True)
class Run:
    """A recorded pass. `inputs` and `outputs` are by name; `paths` of the links, by id.

    `notes` tell how the link was called, where that is not plain.
    """

    request: LoadRequest
    link: Any
    tape: Tape
    inputs: dict[str, Tensor]
    outputs: dict[str, Tensor]
    given: dict[str, np.ndarray[Any, Any]]
    got: dict[str, np.ndarray[Any, Any]]
    paths: dict[int, str]
    notes: tuple[str, ...] = ()

    @property
    def named_links(self) -> dict[int, Any]:
        """The model's links by id."""
        return {id(link): link for _, link in self.link.namedlinks()}


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
        try:
            return _run(request, recorder, given, prepare, keep_values=keep_values)
        except ModeldocsError as error:
            raise older.explained(error) from None


def _run(
    request: LoadRequest,
    recorder: Recorder,
    given: Mapping[str, np.ndarray[Any, Any]] | None,
    prepare: Callable[[Any], None] | None,
    *,
    keep_values: bool,
) -> Run:
    built = building.build_link(request)
    link = built.link
    session = Session(request, link, dict(given or _sample(request, built.inputs)), recorder)
    if prepare is not None:
        if not is_whole(link):
            session.forward(keep_values=False)
        prepare(link)
    state = np.random.get_state()
    done = session.forward(keep_values=keep_values)
    held = stored(link)
    reach.check(request, done, held)
    notes = [*built.notes, *([done.way.note] if done.way.note else [])]
    calls = reach.needed(done.tape, done.outputs.values())
    if given is None and reach.constants(calls, held):
        np.random.set_state(state)
        notes += reach.told(request, done, session.other().forward(keep_values=False), held)
    return Run(
        request,
        link,
        done.tape,
        done.inputs,
        done.outputs,
        session.given,
        done.got,
        done.paths,
        tuple(notes),
    )


def stored(link: Any) -> dict[int, tuple[str, bool]]:
    """Name of each array that a link stores, and whether it is trained, by the array's id."""
    found: dict[int, tuple[str, bool]] = {}
    for name, value in persistents(link):
        if isinstance(value, np.ndarray) and value.ndim:
            found[id(value)] = (name, False)
    for path, parameter in link.namedparams():
        if parameter.array is not None:
            found[id(parameter.array)] = (path.strip("/"), True)
    return found


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
                fix=f"give sizes of at least 1, at most {MAX_INPUT:,} values together",
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
            fix="write `float32` or `int32`",
        ) from None
    return asked
