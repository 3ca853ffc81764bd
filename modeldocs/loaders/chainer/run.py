"""A port built, and one recorded forward pass of it in test mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.chainer import constants, inputs, source, version1, weights
from modeldocs.loaders.chainer.forward_pass import ForwardPass, LinkSession
from modeldocs.loaders.chainer.program import Array
from modeldocs.loaders.chainer.provenance import PortFiles
from modeldocs.loaders.chainer.recorder import CallRecorder


@dataclass(frozen=True)
class RecordedRun:
    """A recorded pass of a port's link, and notes on how it was called."""

    request: LoadRequest
    link: Any
    forward: ForwardPass
    notes: tuple[str, ...] = ()


def run(
    request: LoadRequest,
    *,
    arrays: Mapping[str, Array] | None = None,
    prepare: Callable[[Any], None] | None = None,
    keep_values: bool = False,
) -> RecordedRun:
    """Build a port's link, and run it in test mode on sample inputs, or on `arrays`.

    `prepare` is called with the link once all of its parameters have their shapes. With
    `keep_values` the outputs of all functions are kept.

    Raises:
        ModeldocsError: the port raises, or its output does not depend on its input.
    """
    import chainer

    with (
        CallRecorder(PortFiles(request)) as recorder,
        chainer.using_config("train", False),
        chainer.using_config("enable_backprop", False),
    ):
        try:
            return _run(request, recorder, arrays, prepare, keep_values=keep_values)
        except ModeldocsError as error:
            raise version1.explained(error) from None


def _run(
    request: LoadRequest,
    recorder: CallRecorder,
    arrays: Mapping[str, Array] | None,
    prepare: Callable[[Any], None] | None,
    *,
    keep_values: bool,
) -> RecordedRun:
    port = source.build(request)
    link = port.link
    shapes = inputs.shapes(request, port)
    session = LinkSession(request, link, dict(arrays or inputs.sample(request, shapes)), recorder)
    if prepare is not None:
        if not weights.is_initialized(link):
            session.forward(keep_values=False)
        prepare(link)
    random_state = np.random.get_state()
    forward = session.forward(keep_values=keep_values)
    stored = weights.stored(link)
    constants.check_dependence(request, forward, stored)
    notes = [*port.notes, *filter(None, [forward.invocation.note])]
    calls = forward.tape.needed(forward.outputs.values())
    if arrays is None and constants.read_by(calls, stored):
        np.random.set_state(random_state)
        other = session.with_other_inputs().forward(keep_values=False)
        notes += constants.notes(request, forward, other, stored)
    return RecordedRun(request, link, forward, tuple(notes))
