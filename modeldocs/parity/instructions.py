"""A transfer as plain data: for each stored weight, its recipe and what a converter has to do."""

from __future__ import annotations

from collections.abc import Mapping

from modeldocs.diff import Carried, Weights
from modeldocs.normal import permutations
from modeldocs.parity import arranged
from modeldocs.parity.recipe import ARITHMETIC, Recipe, ordered
from modeldocs.parity.side import Side, Weight
from modeldocs.parity.transfer import Transfer

_SIGNS = {"add": "+", "subtract": "−", "multiply": "·", "divide": "/"}
_PLANES = {3: "W", 4: "HW", 5: "DHW"}
_FLATTENED = {(2, 0, 1): ("H, W, C", "C, H, W"), (1, 2, 0): ("C, H, W", "H, W, C")}


def weights(made: Transfer) -> Weights:
    """How every stored weight of B is made of A's."""
    stored = arranged.stored(made.b, made.made)
    letters = _letters(made.a)
    kinds = {str(value.name): value for value in made.b.model.graph.initializers.values()}
    pairs = _pairs(made)
    carried = []
    for name in sorted(stored, key=list(kinds).index):
        recipe = stored[name]
        told = _words(recipe, letters) if recipe.step.op != "read" else ""
        kind = kinds[name].dtype
        one = Carried(
            target=name,
            pair=pairs.get(name, ((), ())),
            shape=recipe.shape,
            dtype=str(kind.numpy()) if kind is not None else "float32",
            steps=recipe.steps(),
            text=told,
            turned=_is_turned(recipe, letters),
        )
        carried.append(one)
    read = {source for one in carried for source in one.sources}
    return Weights(
        carried=tuple(carried),
        unused=tuple(name for name in arranged.names(made.a) if name not in read),
        unset=tuple(name for name in arranged.names(made.b) if name not in stored),
    )


def _pairs(made: Transfer) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The layers that each stored weight goes between: of all that read a piece of it."""
    found = {name: pair for name, pair in made.pairs.items() if name not in made.b.lifted}
    for name in made.b.lifted:
        if name in made.pairs:
            for source in arranged.roots(made.b, name):
                ours, theirs = found.get(source, ((), ()))
                pair = made.pairs[name]
                found[source] = (_joined(ours, pair[0]), _joined(theirs, pair[1]))
    return found


def _joined(ours: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ours, *more)))


def _letters(side: Side) -> dict[str, str]:
    """The axes of stored weights as porters write them: `OIHW`, `HWIO`, `IO`."""
    made: dict[str, str] = {}
    for held in side.weights.values():
        for weight in held:
            told = _normal_axes(side, weight)
            order = _order(weight)
            if told and order is not None and len(order) == len(told):
                back = permutations.inverse(order)
                made.setdefault(weight.name, "".join(told[axis] for axis in back))
    return made


def _normal_axes(side: Side, weight: Weight) -> str:
    """The axes of a weight in normal order; empty where they have no names."""
    rank, operator = len(weight.shape), side.layers[weight.layer].operator
    if weight.role != "weight" or operator not in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
        return ""
    first = "IO" if operator in ("ConvTranspose", "MatMul") else "OI"
    return first if rank == 2 else first + _PLANES[rank] if rank in _PLANES else ""


def _order(weight: Weight) -> permutations.Permutation | None:
    """What takes a weight's stored axes to normal order; None where they are other axes."""
    order = permutations.identity(len(weight.stored_shape))
    for step in weight.route.steps or ():
        if step.permutation is not None:
            order = permutations.then(order, step.permutation)
        elif step.before != step.after:
            return None
    return tuple(reversed(order)) if weight.turned else order


def _is_turned(recipe: Recipe, letters: Mapping[str, str]) -> bool:
    """Whether a kernel is turned: flipped, or its height and width exchanged."""
    told = _axes(recipe, letters)
    crossed = "H" in told and told.index("W") < told.index("H")
    return crossed or any(one.step.op == "flip" for one in ordered(recipe))


def _axes(one: Recipe, letters: Mapping[str, str]) -> str:
    """The axes of an array as porters write them; empty where they have no names."""
    if one.step.op == "read":
        return letters.get(str(one.step.name), "")
    columns = _columns(one)
    if columns is not None or not one.of:
        return _axes(columns[0], letters) if columns is not None else ""
    told = next((held for part in one.of if (held := _axes(part, letters))), "")
    if one.step.op == "transpose" and told:
        return "".join(told[axis] for axis in one.step.axes or ())
    return told if len(told) == one.ndim and one.step.op != "reshape" else ""


def _words(one: Recipe, letters: Mapping[str, str]) -> str:
    """A recipe in words: the weights that it is made of, and what is done with each."""
    step, op = one.step, one.step.op
    if op == "read":
        return str(step.name)
    if op == "full":
        return _number(one)
    if op == "concatenate":
        return f"[{'; '.join(_words(part, letters) for part in one.of)}]"
    if op in ARITHMETIC:
        return _formula(one, letters)
    columns = _columns(one)
    if columns is not None:
        return _after(columns[0], columns[1], letters)
    return _after(one.of[0], _done(one, letters), letters)


def _after(start: Recipe, told: str, letters: Mapping[str, str]) -> str:
    said = _words(start, letters)
    mark = ": " if start.step.op in ("read", "concatenate", "full", *ARITHMETIC) else ", "
    return f"{said}{mark}{told}"


def _done(one: Recipe, letters: Mapping[str, str]) -> str:
    """What one step does to an array."""
    step = one.step
    if step.op == "transpose" and _axes(one, letters):
        return f"{_axes(one.of[0], letters)} → {_axes(one, letters)}"
    if step.op == "transpose" and one.ndim == 2:
        return "transposed"
    axes = ", ".join(map(str, step.axes or ()))
    shape = "×".join(map(str, one.shape)) or "a number"
    told = {
        "transpose": f"axes ({axes})",
        "flip": f"turned round along {_along(one, letters)}",
        "reshape": f"as {shape}",
        "slice": f"{step.start}:{step.stop}" + (f" of axis {step.axis}" if step.axis else ""),
        "take": f"axis {step.axis} in another order, see the steps",
    }
    return told[step.op]


def _along(one: Recipe, letters: Mapping[str, str]) -> str:
    known, axes = _axes(one, letters), one.step.axes or ()
    if not known and one.ndim in _PLANES:
        known = "OI" + _PLANES[one.ndim]
    return " and ".join(known[axis] if known else f"axis {axis}" for axis in axes)


def _columns(one: Recipe) -> tuple[Recipe, str] | None:
    """What rows or columns are put in another order of, and how, where a recipe does that."""
    if one.step.op != "reshape" or one.of[0].step.op != "transpose":
        return None
    turned = one.of[0]
    inner, axes = turned.of[0], turned.step.axes or ()
    if inner.step.op != "reshape" or inner.of[0].shape != one.shape:
        return None
    if axes[0] == 0 and inner.shape[0] == one.shape[0]:
        return inner.of[0], _order_of(inner.shape[1:], tuple(axis - 1 for axis in axes[1:]))
    parts = inner.ndim - one.ndim + 1
    if inner.shape[parts:] == one.shape[1:] and axes[parts:] == tuple(range(parts, inner.ndim)):
        sizes = _sizes(inner.shape[:parts]), _sizes(turned.shape[:parts])
        return inner.of[0], f"rows {sizes[0]} → {sizes[1]}"
    return None


def _order_of(sizes: tuple[int, ...], order: tuple[int, ...]) -> str:
    if order in _FLATTENED:
        before, after = _FLATTENED[order]
        return f"columns ({before}) → ({after}) of {'×'.join(map(str, sizes))}"
    return f"columns {_sizes(sizes)} → {_sizes(tuple(sizes[axis] for axis in order))}"


def _sizes(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))})"


def _formula(one: Recipe, letters: Mapping[str, str]) -> str:
    if one.step.op == "sqrt":
        return f"sqrt({_words(one.of[0], letters)})"
    left, right = (_term(part, letters) for part in one.of)
    return f"{left} {_SIGNS[one.step.op]} {right}"


def _term(one: Recipe, letters: Mapping[str, str]) -> str:
    """An operand of a formula: what only lies along other axes of it is told as it is."""
    while one.step.op == "reshape":
        one = one.of[0]
    told = _words(one, letters)
    return f"({told})" if one.step.op in _SIGNS or ": " in told else told


def _number(one: Recipe) -> str:
    told = {0.0: "zeros", 1.0: "ones"}
    value = one.constant or 0.0
    return told.get(value, f"{value:g}") if one.shape else f"{value:g}"
