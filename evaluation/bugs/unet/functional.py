"""The U-Net as functions of lists of parameters; `bug` is what the porter got wrong."""

import torch
import torch.nn.functional as F
from torch import nn

PAIRS = ((1, 8), (8, 8), (8, 16), (16, 16), (16, 32), (32, 32), (48, 16), (16, 16), (16, 8), (8, 8))


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        made = [(nn.Parameter(torch.randn(out, held, 3, 3)), out) for held, out in PAIRS]
        self.kernels = nn.ParameterList([kernel for kernel, _ in made])
        for name in ("offsets", "shifts"):
            setattr(self, name, nn.ParameterList([torch.zeros(out) for _, out in made]))
        self.gains = nn.ParameterList([torch.ones(out) for _, out in made])
        for place, (_, out) in enumerate(made):
            self.register_buffer(f"average{place}", torch.zeros(out))
            self.register_buffer(f"variance{place}", torch.ones(out))
        self.wide = nn.Parameter(torch.randn(16, 8, 2, 2))
        self.wide_offset = nn.Parameter(torch.zeros(8))
        self.last, self.last_offset = nn.Conv2d(8, 2, 1).weight, nn.Parameter(torch.zeros(2))

    def unit(self, x: torch.Tensor, n: int) -> torch.Tensor:
        x = F.conv2d(x, self.kernels[n], self.offsets[n], padding=1)
        held = getattr(self, f"average{n}"), getattr(self, f"variance{n}")
        x = F.batch_norm(x, *held, self.gains[n], self.shifts[n])
        if self.bug == "missing activation" and n == 7:
            return x
        return F.leaky_relu(x, 0.1) if self.bug == "leaky" and n == 3 else F.relu(x)

    def twice(self, x: torch.Tensor, n: int) -> torch.Tensor:
        return self.unit(self.unit(x, n), n + 1)

    def grown(self, x: torch.Tensor) -> torch.Tensor:
        if self.bug == "nearest":
            return F.interpolate(x, scale_factor=2, mode="nearest")
        aligned = self.bug == "aligned corners"
        return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=aligned)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        one = self.twice(x, 0)
        pool = F.avg_pool2d if self.bug == "average pool" else F.max_pool2d
        two = self.twice(pool(one, 2), 2)
        deep = self.grown(self.twice(F.max_pool2d(two, 2), 4))
        parts = [deep, two] if self.bug == "order of the join" else [two, deep]
        x = self.twice(torch.cat(parts, 1), 6)
        up = F.conv_transpose2d(x, self.wide, self.wide_offset, stride=2)
        kept = up if self.bug == "joined with itself" else one
        x = self.twice(torch.cat([kept, up], 1), 8)
        return F.conv2d(x, self.last, self.last_offset)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
