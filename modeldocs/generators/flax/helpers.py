"""Small functions that a program has where JAX has nothing of the kind."""

from __future__ import annotations

from typing import Final

from modeldocs.generators import heads, resampling
from modeldocs.generators.flax import cells, indexing_helpers, sampling_helpers, spectra_helpers

_LOCAL_RESPONSE: Final = '''
def local_response_norm(
    x: jax.Array, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> jax.Array:
    """Divide images by a power of the mean square of neighbouring channels."""
    window = (1,) * (x.ndim - 1) + (size,)
    total = jax.lax.reduce_window(
        jnp.square(x), 0.0, jax.lax.add, window, (1,) * x.ndim, "SAME"
    )
    return x / (k + alpha / size * total) ** beta
'''

_DEPTH: Final = '''
def depth_to_space(x: jax.Array, factor: int) -> jax.Array:
    """Make blocks of an image of its channels: the place in a block counts first."""
    batch, height, width, channels = x.shape
    x = x.reshape(batch, height, width, factor, factor, channels // factor**2)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(batch, height * factor, width * factor, -1)
'''

_TO_DEPTH: Final = '''
def space_to_depth(x: jax.Array, factor: int) -> jax.Array:
    """Make channels of the blocks of an image: the place in a block counts first."""
    batch, height, width, channels = x.shape
    x = x.reshape(batch, height // factor, factor, width // factor, factor, channels)
    x = x.transpose(0, 1, 3, 2, 4, 5)
    return x.reshape(batch, height // factor, width // factor, -1)
'''

_SHUFFLE: Final = '''
def pixel_shuffle(x: jax.Array, factor: int) -> jax.Array:
    """Make blocks of an image of its channels: the place in a block counts last."""
    batch, height, width, channels = x.shape
    x = x.reshape(batch, height, width, channels // factor**2, factor, factor)
    return x.transpose(0, 1, 4, 2, 5, 3).reshape(batch, height * factor, width * factor, -1)
'''

_ROTARY: Final = '''
def rotary_angles(
    length: int, speeds: int, base: float = 10000.0, first: int = 0
) -> jax.Array:
    """Angles of positions, length x speeds: each speed by the same factor less than the last."""
    positions = jnp.arange(first, first + length)
    return jnp.outer(positions, base ** (-jnp.arange(speeds) / speeds))
'''

_GRID: Final = '''
def grid_numbers(
    sizes: tuple[int, ...], steps: tuple[int, ...], first: int = 0
) -> jax.Array:
    """Integers that start at `first` and grow by a step along each axis."""
    axes = [jnp.arange(size) * step for size, step in zip(sizes, steps)]
    return first + sum(jnp.meshgrid(*axes, indexing="ij"))
'''

_WINDOWS: Final = '''
def parts_of_shifted_windows(
    image: tuple[int, int], window: tuple[int, int], shift: tuple[int, int]
) -> jax.Array:
    """By window of a rolled image: which of its tokens come from parts that are apart."""

    def parts(axis: int) -> jax.Array:
        places = jnp.arange(image[axis])
        borders = (places >= image[axis] - window[axis], places >= image[axis] - shift[axis])
        return sum(border.astype(int) for border in borders).reshape(-1, window[axis])

    rows, columns = parts(0), parts(1)
    labels = 3 * rows[:, None, :, None] + columns[:, None]
    labels = labels.reshape(-1, window[0] * window[1])
    return labels[:, :, None] != labels[:, None, :]
'''

HELPERS: Final = (
    cells.HELPERS
    | indexing_helpers.HELPERS
    | sampling_helpers.HELPERS
    | spectra_helpers.HELPERS
    | {
        "attention_of_heads": heads.helper("jnp", "jax.Array", "jax.nn.softmax"),
        "depth_to_space": _DEPTH.strip(),
        "grid_numbers": _GRID.strip(),
        "local_response_norm": _LOCAL_RESPONSE.strip(),
        "pixel_shuffle": _SHUFFLE.strip(),
        "resampled": resampling.helper("jnp", "jax.Array"),
        "parts_of_shifted_windows": _WINDOWS.strip(),
        "rotary_angles": _ROTARY.strip(),
        "space_to_depth": _TO_DEPTH.strip(),
    }
)
"""The code of each helper, by the name that programs call it by."""
