"""unet/pytorch in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn

INPUTS = {"image": (1, 1, 572, 572)}


class ConvReLUConvReLU(nn.Sequential):
    def __init__(self, in_channels: int, channels: int) -> None:
        super().__init__(
            nn.Conv2d(in_channels, channels, 3),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3),
            nn.ReLU(),
        )


class Up(nn.Module):
    def __init__(self, channels: int, size: int, size2: int) -> None:
        super().__init__()
        self.size = size
        self.size2 = size2
        self.up = nn.ConvTranspose2d(2 * channels, channels, 2, stride=2)
        self.convolutions = ConvReLUConvReLU(2 * channels, channels)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x = self.up(x)
        y = torch.cat(
            [y[:, :, self.size : self.size2, self.size : self.size2], x], dim=1
        )
        return self.convolutions(y)


class Unet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down_0 = ConvReLUConvReLU(1, 64)
        self.down_1 = ConvReLUConvReLU(64, 128)
        self.down_2 = ConvReLUConvReLU(128, 256)
        self.down_3 = ConvReLUConvReLU(256, 512)
        self.down_4 = ConvReLUConvReLU(512, 1024)
        self.dropout = nn.Dropout()
        self.up_0 = Up(512, 4, 60)
        self.up_1 = Up(256, 16, 120)
        self.up_2 = Up(128, 40, 240)
        self.up_3 = Up(64, 88, 480)
        self.head = nn.Conv2d(64, 2, 1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.down_0(image)
        y = self.down_1(F.max_pool2d(x, 2))
        z = self.down_2(F.max_pool2d(y, 2))
        x2 = self.down_3(F.max_pool2d(z, 2))
        x2 = self.up_1(self.up_0(self.dropout(self.down_4(F.max_pool2d(x2, 2))), x2), z)
        return self.head(self.up_3(self.up_2(x2, y), x))
