"""EfficientNetV2 small: fused inverted bottlenecks, then gated ones with depthwise filters."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 128, 128)}

FUSED = ((1, 2, 1, 8), (4, 4, 2, 16), (4, 4, 2, 24))
GATED = ((4, 6, 2, 32), (6, 9, 1, 40), (6, 15, 2, 64))
"""Expansion, blocks, stride of the first, channels of each stage."""


def unit(
    before: int, after: int, kernel: int, stride: int = 1, groups: int = 1, active: bool = True
) -> nn.Sequential:
    """A convolution, its norm and, where active, SiLU."""
    layers: list[nn.Module] = [
        nn.Conv2d(before, after, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(after, eps=1e-3),
    ]
    return nn.Sequential(*layers, *([nn.SiLU()] if active else []))


class Gate(nn.Module):
    """Squeeze and excitation."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.reduce = nn.Conv2d(width, inner, 1)
        self.expand = nn.Conv2d(inner, width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pooled = nn.functional.adaptive_avg_pool2d(x, 1)
        return x * self.expand(nn.functional.silu(self.reduce(pooled))).sigmoid()


class Block(nn.Module):
    def __init__(self, before: int, after: int, expansion: int, stride: int, gated: bool) -> None:
        super().__init__()
        self.residual = stride == 1 and before == after
        wide = before * expansion
        if gated:
            layers = [
                unit(before, wide, 1),
                unit(wide, wide, 3, stride, groups=wide),
                Gate(wide, max(before // 4, 1)),
                unit(wide, after, 1, active=False),
            ]
        elif expansion == 1:
            layers = [unit(before, after, 3, stride)]
        else:
            layers = [unit(before, wide, 3, stride), unit(wide, after, 1, active=False)]
        self.layers = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.residual else self.layers(x)


class EfficientNetV2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [unit(3, 8, 3, 2)]
        before = 8
        for gated, stages in ((False, FUSED), (True, GATED)):
            for expansion, blocks, stride, after in stages:
                for number in range(blocks):
                    first = number == 0
                    layers.append(Block(before, after, expansion, stride if first else 1, gated))
                    before = after
        self.features = nn.Sequential(*layers, unit(before, 320, 1))
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(320, 100))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        pooled = nn.functional.adaptive_avg_pool2d(self.features(image), 1)
        return self.head(pooled.flatten(1))
