"""Random numbers that are the same for a name on every machine."""

from __future__ import annotations

import zlib

import numpy as np

TOKENS = 100
"""Integer inputs are below this: every vocabulary has as many words."""


def seeded(name: str) -> np.random.Generator:
    """A generator that is seeded by a name."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def sample(name: str, shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    """An input: standard normal floats, integers below `TOKENS`, or True."""
    if dtype.startswith(("int", "uint")):
        return seeded(name).integers(0, TOKENS, shape).astype(dtype)
    if dtype == "bool":
        return np.ones(shape, dtype=bool)
    return seeded(name).standard_normal(shape, dtype=np.float32).astype(dtype)
