"""Lines that several networks of the set have above them, and rules."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...pairs.nets import Net
from ..pairs import call, torch
from ..rules import Arrays, Rule

HF: Final = "import transformers"


def zeros(*names: str) -> Rule:
    """Biases of 0 beside weights whose names end so, as long as their first axis."""

    def rule(arrays: Arrays) -> Arrays:
        found = dict(arrays)
        for name, array in arrays.items():
            if name.endswith(tuple(f"{one}.weight" for one in names)):
                found[f"{name[:-6]}bias"] = np.zeros(len(array), np.float32)
        return found

    return rule


_POOLED: Final = """
import torch
from pytorchcv.model_provider import get_model


def pooled(network):
    network.features.final_pool = torch.nn.AdaptiveAvgPool2d(1)
    return network
"""

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


def cv(name: str, **settings: Any) -> Net:
    """A network of pytorchcv whose last pool takes images of any size."""
    return torch("pytorchcv", _POOLED, f"pooled({call('get_model', name, **settings)})")
