"""mobilenetv2/pytorch in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn

INPUTS = {"image": (1, 3, 224, 224)}


class ConvBNReLU6(nn.Sequential):
    def __init__(
        self,
        in_channels: int,
        channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(
            nn.Conv2d(
                in_channels,
                channels,
                kernel_size,
                stride=stride,
                padding=padding,
                groups=groups,
                bias=False,
            ),
            nn.BatchNorm2d(channels),
            nn.ReLU6(),
        )


class InvertedResidual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            ConvBNReLU6(32, 32, 3, groups=32),
            nn.Conv2d(32, 16, 1, bias=False),
            nn.BatchNorm2d(16),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


class InvertedResidual2(nn.Module):
    def __init__(self, in_channels: int, channels: int, stride: int = 2) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            ConvBNReLU6(in_channels, 6 * in_channels, 1, padding=0),
            ConvBNReLU6(
                6 * in_channels,
                6 * in_channels,
                3,
                stride=stride,
                groups=6 * in_channels,
            ),
            nn.Conv2d(6 * in_channels, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


class InvertedResidual3(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            ConvBNReLU6(channels, 6 * channels, 1, padding=0),
            ConvBNReLU6(6 * channels, 6 * channels, 3, groups=6 * channels),
            nn.Conv2d(6 * channels, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.conv(x)


class Mobilenetv2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            ConvBNReLU6(3, 32, 3, stride=2),
            InvertedResidual(),
            InvertedResidual2(16, 24),
            InvertedResidual3(24),
            InvertedResidual2(24, 32),
            InvertedResidual3(32),
            InvertedResidual3(32),
            InvertedResidual2(32, 64),
            *(InvertedResidual3(64) for _ in range(3)),
            InvertedResidual2(64, 96, stride=1),
            InvertedResidual3(96),
            InvertedResidual3(96),
            InvertedResidual2(96, 160),
            InvertedResidual3(160),
            InvertedResidual3(160),
            InvertedResidual2(160, 320, stride=1),
            ConvBNReLU6(320, 1280, 1, padding=0),
        )
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, 1000))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.classifier(
            F.adaptive_avg_pool2d(self.features(image), 1).flatten(1)
        )
