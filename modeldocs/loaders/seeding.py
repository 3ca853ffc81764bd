"""Seeded values for parameters and inputs: the same for a name and a seed, on every machine.

They keep a deep network's activations near unit size, so that an error of one layer is seen in
the outputs: weights have variance 2 / fan-in (He et al., 2015), statistics lie close to 0 and 1.
"""

from __future__ import annotations

import math
import zlib
from typing import Literal

import numpy as np

Kind = Literal["weight", "bias", "scale", "mean", "var", "slope", "embedding"]
"""What a parameter is for; `weight` of convolutions, matrices and their recurrent kin."""

TOKENS = 100
"""Integer inputs are drawn below this: every vocabulary has as many."""


def draw(seed: int, name: str, shape: tuple[int, ...], kind: Kind, fan_in: int = 0) -> np.ndarray:
    """float32 values of a parameter. `fan_in` counts the products in one element of the output."""
    random = _generator(seed, name)
    made: np.ndarray
    if kind in ("scale", "var"):
        made = random.uniform(0.9, 1.1, shape)
    elif kind == "slope":
        made = random.uniform(0.1, 0.3, shape)
    elif kind == "weight":
        made = random.standard_normal(shape, dtype=np.float32) * math.sqrt(2 / max(fan_in, 1))
    else:
        made = random.standard_normal(shape, dtype=np.float32) * 0.05
    return np.asarray(made, dtype=np.float32)


def sample(seed: int, name: str, shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    """An input: standard normal, or integers below `TOKENS`."""
    random = _generator(seed, f"input {name}")
    if dtype.startswith(("int", "uint")):
        return random.integers(0, TOKENS, shape).astype(dtype)
    if dtype == "bool":
        return np.ones(shape, dtype=bool)
    return random.standard_normal(shape, dtype=np.float32).astype(dtype)


def _generator(seed: int, name: str) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(name.encode())])
