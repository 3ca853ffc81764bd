"""A small chain of modules in the manner of AlexNet: groups, response norms, wide pools."""

import torch
from torch import nn


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 5, stride=2),
            nn.ReLU(inplace=True),
            nn.LocalResponseNorm(5, alpha=1e-4, beta=0.75, k=1.0),
            nn.MaxPool2d(3, 2),
            nn.Conv2d(16, 32, 3, padding=1, groups=2),
            nn.ReLU(inplace=True),
            nn.AvgPool2d(3, 2, padding=1, count_include_pad=False),
        )
        self.classifier = nn.Sequential(
            nn.Linear(32 * 7 * 7, 64), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(64, 10)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(torch.flatten(self.features(x), 1))
