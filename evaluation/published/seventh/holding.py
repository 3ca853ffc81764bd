"""Lines that several networks of the set have above them, and rules."""

from __future__ import annotations

from typing import Final

import numpy as np

from ..rules import Arrays, Rule

HF: Final = "import transformers"

FEATURES: Final = "self.network.forward_features(x)"


def wrapped(before: str, returned: str) -> str:
    """Lines that hold a network in a class `Of`, and say what is returned of it for `x`."""
    return f"""
import torch
{before}


class Of(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return {returned}
"""


def zeros(*names: str) -> Rule:
    """Biases of 0 beside weights whose names end so, as long as their first axis."""

    def rule(arrays: Arrays) -> Arrays:
        found = dict(arrays)
        for name, array in arrays.items():
            if name.endswith(tuple(f"{one}.weight" for one in names)):
                found[f"{name[:-6]}bias"] = np.zeros(len(array), np.float32)
        return found

    return rule


def swapped(array: np.ndarray) -> np.ndarray:
    """The second half of the rows before the first."""
    return np.concatenate([*reversed(np.split(array, 2))])
