"""A transfer as plain data: the steps that compute each stored weight of B, and their text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from modeldocs import formatting
from modeldocs.diff import MappedWeight, Weights
from modeldocs.ir import Reshape, Transpose, origin
from modeldocs.normal.data_movement import permutations
from modeldocs.numeric.parity import stored_weights
from modeldocs.numeric.parity.expression import ARITHMETIC, Expression, in_order
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, Weight
from modeldocs.numeric.parity.transfer import Transfer

_CALCULATED = (*ARITHMETIC, "norm", "weight_norm")
_SIGNS = {"add": "+", "subtract": "−", "multiply": "·", "divide": "/"}
_SPATIAL_AXES = {3: "W", 4: "HW", 5: "DHW"}
_FLATTENED = {(2, 0, 1): ("H, W, C", "C, H, W"), (1, 2, 0): ("C, H, W", "H, W, C")}


def report(transfer: Transfer) -> Weights:
    """How every stored weight of B is computed from A's, and which weights are left out."""
    names = stored_weights.names(transfer.a)
    every = stored_weights.stored(transfer.b, transfer.expressions)
    # What is computed of the whole that a layer reads, where that is more than moved elements, is
    # of no weight that a checkpoint has.
    stored = {name: one for name, one in every.items() if set(one.reads()) <= set(names)}
    axis_names = _axis_names(transfer.a)
    initializers = {
        str(value.name): value for value in transfer.b.model.graph.initializers.values()
    }
    pairs = _pairs(transfer)
    mapped = []
    for name in sorted(stored, key=list(initializers).index):
        expression = stored[name]
        text = _text(expression, axis_names) if expression.step.op != "read" else ""
        dtype = initializers[name].dtype
        entry = MappedWeight(
            target=name,
            pair=pairs.get(name, ((), ())),
            shape=expression.shape,
            dtype=str(dtype.numpy()) if dtype is not None else "float32",
            steps=expression.steps(),
            text=text,
            turned=_is_kernel_turned(expression, axis_names) or _is_reordered(expression),
        )
        mapped.append(entry)
        mapped += [
            msgspec.structs.replace(entry, target=alias)
            for alias in origin.aliases(initializers[name])
        ]
    read = {source for entry in mapped for source in entry.sources}
    return Weights(
        mapped=tuple(mapped),
        unused=tuple(name for name in names if name not in read),
        invented=tuple(name for name, one in stored.items() if _is_invented(one)),
        unset=tuple(name for name in stored_weights.names(transfer.b) if name not in stored),
    )


def _is_invented(expression: Expression) -> bool:
    """Whether any element is a number that is not computed of the source's weights."""
    if expression.constant is not None:
        return True
    parts = [_is_invented(part) for part in expression.of]
    return all(parts) and bool(parts) if expression.step.op in ARITHMETIC else any(parts)


def _pairs(transfer: Transfer) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The layers of A and B of each stored weight: of all that read a piece of it."""
    pairs = {name: pair for name, pair in transfer.pairs.items() if name not in transfer.b.composed}
    for name in transfer.b.composed:
        if name in transfer.pairs:
            for source in stored_weights.roots(transfer.b, name):
                ours, theirs = pairs.get(source, ((), ()))
                pair = transfer.pairs[name]
                pairs[source] = (_merged(ours, pair[0]), _merged(theirs, pair[1]))
    return pairs


def _merged(ours: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ours, *more)))


def _axis_names(graph: RunnableGraph) -> dict[str, str]:
    """The axes of stored weights by their usual letters: `OIHW`, `HWIO`, `IO`."""
    axis_names: dict[str, str] = {}
    for parameters in graph.weights.values():
        for weight in parameters:
            axes = _normal_axes(graph, weight)
            order = _axis_order(weight)
            if axes and order is not None and len(order) == len(axes):
                inverse = permutations.inverse(order)
                axis_names.setdefault(weight.name, "".join(axes[axis] for axis in inverse))
    return axis_names


def _normal_axes(graph: RunnableGraph, weight: Weight) -> str:
    """The letters of a weight's axes in normal order; empty where they have none."""
    rank, operator = len(weight.shape), graph.layers[weight.layer].operator
    if weight.role != "weight" or operator not in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
        return ""
    first = "IO" if operator in ("ConvTranspose", "MatMul") else "OI"
    return first if rank == 2 else first + _SPATIAL_AXES[rank] if rank in _SPATIAL_AXES else ""


def _axis_order(weight: Weight) -> permutations.Permutation | None:
    """The permutation from stored to normal order; None where the axes themselves change."""
    order = permutations.identity(len(weight.stored_shape))
    for step in weight.path.steps or ():
        if isinstance(step, Transpose) and step.permutation is not None:
            order = permutations.then(order, step.permutation)
        elif isinstance(step, Reshape) and step.before != step.after:
            return None
    return tuple(reversed(order)) if weight.transposed else order


def _is_kernel_turned(expression: Expression, axis_names: Mapping[str, str]) -> bool:
    """Whether a kernel is flipped, or its height and width are exchanged."""
    axes = _axes(expression, axis_names)
    crossed = "H" in axes and axes.index("W") < axes.index("H")
    return crossed or any(node.step.op == "flip" for node in in_order(expression))


def _is_reordered(expression: Expression) -> bool:
    """Whether the rows of one weight are in another order, which its shape does not show."""
    return any(
        (part.step.op == "concatenate" and _is_crossed(part))
        or (part.step.op == "take" and part.step.axis == 0)
        or _columns(part, "rows") is not None
        for part in in_order(expression)
    )


def _is_crossed(joined: Expression) -> bool:
    """Whether pieces of one array are joined in another order than they have there."""
    last: dict[str | int, int] = {}
    for piece in _pieces(joined, joined.step.axis):
        if piece.step.op == "slice" and piece.step.axis == joined.step.axis:
            array = piece.of[0]
            source, start = array.step.name or id(array), piece.step.start or 0
            if start < last.get(source, 0):
                return True
            last[source] = start
    return False


def _pieces(joined: Expression, axis: int | None) -> Iterator[Expression]:
    """What is joined along an axis, at once or in several steps."""
    for part in joined.of:
        if part.step.op == "concatenate" and part.step.axis == axis:
            yield from _pieces(part, axis)
        else:
            yield part


def _axes(expression: Expression, axis_names: Mapping[str, str]) -> str:
    """The letters of an array's axes; empty where they have none."""
    if expression.step.op == "read":
        return axis_names.get(str(expression.step.name), "")
    columns = _columns(expression)
    if columns is not None or not expression.of:
        return _axes(columns[0], axis_names) if columns is not None else ""
    axes = next((part_axes for part in expression.of if (part_axes := _axes(part, axis_names))), "")
    if expression.step.op == "transpose" and axes:
        return "".join(axes[axis] for axis in expression.step.axes or ())
    return axes if len(axes) == expression.ndim and expression.step.op != "reshape" else ""


def _text(expression: Expression, axis_names: Mapping[str, str]) -> str:
    """An expression as text: the weights that it reads, and what is done to each."""
    step, op = expression.step, expression.step.op
    if op == "read":
        return str(step.name)
    if op == "full":
        return _number_text(expression)
    if op == "concatenate":
        return f"[{'; '.join(_text(part, axis_names) for part in expression.of)}]"
    if op in _CALCULATED:
        return _formula(expression, axis_names)
    columns = _columns(expression)
    if columns is not None:
        return _text_then(columns[0], columns[1], axis_names)
    return _text_then(expression.of[0], _step_text(expression, axis_names), axis_names)


def _text_then(start: Expression, step_text: str, axis_names: Mapping[str, str]) -> str:
    text = _text(start, axis_names)
    mark = ": " if start.step.op in ("read", "concatenate", "full", *_CALCULATED) else ", "
    return f"{text}{mark}{step_text}"


def _step_text(expression: Expression, axis_names: Mapping[str, str]) -> str:
    """What one step does to an array."""
    step = expression.step
    if step.op == "transpose" and _axes(expression, axis_names):
        return f"{_axes(expression.of[0], axis_names)} → {_axes(expression, axis_names)}"
    if step.op == "transpose" and expression.ndim == 2:
        return "transposed"
    axes = ", ".join(map(str, step.axes or ()))
    shape = "×".join(map(str, expression.shape)) or "a number"
    texts = {
        "transpose": f"axes ({axes})",
        "flip": f"turned round along {_along(expression, axis_names)}",
        "reshape": f"as {shape}",
        "slice": f"{step.start}:{step.stop}" + (f" of axis {step.axis}" if step.axis else ""),
        "take": f"axis {step.axis} in another order, see the steps",
    }
    return texts[step.op]


def _along(expression: Expression, axis_names: Mapping[str, str]) -> str:
    """The axes along which an array is flipped."""
    known, axes = _axes(expression, axis_names), expression.step.axes or ()
    if not known and expression.ndim in _SPATIAL_AXES:
        known = "OI" + _SPATIAL_AXES[expression.ndim]
    return " and ".join(known[axis] if known else f"axis {axis}" for axis in axes)


def _columns(expression: Expression, kind: str = "") -> tuple[Expression, str] | None:
    """The array whose rows or columns (or one `kind` of them) an expression permutes, and how."""
    found = _permuted(expression)
    return found if found is not None and found[1].startswith(kind) else None


def _permuted(expression: Expression) -> tuple[Expression, str] | None:
    if expression.step.op != "reshape" or expression.of[0].step.op != "transpose":
        return None
    transposed = expression.of[0]
    inner, axes = transposed.of[0], transposed.step.axes or ()
    if inner.step.op != "reshape" or inner.of[0].shape != expression.shape:
        return None
    if axes[0] == 0 and inner.shape[0] == expression.shape[0]:
        return inner.of[0], _order_of(inner.shape[1:], tuple(axis - 1 for axis in axes[1:]))
    parts = inner.ndim - expression.ndim + 1
    if inner.shape[parts:] == expression.shape[1:] and axes[parts:] == tuple(
        range(parts, inner.ndim)
    ):
        sizes = _sizes(inner.shape[:parts]), _sizes(transposed.shape[:parts])
        return inner.of[0], f"rows {sizes[0]} → {sizes[1]}"
    return None


def _order_of(sizes: tuple[int, ...], order: tuple[int, ...]) -> str:
    """A permutation of columns, by the letters of a flatten or by sizes."""
    if order in _FLATTENED:
        before, after = _FLATTENED[order]
        return f"columns ({before}) → ({after}) of {'×'.join(map(str, sizes))}"
    return f"columns {_sizes(sizes)} → {_sizes(tuple(sizes[axis] for axis in order))}"


def _sizes(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))})"


def _formula(expression: Expression, axis_names: Mapping[str, str]) -> str:
    """A square root, a norm, or two operands with a sign between."""
    if expression.step.op == "norm":
        return f"norm of {_text(expression.of[0], axis_names)}"
    if expression.step.op == "weight_norm":
        direction, length = (_text(part, axis_names) for part in expression.of)
        return f"direction {direction}, norm {length}"
    if expression.step.op == "sqrt":
        return f"sqrt({_text(expression.of[0], axis_names)})"
    left, right = (_term(part, axis_names) for part in expression.of)
    return f"{left} {_SIGNS[expression.step.op]} {right}"


def _term(expression: Expression, axis_names: Mapping[str, str]) -> str:
    """An operand of a formula; a reshape that only aligns its axes is left out."""
    while expression.step.op == "reshape":
        expression = expression.of[0]
    text = _text(expression, axis_names)
    return f"({text})" if expression.step.op in _SIGNS or ": " in text else text


def _number_text(expression: Expression) -> str:
    """An array of one value."""
    names = {0.0: "zeros", 1.0: "ones"}
    value = expression.constant or 0.0
    told = formatting.setting(value)
    return names.get(value, told) if expression.shape else told
