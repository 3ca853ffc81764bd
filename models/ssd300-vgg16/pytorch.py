"""SSD300 on VGG-16 for the 20 classes of Pascal VOC and the background.

The prior boxes do not depend on the image: `loc` and `conf` are what the network computes.
"""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 300, 300)}

CLASSES = 21
SOURCES = ((512, 4), (1024, 6), (512, 6), (256, 6), (256, 4), (256, 4))
"""Channels and prior boxes a place of each feature map that is read."""


def conv(channels: int, width: int, kernel: int = 3, **settings: int) -> nn.Sequential:
    convolution = nn.Conv2d(channels, width, kernel, **settings)
    return nn.Sequential(convolution, nn.ReLU(inplace=True))


def stage(count: int, channels: int, width: int) -> nn.Sequential:
    """As many 3x3 convolutions of VGG-16."""
    layers = [conv(width if index else channels, width, padding=1) for index in range(count)]
    return nn.Sequential(*layers)


class L2Norm(nn.Module):
    """Each place's channels at length 1, times a scale learned for each channel."""

    def __init__(self, channels: int, scale: float = 20.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((channels,), scale))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(x, dim=1, eps=1e-10) * self.weight.view(1, -1, 1, 1)


class SSD300(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            *(stage(2, 3, 64), nn.MaxPool2d(2), stage(2, 64, 128), nn.MaxPool2d(2)),
            *(stage(3, 128, 256), nn.MaxPool2d(2, ceil_mode=True), stage(3, 256, 512)),
        )
        self.norm4 = L2Norm(512)
        self.fc7 = nn.Sequential(
            *(nn.MaxPool2d(2), stage(3, 512, 512), nn.MaxPool2d(3, stride=1, padding=1)),
            *(conv(512, 1024, padding=6, dilation=6), conv(1024, 1024, 1)),
        )
        self.extras = nn.ModuleList(
            [
                nn.Sequential(conv(1024, 256, 1), conv(256, 512, stride=2, padding=1)),
                nn.Sequential(conv(512, 128, 1), conv(128, 256, stride=2, padding=1)),
                nn.Sequential(conv(256, 128, 1), conv(128, 256)),
                nn.Sequential(conv(256, 128, 1), conv(128, 256)),
            ]
        )
        self.loc = self._heads(4)
        self.conf = self._heads(CLASSES)
        self.prob = nn.Softmax(dim=2)

    @staticmethod
    def _heads(values: int) -> nn.ModuleList:
        """A 3x3 convolution of each source, with `values` for each of its boxes."""
        heads = (nn.Conv2d(width, boxes * values, 3, padding=1) for width, boxes in SOURCES)
        return nn.ModuleList(heads)

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """`loc` of 1 x 8732 x 4 and `conf` of 1 x 8732 x 21."""
        x = self.trunk(image)
        sources = [self.norm4(x), self.fc7(x)]
        for extra in self.extras:
            sources.append(extra(sources[-1]))
        loc = self._gathered(self.loc, sources, 4)
        return loc, self.prob(self._gathered(self.conf, sources, CLASSES))

    @staticmethod
    def _gathered(heads: nn.ModuleList, sources: list[torch.Tensor], values: int) -> torch.Tensor:
        found = [head(x).permute(0, 2, 3, 1) for head, x in zip(heads, sources, strict=True)]
        return torch.cat([x.flatten(1) for x in found], dim=1).unflatten(1, (-1, values))
