"""Random numbers that are the same for a name on every machine."""

from __future__ import annotations

import zlib

import numpy as np

TOKENS = 100
"""Integer inputs are below this, unless less is asked for: most vocabularies have as many words."""


def seeded(name: str) -> np.random.Generator:
    """A generator that is seeded by a name."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def sample(
    name: str, shape: tuple[int, ...], dtype: str = "float32", *, below: int = TOKENS
) -> np.ndarray:
    """An input: standard normal floats, integers below a bound, or True."""
    if dtype.startswith(("int", "uint")):
        return seeded(name).integers(0, below, shape).astype(dtype)
    if dtype == "bool":
        return np.ones(shape, dtype=bool)
    return seeded(name).standard_normal(shape, dtype=np.float32).astype(dtype)
