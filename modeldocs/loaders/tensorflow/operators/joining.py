"""Tensors joined, cut, stacked and repeated."""

from __future__ import annotations

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits


@emits("ConcatV2", "Concat")
def concat(emission: Emission) -> Results:
    """Concat; the axis is the last operand, in the older operator the first."""
    count = len(emission.operation.inputs)
    last = emission.operation.kind == "ConcatV2"
    axis = emission.numbers(count - 1 if last else 0)[0]
    slots = range(count - 1) if last else range(1, count)
    return emission.result(
        "Concat", [emission.value(slot) for slot in slots], axis=_checked(axis, emission)
    )


def _checked(axis: int, emission: Emission, more: int = 0) -> int:
    rank = len(emission.made_shape()) + more
    if not -rank <= axis < rank:
        raise UnsupportedError(f"names the axis {axis} of {rank}")
    return axis % rank


@emits("Split", "SplitV")
def split(emission: Emission) -> Results:
    """Split into equal parts, or into parts of given sizes."""
    even = emission.operation.kind == "Split"
    axis = _checked(emission.numbers(0 if even else 2)[0], emission)
    count = emission.drawing.typed.count(emission.name)
    sizes = [emission.made_shape(output)[axis] for output in range(count)]
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) != count:
        raise UnsupportedError("has parts of which the sizes are not known")
    return cutting.split(emission, emission.value(1 if even else 0), known, axis)


@emits("IdentityN")
def passed_on(emission: Emission) -> Results:
    """Identity of each: what a function with a gradient of its own leaves of itself."""
    return [emission.node("Identity", [value]) for index, value in enumerate(emission.values())]


@emits("Unpack")
def unpack(emission: Emission) -> Results:
    """Split into parts of one, and Squeeze of each."""
    count = emission.drawing.typed.count(emission.name)
    axis = _checked(int(emission.attribute("axis", 0)), emission, more=1)
    parts = emission.node_of_several(
        "Split", [emission.value(0)], count, axis=axis, num_outputs=count
    )
    return [emission.squeeze(part, [axis]) for part in parts]


@emits("Pack")
def pack(emission: Emission) -> Results:
    """Unsqueeze of each, and Concat."""
    axis = _checked(int(emission.attribute("axis", 0)), emission)
    parts = [emission.unsqueeze(value, [axis]) for value in emission.values()]
    return emission.result("Concat", parts, axis=axis)


@emits("Tile")
def tile(emission: Emission) -> Results:
    """Tile, the number of copies along each axis."""
    return emission.result("Tile", [emission.value(0), emission.shape_operand(1)])


@emits("BroadcastTo")
def broadcast(emission: Emission) -> Results:
    """Expand to a shape."""
    return emission.result("Expand", [emission.value(0), emission.shape_operand(1)])


@emits("Fill")
def fill(emission: Emission) -> Results:
    """Expand of one number to a shape."""
    return emission.result("Expand", [emission.value(1), emission.shape_operand(0)])


@emits("ZerosLike", "OnesLike")
def filled_like(emission: Emission) -> Results:
    """One number in a tensor's shape."""
    number = float(emission.operation.kind == "OnesLike")
    like = emission.constant(number, emission.made_dtype())
    shape = emission.node("Shape", [emission.value(0)])
    return emission.result("Expand", [like, shape])


@emits("Range")
def numbers_between(emission: Emission) -> Results:
    """Numbers from one on, below another."""
    return emission.result("Range", emission.values())
