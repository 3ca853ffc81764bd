"""Settings of a layer, set from text: attributes of ONNX, and what goes by another name."""

from __future__ import annotations

import difflib
from typing import Any, Final

import numpy as np
import onnx
import onnx_ir as ir

from modeldocs.edits import pads
from modeldocs.edits.draft import Draft, refusal
from modeldocs.ir import operators
from modeldocs.ir.operators.operands import role
from modeldocs.normal import values

_FEATURES: Final = {"convolution": "channels", "linear": "units"}
"""What a layer gives of, by its family."""

_LEAST: Final = {"pads": 0, "output_padding": 0, "axis": -8, "axes": -8}
"""The least number of a setting; of others of whole numbers it is 1."""

SWITCHES: Final = (
    "ceil_mode",
    "count_include_pad",
    "is_causal",
    "keepdims",
    "linear_before_reset",
)
"""Settings that are 0 or 1."""


_HIDDEN: Final = (
    "auto_pad", "output_shape", "transA", "transB", "stash_type", "training_mode",
    "num_outputs", "direction", "layout", "activations", "qk_matmul_output_mode", "storage_order",
)  # fmt: skip
"""Attributes that normal form resolves, or that change how many operands a layer has."""


def assign(draft: Draft, node: ir.Node, name: str, text: str) -> None:
    """Give a layer a setting.

    Raises:
        ModeldocsError: it has no such setting, or none of that value.
    """
    if name == "operator":
        _retype(node, text)
    elif name == feature(node):
        draft.features[id(node)] = _whole(node, name, text)[0]
    elif name == "heads" and node.op_type == "Attention":
        for kind in ("q_num_heads", "kv_num_heads"):
            node.attributes[kind] = ir.AttrInt64(kind, _whole(node, name, text)[0])
    elif name in (known := kinds(node)):
        _set(node, name, text, known[name])
    elif (slot := constant_slot(node, name)) is not None:
        _set_operand(draft, node, slot, text)
    else:
        raise _unknown(node, name)
    draft.tell(node, name)


def activations() -> list[str]:
    """Operators of activations that read one tensor, and have their settings as attributes."""
    names = operators.named(family="activation", unary=True)
    return sorted(
        name for name in names if onnx.defs.has(name) and onnx.defs.get_schema(name).max_input == 1
    )


def feature(node: ir.Node) -> str | None:
    """What a layer gives of, by the name of the setting; None where it gives what it reads."""
    has_weight = values.operand(node, operators.weighted_slot(node.op_type) or 1) is not None
    return _FEATURES.get(operators.family(node.op_type)) if has_weight else None


def kinds(node: ir.Node) -> dict[str, Any]:
    """The kinds of the attributes that a layer may have, by their names."""
    found = {name: attribute.type for name, attribute in node.attributes.items()}
    if node.domain in values.DEFAULT_DOMAIN and onnx.defs.has(node.op_type):
        found |= {
            name: ir.AttributeType(int(attribute.type.value))
            for name, attribute in onnx.defs.get_schema(node.op_type).attributes.items()
        }
    return {name: kind for name, kind in found.items() if name not in _HIDDEN}


def _set(node: ir.Node, name: str, text: str, kind: ir.AttributeType) -> None:
    if kind == ir.AttributeType.INT:
        node.attributes[name] = ir.AttrInt64(name, _whole(node, name, text)[0])
    elif kind == ir.AttributeType.INTS:
        count = len(values.attribute(node, "kernel_shape", ())) or 1
        node.attributes[name] = ir.AttrInt64s(name, _spread(node, name, text, count))
    elif kind == ir.AttributeType.FLOAT:
        node.attributes[name] = ir.AttrFloat32(name, _number(node, name, text))
    elif kind == ir.AttributeType.STRING:
        node.attributes[name] = ir.AttrString(name, text)
    else:
        raise refusal(node, f"has a {name!r} that is no number", "edit the source instead")
    if name == "pads":
        pads.forget_strategy(node)


def _spread(node: ir.Node, name: str, text: str, axes: int) -> tuple[int, ...]:
    """Numbers for all axes; one is that of each axis, and pads may be those of both ends."""
    given = _whole(node, name, text)
    wanted = 2 * axes if name == "pads" else axes
    if name == "kernel_shape" or len(given) == wanted:
        return given * axes if len(given) == 1 else given
    if len(given) == 1 or (name == "pads" and len(given) == axes):
        return given * (wanted // len(given))
    return given


def _whole(node: ir.Node, name: str, text: str) -> tuple[int, ...]:
    try:
        given = tuple(int(one) for one in text.split(","))
    except ValueError:
        raise _wrong(node, name, text, "a whole number") from None
    least = 0 if name in SWITCHES else _LEAST.get(name, 1)
    most = 1 if name in SWITCHES else 2**20
    if not all(least <= one <= most for one in given):
        raise _wrong(node, name, text, f"from {least} to {most}")
    return given


def _number(node: ir.Node, name: str, text: str) -> float:
    """A number as ONNX keeps it, in 32 bits."""
    try:
        given = float(np.float32(text))
    except ValueError:
        raise _wrong(node, name, text, "a number") from None
    if name == "ratio" and not 0 <= given < 1:
        raise _wrong(node, name, text, "from 0 to below 1")
    if not np.isfinite(given) or (name == "epsilon" and given <= 0):
        raise _wrong(node, name, text, "a positive number" if name == "epsilon" else "finite")
    return given


def _wrong(node: ir.Node, name: str, text: str, what: str) -> Exception:
    return refusal(node, f"cannot have {name} {text[:50]!r}", f"give {what}")


def constant_slot(node: ir.Node, name: str) -> int | None:
    """The slot of a constant operand of one number that is called so."""
    for slot, value in enumerate(node.inputs):
        constant = values.constant(value)
        if constant is not None and constant.size == 1 and role(node.op_type, slot) == name:
            return slot
    return None


def _set_operand(draft: Draft, node: ir.Node, slot: int, text: str) -> None:
    old = node.inputs[slot]
    array = values.constant(old)
    assert old is not None and array is not None
    number = _number(node, role(node.op_type, slot), text)
    made = draft.builder.constant(np.full(array.shape, number, array.dtype), str(old.name))
    node.replace_input_with(slot, made)


def _retype(node: ir.Node, operator: str) -> None:
    """Make an activation another one, with the settings that are its defaults."""
    own = operators.of(node.op_type)
    if own.family != "activation" or not own.unary:
        raise refusal(node, "is no activation, whose operator could be another", "insert a layer")
    if operator not in activations():
        raise refusal(node, f"cannot be of {operator!r}", f"use one of {', '.join(activations())}")
    node.op_type = operator
    node.attributes.clear()
    node.resize_inputs(1)


def names(node: ir.Node) -> list[str]:
    """The names of all settings of a layer that can be set, but the operator of an activation."""
    slots = [role(node.op_type, slot) for slot in range(len(node.inputs))]
    return [
        *filter(None, [feature(node)]),
        *(["heads"] if node.op_type == "Attention" else []),
        *kinds(node),
        *(name for name in slots if constant_slot(node, name) is not None),
    ]


def _unknown(node: ir.Node, name: str) -> Exception:
    known = names(node)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    told = f"did you mean {close[0]}?" if close else f"set one of {', '.join(sorted(known))}"
    return refusal(node, f"has no setting {name!r}", told if known else "set another layer")
