"""DenseNet-121: four dense blocks of growth 32, halved in width and size between them."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 224, 224)}

GROWTH = 32
BLOCKS = (6, 12, 24, 16)


class DenseLayer(nn.Module):
    """1x1 to four times the growth, 3x3 to the growth, joined to what came in."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm1 = nn.BatchNorm2d(channels)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(channels, 4 * GROWTH, kernel_size=1, bias=False)
        self.norm2 = nn.BatchNorm2d(4 * GROWTH)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(4 * GROWTH, GROWTH, kernel_size=3, padding=1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        new = self.conv1(self.relu1(self.norm1(x)))
        return torch.cat([x, self.conv2(self.relu2(self.norm2(new)))], dim=1)


class Transition(nn.Sequential):
    """Half the channels, half the size."""

    def __init__(self, channels: int) -> None:
        super().__init__(
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels // 2, kernel_size=1, bias=False),
            nn.AvgPool2d(kernel_size=2, stride=2),
        )


class DenseNet121(nn.Module):
    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2, padding=1),
        )
        blocks: list[nn.Module] = []
        channels = 64
        for count in BLOCKS:
            if blocks:
                blocks.append(Transition(channels))
                channels //= 2
            layers = [DenseLayer(channels + GROWTH * index) for index in range(count)]
            blocks.append(nn.Sequential(*layers))
            channels += GROWTH * count
        self.blocks = nn.Sequential(*blocks)
        self.norm = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(channels, classes)
        self.prob = nn.Softmax(dim=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.relu(self.norm(self.blocks(self.stem(image))))
        return self.prob(self.classifier(self.pool(x).flatten(1)))
