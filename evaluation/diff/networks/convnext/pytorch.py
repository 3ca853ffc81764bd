"""ConvNeXt: depthwise 7x7 convolutions, then two dense layers over channels that come last."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 128, 128)}

WIDTHS, DEPTHS = (24, 48, 96, 192), (3, 3, 9, 3)


class ChannelNorm(nn.LayerNorm):
    """A layer norm over the channels of N x C x H x W."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(torch.full((width,), 1e-6))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        read = self.gamma * self.narrow(nn.functional.gelu(self.wide(read)))
        return x + read.permute(0, 3, 1, 2)


class ConvNeXt(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [
            nn.Conv2d(3, WIDTHS[0], 4, stride=4),
            ChannelNorm(WIDTHS[0], eps=1e-6),
        ]
        for stage, (width, depth) in enumerate(zip(WIDTHS, DEPTHS, strict=True)):
            if stage:
                before = WIDTHS[stage - 1]
                layers += [ChannelNorm(before, eps=1e-6), nn.Conv2d(before, width, 2, stride=2)]
            layers += [Block(width) for _ in range(depth)]
        self.features = nn.Sequential(*layers)
        self.norm = nn.LayerNorm(WIDTHS[-1], eps=1e-6)
        self.head = nn.Linear(WIDTHS[-1], 100)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        pooled = nn.functional.adaptive_avg_pool2d(self.features(image), 1).flatten(1)
        return self.head(self.norm(pooled))
