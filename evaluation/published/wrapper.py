"""Lines that several networks have above them, and what is returned of a network in a class."""

from __future__ import annotations

from typing import Any, Final

from ..pairs.nets import Net
from .pairs import call, torch

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


def cv(name: str, **settings: Any) -> Net:
    """A network of pytorchcv whose last pool takes images of any size."""
    return torch("pytorchcv", POOLED, f"pooled({call('get_model', name, **settings)})")
