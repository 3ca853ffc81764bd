"""Sample inputs: the same for a name on every machine."""

from __future__ import annotations

import zlib

import numpy as np

TOKENS = 100
"""Integer inputs are drawn below this: every vocabulary has as many."""


def sample(name: str, shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    """An input: standard normal, or integers below `TOKENS`."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    if dtype.startswith(("int", "uint")):
        return random.integers(0, TOKENS, shape).astype(dtype)
    if dtype == "bool":
        return np.ones(shape, dtype=bool)
    return random.standard_normal(shape, dtype=np.float32).astype(dtype)
