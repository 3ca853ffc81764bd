"""Small functions of places that a program has where Keras has nothing of the kind."""

from __future__ import annotations

from typing import Final

_SMALLEST: Final = '''
def smallest(x: KerasTensor, k: int) -> tuple[KerasTensor, KerasTensor]:
    """The k smallest values along the last axis, and their places."""
    values, places = ops.top_k(-x, k)
    return -values, places
'''

_GATHER_ND: Final = '''
def gather_nd(x: KerasTensor, indices: KerasTensor, batch_dims: int = 0) -> KerasTensor:
    """For each item of the batch, parts at places whose coordinates are the last axis."""
    end = batch_dims + indices.shape[-1]
    sizes, rest = x.shape[batch_dims:end], x.shape[end:]
    place = indices[..., 0]
    for axis, size in enumerate(sizes[1:], 1):
        place = place * size + indices[..., axis] % size
    if not batch_dims:
        return ops.take(ops.reshape(x, (-1, *rest)), place, axis=0)
    parts = ops.reshape(x, (-1, math.prod(sizes), math.prod(rest)))
    own = ops.reshape(place, (-1, math.prod(place.shape[batch_dims:]), 1))
    found = ops.take_along_axis(parts, own, axis=1)
    return ops.reshape(found, (-1, *place.shape[1:], *rest))
'''

_PLACES: Final = '''
def places_along(indices: KerasTensor, axis: int) -> KerasTensor:
    """The coordinates of single elements, which `indices` gives along an axis."""
    ones = ops.ones_like(indices)
    places = [ops.cumsum(ones, axis=one) - 1 for one in range(len(indices.shape))]
    places[axis] = indices
    return ops.stack(places, axis=-1)
'''

HELPERS: Final = {
    "gather_nd": _GATHER_ND.strip(),
    "places_along": _PLACES.strip(),
    "smallest": _SMALLEST.strip(),
}
"""The code of each helper, by the name that programs call it by."""
