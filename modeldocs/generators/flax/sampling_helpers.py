"""The function of a program that samples images, which JAX has not."""

from __future__ import annotations

from typing import Final

_GRID_SAMPLE: Final = '''
def grid_sample(
    x: jax.Array,
    grid: jax.Array,
    mode: str = "linear",
    align_corners: bool = False,
    padding: str = "zeros",
) -> jax.Array:
    """Values of images at places, x before y, from -1 to 1 across the image.

    What lies outside is zeros, or with the padding "border" the nearest pixel.
    """
    size = jnp.array([x.shape[2], x.shape[1]])
    places = (grid + 1) / 2 * (size - 1) if align_corners else ((grid + 1) * size - 1) / 2
    if padding == "border":
        places = jnp.clip(places, 0, size - 1)
    batch = jnp.arange(len(x))[:, None, None]

    def pixels(corner: jax.Array) -> jax.Array:
        column, row = jnp.moveaxis(jnp.clip(corner, 0, size - 1).astype(int), -1, 0)
        is_inside = ((corner >= 0) & (corner < size)).all(axis=-1, keepdims=True)
        return jnp.where(is_inside, x[batch, row, column], 0)

    if mode == "nearest":
        return pixels(jnp.round(places))
    first = jnp.floor(places)
    corners = [first + jnp.array(step) for step in ((0, 0), (1, 0), (0, 1), (1, 1))]
    shares = [(1 - jnp.abs(places - one)).prod(axis=-1, keepdims=True) for one in corners]
    return sum(share * pixels(one) for share, one in zip(shares, corners))
'''

HELPERS: Final = {"grid_sample": _GRID_SAMPLE.strip()}
"""The code of each helper, by the name that programs call it by."""
