"""Torch's own emitters, collected once a process, and its operators, once an export.

`torch.onnx.export` collects the emitters anew in each call, for 0.4 s of CPU: more than it takes to
load a small network. It asks torch for the names of all operators once for each namespace of them,
some thirty times, for 0.05 s.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from modeldocs.ir.operators import OPSET


def collect() -> None:
    """Collect the emitters, for this process and those that it forks."""
    registry = _registry()
    if registry is not None:
        _collected(registry.from_torchlib, OPSET)


@contextmanager
def collected_once() -> Iterator[None]:
    """Within it, `torch.onnx.export` gets a copy of emitters that were collected before."""
    registry = _registry()
    if registry is None:
        yield
        return
    original, collector = registry.__dict__["from_torchlib"], registry.from_torchlib

    def copied(opset_version: int = OPSET) -> Any:
        collected = _collected(collector, opset_version)
        made = copy.copy(collected)
        made.functions = {name: list(found) for name, found in collected.functions.items()}
        return made

    registry.from_torchlib = staticmethod(copied)
    try:
        yield
    finally:
        registry.from_torchlib = original


@contextmanager
def asked_once() -> Iterator[None]:
    """Within it, torch is asked for its operators once; none may be registered meanwhile."""
    utils = _utils()
    if utils is None:
        yield
        return
    ask = utils._materialize_cpp_cia_ops
    utils._materialize_cpp_cia_ops = functools.cache(ask)
    try:
        yield
    finally:
        utils._materialize_cpp_cia_ops = ask


@functools.cache
def _collected(collector: Any, opset: int) -> Any:
    return collector(opset_version=opset)


def _registry() -> Any:
    """Torch's class of all emitters; None in a version that has no such class, which then loads
    more slowly.
    """
    try:
        from torch.onnx._internal.exporter._registration import ONNXRegistry
    except ImportError:
        return None
    return ONNXRegistry if "from_torchlib" in vars(ONNXRegistry) else None


def _utils() -> Any:
    """Torch's module that asks for operators; None in a version that asks in another way."""
    try:
        from torch._export import utils
    except ImportError:
        return None
    return utils if hasattr(utils, "_materialize_cpp_cia_ops") else None
