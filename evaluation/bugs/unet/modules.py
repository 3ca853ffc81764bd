"""A small U-Net of modules: two steps down, two up, each joined with what it came from."""

import torch
from torch import nn


def twice(before: int, after: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, padding=1),
        nn.BatchNorm2d(after),
        nn.ReLU(),
        nn.Conv2d(after, after, 3, padding=1),
        nn.BatchNorm2d(after),
        nn.ReLU(),
    )


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2, self.bottom = twice(1, 8), twice(8, 16), twice(16, 32)
        self.pool = nn.MaxPool2d(2)
        self.grow2 = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        self.up2 = twice(48, 16)
        self.grow1 = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.up1 = twice(16, 8)
        self.head = nn.Conv2d(8, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        one = self.down1(x)
        two = self.down2(self.pool(one))
        x = self.up2(torch.cat([two, self.grow2(self.bottom(self.pool(two)))], dim=1))
        return self.head(self.up1(torch.cat([one, self.grow1(x)], dim=1)))
