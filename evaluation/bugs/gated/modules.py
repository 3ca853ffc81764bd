"""A small mobile network of modules: inverted bottlenecks, depthwise filters, gates, h-swish."""

import torch
from torch import nn


def unit(before: int, after: int, kernel: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    return [
        nn.Conv2d(before, after, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(after, eps=1e-3),
    ]


class Gate(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.squeeze = nn.AdaptiveAvgPool2d(1)
        self.reduce, self.expand = nn.Conv2d(width, 8, 1), nn.Conv2d(8, width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        held = torch.relu(self.reduce(self.squeeze(x)))
        return x * torch.nn.functional.hardsigmoid(self.expand(held))


class Inverted(nn.Module):
    def __init__(self, width: int, wide: int, kernel: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *unit(width, wide, 1),
            nn.Hardswish(),
            *unit(wide, wide, kernel, groups=wide),
            nn.Hardswish(),
            Gate(wide),
            *unit(wide, width, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x)


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(*unit(3, 16, 3, 2), nn.Hardswish())
        self.blocks = nn.Sequential(Inverted(16, 48, 3), Inverted(16, 64, 5))
        self.boxes = nn.ModuleList([nn.Conv2d(16, 8, 3, padding=1), nn.Conv2d(16, 8, 3, padding=1)])
        self.labels = nn.ModuleList([nn.Conv2d(16, 6, 1), nn.Conv2d(16, 6, 1)])
        self.smaller = nn.MaxPool2d(2)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        fine = self.blocks(self.stem(x))
        levels = [fine, self.smaller(fine)]
        boxes = [
            f(y).permute(0, 2, 3, 1).flatten(1) for f, y in zip(self.boxes, levels, strict=True)
        ]
        labels = [
            f(y).permute(0, 2, 3, 1).flatten(1) for f, y in zip(self.labels, levels, strict=True)
        ]
        return torch.cat(boxes, 1).view(1, -1, 4), torch.cat(labels, 1).view(1, -1, 3).softmax(2)
