"""GoogLeNet as BVLC's reference model has it: normalisation in the stem, pools that round up."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 224, 224)}

MODULES = {
    "3a": (192, 64, 96, 128, 16, 32, 32),
    "3b": (256, 128, 128, 192, 32, 96, 64),
    "4a": (480, 192, 96, 208, 16, 48, 64),
    "4b": (512, 160, 112, 224, 24, 64, 64),
    "4c": (512, 128, 128, 256, 24, 64, 64),
    "4d": (512, 112, 144, 288, 32, 64, 64),
    "4e": (528, 256, 160, 320, 32, 128, 128),
    "5a": (832, 256, 160, 320, 32, 128, 128),
    "5b": (832, 384, 192, 384, 48, 128, 128),
}
"""Channels in, of 1x1, 3x3 reduced, 3x3, 5x5 reduced, 5x5, and behind the pool (table 1)."""


def conv(channels: int, width: int, kernel: int, stride: int = 1) -> nn.Sequential:
    convolution = nn.Conv2d(channels, width, kernel, stride, padding=kernel // 2)
    return nn.Sequential(convolution, nn.ReLU(inplace=True))


def pool() -> nn.MaxPool2d:
    return nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True)


def norm() -> nn.LocalResponseNorm:
    return nn.LocalResponseNorm(5, alpha=1e-4, beta=0.75)


class Inception(nn.Module):
    """Four branches, concatenated: 1x1; 1x1, 3x3; 1x1, 5x5; pool, 1x1."""

    def __init__(self, channels: int, b1: int, r3: int, b3: int, r5: int, b5: int, bp: int) -> None:
        super().__init__()
        self.branch1 = conv(channels, b1, 1)
        self.branch3 = nn.Sequential(conv(channels, r3, 1), conv(r3, b3, 3))
        self.branch5 = nn.Sequential(conv(channels, r5, 1), conv(r5, b5, 5))
        around = nn.MaxPool2d(kernel_size=3, stride=1, padding=1)
        self.branch_pool = nn.Sequential(around, conv(channels, bp, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        branches = (self.branch1(x), self.branch3(x), self.branch5(x), self.branch_pool(x))
        return torch.cat(branches, dim=1)


class GoogLeNet(nn.Module):
    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            conv(3, 64, 7, stride=2), pool(), norm(), conv(64, 64, 1), conv(64, 192, 3), norm()
        )
        self.pool2, self.pool3, self.pool4 = pool(), pool(), pool()
        self.inception3, self.inception4, self.inception5 = (
            nn.Sequential(*(Inception(*MODULES[name]) for name in MODULES if name[0] == stage))
            for stage in "345"
        )
        self.pool5 = nn.AvgPool2d(kernel_size=7, stride=1)
        self.dropout = nn.Dropout(0.4)
        self.classifier = nn.Linear(1024, classes)
        self.prob = nn.Softmax(dim=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.inception3(self.pool2(self.stem(image)))
        x = self.inception4(self.pool3(x))
        x = self.inception5(self.pool4(x))
        return self.prob(self.classifier(self.dropout(self.pool5(x)).flatten(1)))
