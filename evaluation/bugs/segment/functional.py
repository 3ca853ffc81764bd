"""The network that labels pixels as functions, padded by hand; `bug` is what is wrong in it."""

import torch
import torch.nn.functional as F
from torch import nn


def filters(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self.one_f, self.two_f = filters(16, 3, 3, 3), filters(16, 16, 3, 3)
        self.three_f, self.four_f = filters(32, 16, 3, 3), filters(16, 48, 3, 3)
        self.last_f, self.last_o = filters(16, 5, 3, 3), filters(5)
        if bug != "no bias":
            self.one_o = filters(16)
        self.three_o, self.four_o = filters(32), filters(16)
        for name, width in (("one", 16), ("two", 16), ("three", 32), ("four", 16)):
            self.register_parameter(f"{name}_scale", nn.Parameter(torch.ones(width)))
            self.register_parameter(f"{name}_shift", nn.Parameter(torch.zeros(width)))

    def _bent(self, x: torch.Tensor, name: str, groups: int = 4) -> torch.Tensor:
        scale, shift = getattr(self, f"{name}_scale"), getattr(self, f"{name}_shift")
        x = F.group_norm(x, groups, scale, shift)
        slope = 0.01 if self.bug == "slope" and name == "four" else 0.1
        return torch.where(x >= 0, x, x * slope)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        around = (0, 1, 0, 1) if self.bug == "padded behind" else (1, 1, 1, 1)
        bias = None if self.bug == "no bias" else self.one_o
        x = self._bent(F.conv2d(F.pad(x, around), self.one_f, bias, stride=2), "one")
        wide = 1 if self.bug == "dilation" else 2
        x = F.conv2d(F.pad(x, (wide,) * 4), self.two_f, dilation=wide)
        x = self._bent(x, "two")
        small = F.conv2d(F.pad(x, (1, 1, 1, 1)), self.three_f, self.three_o, stride=2)
        small = self._bent(small, "three", 4 if self.bug == "groups of the norm" else 8)
        aligned = self.bug == "aligned corners"
        large = F.interpolate(small, x.shape[2:], mode="bilinear", align_corners=aligned)
        x = F.conv2d(F.pad(torch.cat((large, x), 1), (1, 1, 1, 1)), self.four_f, self.four_o)
        more = 0 if self.bug == "output padding" else 1
        return F.conv_transpose2d(self._bent(x, "four"), self.last_f, self.last_o, 2, 1, more)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
