"""U-Net as published: no padding, so that each skip connection is cropped to what comes up."""

import torch
from torch import nn

INPUTS = {"image": (1, 1, 572, 572)}

WIDTHS = (64, 128, 256, 512, 1024)


class Double(nn.Sequential):
    """Two 3x3 convolutions without padding."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__(
            nn.Conv2d(channels, width, kernel_size=3),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, kernel_size=3),
            nn.ReLU(inplace=True),
        )


class Up(nn.Module):
    """Twice the size at half the channels, joined to the middle of the skip connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(2 * width, width, kernel_size=2, stride=2)
        self.convolutions = Double(2 * width, width)

    def forward(self, x: torch.Tensor, skip: torch.Tensor) -> torch.Tensor:
        x = self.up(x)
        size = x.shape[2]
        edge = (skip.shape[2] - size) // 2
        middle = skip[:, :, edge : edge + size, edge : edge + size]
        return self.convolutions(torch.cat([middle, x], dim=1))


class UNet(nn.Module):
    def __init__(self, channels: int = 1, classes: int = 2) -> None:
        super().__init__()
        inner = (channels, *WIDTHS[:-1])
        self.down = nn.ModuleList(Double(a, b) for a, b in zip(inner, WIDTHS, strict=True))
        self.pool = nn.MaxPool2d(kernel_size=2)
        self.dropout = nn.Dropout(0.5)
        self.up = nn.ModuleList(Up(width) for width in reversed(WIDTHS[:-1]))
        self.head = nn.Conv2d(WIDTHS[0], classes, kernel_size=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Two maps of 388 x 388, not yet a softmax."""
        skips = [self.down[0](image)]
        for double in self.down[1:]:
            skips.append(double(self.pool(skips[-1])))
        x = self.dropout(skips.pop())
        for up in self.up:
            x = up(x, skips.pop())
        return self.head(x)
