"""A small network of convolutions that is told a time by sines and cosines, as diffusion is."""

import math

import torch
import torch.nn.functional as F
from torch import nn

WIDTH = 32


class Times(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        half = WIDTH // 2
        speed = torch.exp(-math.log(10000) * torch.arange(half).float() / half)
        self.register_buffer("speed", speed, persistent=False)
        self.one, self.two = nn.Linear(WIDTH, 64), nn.Linear(64, 64)

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        angle = t[:, None] * self.speed[None]
        return self.two(F.silu(self.one(torch.cat([angle.cos(), angle.sin()], dim=-1))))


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(8, WIDTH, eps=1e-6), nn.GroupNorm(8, WIDTH, eps=1e-6)
        self.conv1, self.conv2 = (nn.Conv2d(WIDTH, WIDTH, 3, padding=1) for _ in range(2))
        self.time = nn.Linear(64, 2 * WIDTH)

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        made = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.time(F.silu(t))[:, :, None, None].chunk(2, dim=1)
        made = self.norm2(made) * (scale + 1) + shift
        return x + self.conv2(F.silu(made))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.times = Times()
        self.stem = nn.Conv2d(3, WIDTH, 3, padding=1)
        self.blocks = nn.ModuleList([Residual(), Residual()])
        self.norm, self.out = nn.GroupNorm(8, WIDTH, eps=1e-6), nn.Conv2d(WIDTH, 3, 3, padding=1)

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        told, x = self.times(t), self.stem(x)
        for block in self.blocks:
            x = block(x, told)
        return self.out(F.silu(self.norm(x)))
