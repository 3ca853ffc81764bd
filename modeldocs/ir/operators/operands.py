"""The names of operators' operands: their roles, else what their schemas call them."""

from __future__ import annotations

import functools
import importlib
from typing import Final

import onnx

from modeldocs.ir import operators
from modeldocs.ir.operators.operator import CONTRIBUTED

_OF_QUANTISATION: Final = ("scale", "scales", "zero_point", "zero_points", "absmax")
"""Ends of the names of operands that say what integers stand for; `scale` itself is a norm's."""


def is_quantisation(operator: str, slot: int) -> bool:
    """Whether an operand is a scale or zero point of quantised numbers, and so no parameter."""
    name = role(operator, slot).lower()
    return name != "scale" and name.endswith(_OF_QUANTISATION)


def role(operator: str, slot: int) -> str:
    """Name of an operand: `weight`, `bias`, `scale` …, else its name in the operator's schema."""
    one = operators.of(operator)
    if slot < len(one.roles):
        return one.roles[slot]
    if slot in (one.weight, one.bias):
        return "weight" if slot == one.weight else "bias"
    names = _operands(operator)
    return names[min(slot, len(names) - 1)] if names else f"input_{slot}"


@functools.cache
def _operands(operator: str) -> tuple[str, ...]:
    """Names of an operator's operands by its schema; none where it is not known."""
    if operators.is_contributed(operator):
        return _contributed().get(operator.removeprefix(CONTRIBUTED), ())
    if not onnx.defs.has(operator):
        return ()
    return tuple(str(formal.name) for formal in onnx.defs.get_schema(operator).inputs)


@functools.cache
def _contributed() -> dict[str, tuple[str, ...]]:
    """The operands of onnxruntime's own operators; it is loaded for networks that have some.

    It is loaded by name: what other networks are loaded with does not depend on it.
    """
    runtime = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    schemas = runtime.get_all_operator_schema()
    own = (schema for schema in schemas if schema.domain == "com.microsoft")
    return {schema.name: tuple(formal.name for formal in schema.inputs) for schema in own}
