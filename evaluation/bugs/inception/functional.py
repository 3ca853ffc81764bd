"""The network of branches as functions of a table of weights; `bug` is what is wrong in it."""

import torch
import torch.nn.functional as F
from torch import nn

SHAPES = {"b0": (16, 1, 1), "b1": (8, 1, 1), "b2": (12, 1, 7), "b3": (16, 7, 1)}
SHAPES |= {"b4": (8, 1, 1), "b5": (16, 3, 3), "b6": (16, 3, 3), "b7": (16, 1, 1)}
"""Channels out, height and width of the kernels of a block."""


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self.w = nn.ParameterDict()
        self._filters("first", 24, 3, 5, 5, bias=True)
        for block, held in (("m1", 24), ("m2", 64)):
            read = {"b2": 8, "b3": 12, "b5": 8, "b6": 16 if self._joined(block) else 8}
            for name, (out, height, width) in SHAPES.items():
                if bug == "kernel turned" and (block, name) == ("m2", "b3"):
                    height, width = 1, 7
                self._filters(f"{block}_{name}", out, read.get(name, held), height, width)
                for part in ("scale", "shift", "mean", "var"):
                    whole = torch.ones if part in ("scale", "var") else torch.zeros
                    learned = part in ("scale", "shift")
                    made = nn.Parameter(whole(out), requires_grad=learned)
                    self.w[f"{block}_{name}_{part}"] = made
        self._filters("second", 32, 64, 3, 3, bias=True)
        self.w["fc1_k"], self.w["fc1_c"] = torch.randn(40, 512), torch.randn(40)
        self.w["fc2_k"], self.w["fc2_c"] = torch.randn(10, 40), torch.randn(10)

    def _joined(self, block: str) -> bool:
        return self.bug == "groups" and block == "m1"

    def _filters(self, name: str, *shape: int, bias: bool = False) -> None:
        self.w[f"{name}_k"] = torch.randn(shape)
        if bias:
            self.w[f"{name}_c"] = torch.randn(shape[0])

    def _unit(self, x: torch.Tensor, name: str, groups: int = 1) -> torch.Tensor:
        kernel = self.w[f"{name}_k"]
        pads = (kernel.shape[2] // 2, kernel.shape[3] // 2)
        x = F.conv2d(x, kernel, None, 1, pads, 1, groups)
        held = [self.w[f"{name}_{part}"] for part in ("mean", "var", "scale", "shift")]
        return F.relu(F.batch_norm(x, *held, eps=1e-3))

    def _mixed(self, x: torch.Tensor, block: str) -> torch.Tensor:
        line = self._unit(self._unit(self._unit(x, f"{block}_b1"), f"{block}_b2"), f"{block}_b3")
        twice = self._unit(self._unit(x, f"{block}_b4"), f"{block}_b5")
        twice = self._unit(twice, f"{block}_b6", 1 if self._joined(block) else 2)
        counted = not (self.bug == "pads not counted" and block == "m2")
        pooled = F.avg_pool2d(x, 3, 1, 1, count_include_pad=counted)
        if self.bug == "maximum in a branch" and block == "m1":
            pooled = F.max_pool2d(x, 3, 1, 1)
        parts = [self._unit(x, f"{block}_b0"), line, twice, self._unit(pooled, f"{block}_b7")]
        if self.bug == "order of branches" and block == "m1":
            parts = [parts[0], parts[2], parts[1], parts[3]]
        return torch.cat(parts, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(F.conv2d(x, self.w["first_k"], self.w["first_c"], 2, 2))
        size = 3 if self.bug == "size of response" else 5
        alpha = 1e-4 / 5 if self.bug == "alpha of response" else 1e-4
        rounded = self.bug != "pool rounds down"
        if self.bug == "pool before response":
            x = F.local_response_norm(F.max_pool2d(x, 3, 2, ceil_mode=True), 5, 1e-4)
        else:
            x = F.local_response_norm(x, size, alpha)
            x = F.max_pool2d(x, 3, 2, 0 if rounded else 1, ceil_mode=rounded)
        x = self._mixed(self._mixed(x, "m1"), "m2")
        wide = 1 if self.bug == "dilation" else 2
        x = F.relu(F.conv2d(x, self.w["second_k"], self.w["second_c"], 1, wide, wide))
        x = F.avg_pool2d(x, 4, 4)
        x = x.permute(0, 2, 3, 1) if self.bug == "channels last" else x
        x = F.relu(F.linear(x.reshape(x.shape[0], -1), self.w["fc1_k"], self.w["fc1_c"]))
        x = F.linear(x, self.w["fc2_k"], self.w["fc2_c"])
        return x.sigmoid() if self.bug == "sigmoid at the end" else F.softmax(x, 1)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
