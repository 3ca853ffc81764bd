"""Small functions of places that a program has where JAX has nothing of the kind."""

from __future__ import annotations

from typing import Final

_TOP_K: Final = '''
def top_k(
    x: jax.Array, k: int, axis: int = -1, largest: bool = True
) -> tuple[jax.Array, jax.Array]:
    """The k largest or smallest values and their places; of equal values the first ones."""
    places = jnp.argsort(x, axis=axis, descending=largest)
    places = jax.lax.slice_in_dim(places, 0, k, axis=axis)
    return jnp.take_along_axis(x, places, axis=axis), places
'''

_GATHER_ND: Final = '''
def gather_nd(x: jax.Array, indices: jax.Array, batch_dims: int) -> jax.Array:
    """For each item of the batch, parts at places whose coordinates are the last axis."""
    if batch_dims:
        return jax.vmap(gather_nd, in_axes=(0, 0, None))(x, indices, batch_dims - 1)
    return x[tuple(jnp.moveaxis(indices, -1, 0))]
'''

_PLACES: Final = '''
def places_along(indices: jax.Array, axis: int) -> tuple[jax.Array, ...]:
    """The coordinates of single elements, which `indices` gives along an axis."""
    places = list(jnp.indices(indices.shape, sparse=True))
    places[axis] = indices
    return tuple(places)
'''

HELPERS: Final = {
    "gather_nd": _GATHER_ND.strip(),
    "places_along": _PLACES.strip(),
    "top_k": _TOP_K.strip(),
}
"""The code of each helper, by the name that programs call it by."""
