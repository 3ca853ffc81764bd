"""Small functions of signals that a program has where JAX has nothing of the kind."""

from __future__ import annotations

from typing import Final

_PARTS: Final = '''
def real_parts(x: jax.Array) -> jax.Array:
    """Real and imaginary parts along a last axis."""
    return jnp.stack([x.real, x.imag], axis=-1)
'''

_FRAMES: Final = '''
def frames(x: jax.Array, length: int, step: int) -> jax.Array:
    """Overlapping parts of signals, batch x frames x length."""
    first = jnp.arange(0, x.shape[1] - length + 1, step)
    return x[:, first[:, None] + jnp.arange(length)]
'''

HELPERS: Final = {"frames": _FRAMES.strip(), "real_parts": _PARTS.strip()}
"""The code of each helper, by the name that programs call it by."""
