"""VGG-16 (configuration D of the paper): thirteen 3x3 convolutions, three dense layers."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 224, 224)}


class VGG16(nn.Module):
    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        stages = ((2, 3, 64), (2, 64, 128), (3, 128, 256), (3, 256, 512), (3, 512, 512))
        self.features = nn.Sequential(*(self._stage(*stage) for stage in stages))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(0.5),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(0.5),
            nn.Linear(4096, classes),
            nn.Softmax(dim=1),
        )

    @staticmethod
    def _stage(convolutions: int, channels: int, width: int) -> nn.Sequential:
        layers: list[nn.Module] = []
        for index in range(convolutions):
            layers.append(nn.Conv2d(width if index else channels, width, kernel_size=3, padding=1))
            layers.append(nn.ReLU(inplace=True))
        return nn.Sequential(*layers, nn.MaxPool2d(kernel_size=2, stride=2))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(image).flatten(1))
