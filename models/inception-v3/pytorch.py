"""Inception v3 without its auxiliary classifier; average pools count the padding as zeros."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 299, 299)}

Size = int | tuple[int, int]


class Conv(nn.Sequential):
    """Convolution without bias, batch normalisation, ReLU; `same` keeps the image's size."""

    def __init__(
        self, channels: int, width: int, kernel: Size, stride: int = 1, *, same: bool = True
    ) -> None:
        high, wide = (kernel, kernel) if isinstance(kernel, int) else kernel
        pads = (high // 2, wide // 2) if same else 0
        super().__init__(
            nn.Conv2d(channels, width, kernel, stride, padding=pads, bias=False),
            nn.BatchNorm2d(width, eps=1e-3),
            nn.ReLU(inplace=True),
        )


def chain(channels: int, *steps: tuple[int, Size]) -> nn.Sequential:
    """Convolutions one after the other, each of (width, kernel)."""
    widths = (channels, *(width for width, _ in steps))
    return nn.Sequential(*(Conv(widths[i], *step) for i, step in enumerate(steps)))


def pooled(channels: int, width: int) -> nn.Sequential:
    around = nn.AvgPool2d(kernel_size=3, stride=1, padding=1)
    return nn.Sequential(around, Conv(channels, width, 1))


class Branches(nn.Module):
    """Branches of one input, concatenated."""

    def __init__(self, *branches: nn.Module) -> None:
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([branch(x) for branch in self.branches], dim=1)


def block35(channels: int, pool: int) -> Branches:
    return Branches(
        chain(channels, (64, 1)),
        chain(channels, (48, 1), (64, 5)),
        chain(channels, (64, 1), (96, 3), (96, 3)),
        pooled(channels, pool),
    )


def reduction17() -> Branches:
    return Branches(
        Conv(288, 384, 3, stride=2, same=False),
        nn.Sequential(*chain(288, (64, 1), (96, 3)), Conv(96, 96, 3, stride=2, same=False)),
        nn.MaxPool2d(kernel_size=3, stride=2),
    )


def block17(width: int) -> Branches:
    double = ((width, 1), (width, (7, 1)), (width, (1, 7)), (width, (7, 1)), (192, (1, 7)))
    return Branches(
        chain(768, (192, 1)),
        chain(768, (width, 1), (width, (1, 7)), (192, (7, 1))),
        chain(768, *double),
        pooled(768, 192),
    )


def reduction8() -> Branches:
    wide = chain(768, (192, 1), (192, (1, 7)), (192, (7, 1)))
    return Branches(
        nn.Sequential(Conv(768, 192, 1), Conv(192, 320, 3, stride=2, same=False)),
        nn.Sequential(*wide, Conv(192, 192, 3, stride=2, same=False)),
        nn.MaxPool2d(kernel_size=3, stride=2),
    )


def block8(channels: int) -> Branches:
    def split() -> Branches:
        return Branches(Conv(384, 384, (1, 3)), Conv(384, 384, (3, 1)))

    return Branches(
        Conv(channels, 320, 1),
        nn.Sequential(Conv(channels, 384, 1), split()),
        nn.Sequential(*chain(channels, (448, 1), (384, 3)), split()),
        pooled(channels, 192),
    )


class InceptionV3(nn.Module):
    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            Conv(3, 32, 3, stride=2, same=False),
            Conv(32, 32, 3, same=False),
            Conv(32, 64, 3),
            nn.MaxPool2d(kernel_size=3, stride=2),
            Conv(64, 80, 1),
            Conv(80, 192, 3, same=False),
            nn.MaxPool2d(kernel_size=3, stride=2),
        )
        self.mixed = nn.Sequential(
            *(block35(192, 32), block35(256, 64), block35(288, 64), reduction17()),
            *(block17(128), block17(160), block17(160), block17(192), reduction8()),
            *(block8(1280), block8(2048)),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(2048, classes)
        self.prob = nn.Softmax(dim=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.pool(self.mixed(self.stem(image)))
        return self.prob(self.classifier(x.flatten(1)))
