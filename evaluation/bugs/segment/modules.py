"""A network that labels pixels, of modules: group norms, a dilated filter, a transposed one."""

import torch
from torch import nn


class Segment(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem, self.stem_norm = nn.Conv2d(3, 16, 3, 2, 1), nn.GroupNorm(4, 16)
        self.wide = nn.Conv2d(16, 16, 3, padding=2, dilation=2, bias=False)
        self.wide_norm = nn.GroupNorm(4, 16)
        self.down, self.down_norm = nn.Conv2d(16, 32, 3, 2, 1), nn.GroupNorm(8, 32)
        self.larger = nn.Upsample(scale_factor=2, mode="bilinear")
        self.fuse, self.fuse_norm = nn.Conv2d(48, 16, 3, padding=1), nn.GroupNorm(4, 16)
        self.up = nn.ConvTranspose2d(16, 5, 3, 2, 1, output_padding=1)
        self.bend = nn.LeakyReLU(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.bend(self.stem_norm(self.stem(x)))
        x = self.bend(self.wide_norm(self.wide(x)))
        small = self.bend(self.down_norm(self.down(x)))
        x = torch.cat([self.larger(small), x], dim=1)
        return self.up(self.bend(self.fuse_norm(self.fuse(x))))
