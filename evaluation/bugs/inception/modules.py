"""A small network of branches: 1x1, 1x7 then 7x1, two 3x3, a pool; local response first."""

import torch
from torch import nn


def unit(before: int, after: int, kernel: tuple[int, int], groups: int = 1) -> nn.Sequential:
    pads = (kernel[0] // 2, kernel[1] // 2)
    return nn.Sequential(
        nn.Conv2d(before, after, kernel, padding=pads, bias=False, groups=groups),
        nn.BatchNorm2d(after, eps=1e-3),
        nn.ReLU(),
    )


class Mixed(nn.Module):
    def __init__(self, before: int) -> None:
        super().__init__()
        self.one = unit(before, 16, (1, 1))
        self.line = nn.Sequential(
            unit(before, 8, (1, 1)), unit(8, 12, (1, 7)), unit(12, 16, (7, 1))
        )
        self.twice = nn.Sequential(
            unit(before, 8, (1, 1)), unit(8, 16, (3, 3)), unit(16, 16, (3, 3), groups=2)
        )
        self.pooled = nn.Sequential(nn.AvgPool2d(3, stride=1, padding=1), unit(before, 16, (1, 1)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.one(x), self.line(x), self.twice(x), self.pooled(x)], dim=1)


class Inception(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 24, 5, padding=2, stride=2)
        self.response = nn.LocalResponseNorm(5, alpha=1e-4, beta=0.75)
        self.pool = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.mixed1, self.mixed2 = Mixed(24), Mixed(64)
        self.second = nn.Conv2d(64, 32, 3, padding=2, dilation=2)
        self.last = nn.AvgPool2d(4, stride=4)
        self.head = nn.Sequential(
            nn.Flatten(), nn.Linear(32 * 4 * 4, 40), nn.ReLU(), nn.Dropout(), nn.Linear(40, 10)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(self.response(torch.relu(self.first(x))))
        x = torch.relu(self.second(self.mixed2(self.mixed1(x))))
        return torch.softmax(self.head(self.last(x)), dim=1)
