"""Emitters of MXNet's reshapes, whose target sizes include codes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits

_CODES: dict[str, dict[int, str]] = {
    "Reshape": {0: "keep", -2: "rest", -3: "merge", -4: "split"},
    "_npx_reshape": {-2: "keep", -3: "drop", -4: "rest", -5: "merge", -6: "split"},
}
"""What a code stands for: the next size, the rest of them, the product of two, …"""

_TAKES = {"rest": 0, "merge": 2}
"""How many sizes a code needs, where that is not one."""


@emits("Reshape")
def reshape(op: MxnetOperation) -> Outputs:
    """Reshape by `shape` with its codes, or by `target_shape` of before 0.9."""
    codes = op.settings.sizes("shape")
    return [_reshape(op, _decoded(op, codes) if codes else _target_shape(op))]


@emits("_npx_reshape")
def numpy_reshape(op: MxnetOperation) -> Outputs:
    """Reshape by `newshape` with its codes."""
    return [_reshape(op, _decoded(op, op.settings.sizes("newshape")))]


@emits("_np_reshape", "_npi_reshape")
def plain_reshape(op: MxnetOperation) -> Outputs:
    """Reshape by `newshape`, of which one size may be -1."""
    return [_reshape(op, op.settings.sizes("newshape"))]


@emits("reshape_like")
def reshape_like(op: MxnetOperation) -> Outputs:
    """The first operand in the second's shape."""
    return [_reshape(op, op.sizes(1))]


def _target_shape(op: MxnetOperation) -> list[int]:
    """The sizes in `target_shape`, of which 0 is inferred; the batch may be kept."""
    sizes = list(op.settings.sizes("target_shape"))
    if not sizes:
        raise op.error("has no `shape`", fix="give it one")
    if op.settings.flag("keep_highest", default=False):
        sizes[0] = op.sizes()[0]
    return [size or -1 for size in sizes]


def _decoded(op: MxnetOperation, codes: Sequence[int]) -> list[int]:
    """Sizes by codes; with the setting `reverse` both shape and codes are read from the right."""
    step = -1 if op.settings.flag("reverse", default=False) else 1
    rest, waiting = list(op.sizes()[::step]), list(codes[::step])
    sizes: list[int] = []
    while waiting:
        code = waiting.pop(0)
        meaning = _CODES[op.kind].get(code, "literal")
        if meaning == "literal":
            sizes.append(code)
            rest = rest[1:]
            continue
        if len(rest) < _TAKES.get(meaning, 1):
            raise _mismatch(op)
        if meaning == "rest":
            sizes, rest = [*sizes, *rest], []
        elif meaning == "merge":
            sizes.append(rest.pop(0) * rest.pop(0))
        elif meaning == "split":
            parts, waiting = waiting[:2], waiting[2:]
            sizes += _split(op, rest.pop(0), parts)
        else:
            size = rest.pop(0)
            sizes += [size] if meaning == "keep" else []
    return sizes[::step]


def _split(op: MxnetOperation, size: int, parts: list[int]) -> list[int]:
    """A size as two factors, of which one may be inferred."""
    known = [part for part in parts if part > 0]
    if len(parts) != 2 or not known or (len(known) == 1 and size % known[0]):
        raise _mismatch(op)
    return [part if part > 0 else size // known[0] for part in parts]


def _reshape(op: MxnetOperation, sizes: Sequence[int]) -> ir.Value:
    """The first operand in other sizes, of which one may be -1."""
    total, known = math.prod(op.sizes()), math.prod(size for size in sizes if size != -1)
    if list(sizes).count(-1) > 1 or min(sizes, default=1) < -1 or known < 1 or total % known:
        raise _mismatch(op)
    shape = tuple(total // known if size == -1 else size for size in sizes)
    if math.prod(shape) != total:
        raise _mismatch(op)
    return op.reshaped(op.input(), shape) if op.is_numpy else op.reshape(op.input(), shape)


def _mismatch(op: MxnetOperation) -> Exception:
    names = [name for name in ("newshape", "shape", "target_shape") if op.settings.has(name)]
    target = op.settings.text(names[0]) if names else "()"
    return op.error(
        f"cannot reshape {as_text(op.shape())} to {target[:100]}",
        fix="check it, or pass --input with the shape that it was made for",
    )
