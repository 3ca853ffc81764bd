"""GoogLeNet with batch normalisation, as PyTorch users mostly have it, in evaluation."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 224, 224)}

STAGES = (
    ((192, 64, 96, 128, 16, 32, 32), (256, 128, 128, 192, 32, 96, 64)),
    (
        (480, 192, 96, 208, 16, 48, 64),
        (512, 160, 112, 224, 24, 64, 64),
        (512, 128, 128, 256, 24, 64, 64),
        (512, 112, 144, 288, 32, 64, 64),
        (528, 256, 160, 320, 32, 128, 128),
    ),
    ((832, 256, 160, 320, 32, 128, 128), (832, 384, 192, 384, 48, 128, 128)),
)
"""Modules of each stage: channels in, and the widths of the paper's table 1.

The column of the 5x5 convolutions is what the second 3x3 of a module has here.
"""


def conv(channels: int, width: int, kernel: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels, width, kernel, stride, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(width, eps=1e-3),
        nn.ReLU(inplace=True),
    )


def pool(kernel: int) -> nn.MaxPool2d:
    return nn.MaxPool2d(kernel, stride=2, ceil_mode=True)


class Inception(nn.Module):
    """Four branches, concatenated: 1x1; 1x1, 3x3; 1x1, 3x3; pool, 1x1."""

    def __init__(self, channels: int, b1: int, r3: int, b3: int, r5: int, b5: int, bp: int) -> None:
        super().__init__()
        around = nn.MaxPool2d(kernel_size=3, stride=1, padding=1, ceil_mode=True)
        self.branches = nn.ModuleList(
            [
                conv(channels, b1, 1),
                nn.Sequential(conv(channels, r3, 1), conv(r3, b3, 3)),
                nn.Sequential(conv(channels, r5, 1), conv(r5, b5, 3)),
                nn.Sequential(around, conv(channels, bp, 1)),
            ]
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([branch(x) for branch in self.branches], dim=1)


class GoogLeNetBN(nn.Module):
    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        third, fourth, fifth = (
            nn.Sequential(*(Inception(*widths) for widths in stage)) for stage in STAGES
        )
        self.features = nn.Sequential(
            *(conv(3, 64, 7, stride=2), pool(3), conv(64, 64, 1), conv(64, 192, 3), pool(3)),
            *(third, pool(3), fourth, pool(2), fifth),
            nn.AdaptiveAvgPool2d(1),
        )
        self.dropout = nn.Dropout(0.2)
        self.classifier = nn.Linear(1024, classes)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.dropout(self.features(image).flatten(1)))
