"""A high-resolution network: branches of several resolutions, exchanged after every module."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 128, 128)}

WIDTHS, MODULES, BLOCKS = (8, 16, 32, 64), (1, 2, 2), 2
"""Channels of the branches; modules of the stages of two, three and four branches."""


def unit(before: int, after: int, kernel: int, stride: int = 1, active: bool = True) -> nn.Module:
    layers: list[nn.Module] = [
        nn.Conv2d(before, after, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(after),
    ]
    return nn.Sequential(*layers, *([nn.ReLU()] if active else []))


class Basic(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = unit(width, width, 3), unit(width, width, 3, active=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.second(self.first(x)) + x)


class Bottleneck(nn.Module):
    def __init__(self, before: int, width: int) -> None:
        super().__init__()
        self.main = nn.Sequential(
            unit(before, width, 1), unit(width, width, 3), unit(width, 4 * width, 1, active=False)
        )
        self.side = None if before == 4 * width else unit(before, 4 * width, 1, active=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        side = x if self.side is None else self.side(x)
        return torch.relu(self.main(x) + side)


def path(source: int, target: int) -> nn.Module:
    """From one branch to another: strided convolutions down, 1x1 and nearest pixels up."""
    if source > target:
        grown = nn.Upsample(scale_factor=2 ** (source - target), mode="nearest")
        return nn.Sequential(unit(WIDTHS[source], WIDTHS[target], 1, active=False), grown)
    steps = [unit(WIDTHS[source], WIDTHS[source], 3, 2) for _ in range(target - source - 1)]
    return nn.Sequential(*steps, unit(WIDTHS[source], WIDTHS[target], 3, 2, active=False))


class Exchange(nn.Module):
    """Blocks in every branch, then every branch a sum over all of them."""

    def __init__(self, branches: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList(
            nn.Sequential(*(Basic(WIDTHS[n]) for _ in range(BLOCKS))) for n in range(branches)
        )
        self.paths = nn.ModuleList(
            nn.ModuleList(
                nn.Identity() if source == target else path(source, target)
                for source in range(branches)
            )
            for target in range(branches)
        )

    def forward(self, states: list[torch.Tensor]) -> list[torch.Tensor]:
        states = [branch(x) for branch, x in zip(self.branches, states, strict=True)]
        made = []
        for paths in self.paths:
            total = paths[0](states[0])
            for step, x in zip(paths[1:], states[1:], strict=True):
                total = total + step(x)
            made.append(torch.relu(total))
        return made


class HighResolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(unit(3, 16, 3, 2), unit(16, 16, 3, 2))
        self.layer1 = nn.Sequential(Bottleneck(16, 8), Bottleneck(32, 8), Bottleneck(32, 8))
        self.first = nn.ModuleList([unit(32, WIDTHS[0], 3), unit(32, WIDTHS[1], 3, 2)])
        self.deeper = nn.ModuleList(
            [unit(WIDTHS[1], WIDTHS[2], 3, 2), unit(WIDTHS[2], WIDTHS[3], 3, 2)]
        )
        self.stages = nn.ModuleList(
            nn.ModuleList(Exchange(n + 2) for _ in range(count)) for n, count in enumerate(MODULES)
        )
        self.head = nn.Sequential(unit(sum(WIDTHS), 64, 1), nn.Conv2d(64, 19, 1))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.layer1(self.stem(image))
        states = [step(x) for step in self.first]
        for number, stage in enumerate(self.stages):
            if number:
                states = [*states, self.deeper[number - 1](states[-1])]
            for module in stage:
                states = module(states)
        size = states[0].shape[2:]
        grown = [nn.functional.interpolate(x, size=size, mode="bilinear") for x in states[1:]]
        return self.head(torch.cat([states[0], *grown], dim=1))
