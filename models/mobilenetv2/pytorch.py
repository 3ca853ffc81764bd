"""MobileNetV2 of width 1: seventeen inverted residual blocks."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 224, 224)}

STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, channels out, blocks, stride of the first (table 2 of the paper)."""


def conv(channels: int, width: int, kernel: int, stride: int = 1, groups: int = 1) -> nn.Sequential:
    pads = kernel // 2
    return nn.Sequential(
        nn.Conv2d(channels, width, kernel, stride, pads, groups=groups, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU6(inplace=True),
    )


class InvertedResidual(nn.Module):
    """1x1 up, 3x3 of each channel alone, 1x1 down without activation; added where shapes agree."""

    def __init__(self, channels: int, width: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = channels * expansion
        expand = [conv(channels, hidden, 1)] if expansion != 1 else []
        self.conv = nn.Sequential(
            *expand,
            conv(hidden, hidden, 3, stride, groups=hidden),
            nn.Conv2d(hidden, width, kernel_size=1, bias=False),
            nn.BatchNorm2d(width),
        )
        self.residual = stride == 1 and channels == width

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.conv(x) if self.residual else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        layers: list[nn.Module] = [conv(3, 32, 3, stride=2)]
        channels = 32
        for expansion, width, blocks, stride in STAGES:
            for index in range(blocks):
                step = 1 if index else stride
                layers.append(InvertedResidual(channels, width, step, expansion))
                channels = width
        self.features = nn.Sequential(*layers, conv(channels, 1280, 1))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, classes))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.pool(self.features(image)).flatten(1))
