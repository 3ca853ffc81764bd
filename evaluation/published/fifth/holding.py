"""Lines that several networks of the set have above them, and a rule."""

from __future__ import annotations

from typing import Final

from ..rules import Rule, changed

HF: Final = "import transformers"

FEATURES: Final = "self.network.forward_features(x)"

POOLED: Final = """
import torch
from pytorchcv.model_provider import get_model


def pooled(network):
    network.features.final_pool = torch.nn.AdaptiveAvgPool2d(1)
    return network
"""


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


def as_gemm(pattern: str) -> Rule:
    """Weights of a Conv of 1 as those of a Gemm."""
    return changed(pattern, lambda array: array[..., 0, 0])
