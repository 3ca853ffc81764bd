"""A tower of gated convolutions over a sequence, with scaled residuals and an output of bins."""

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, LENGTH = 16, 32


class Gated(nn.Module):
    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(WIDTH, 2 * WIDTH, 3, padding=dilation, dilation=dilation)
        self.norm, self.mix = nn.BatchNorm1d(WIDTH), nn.Conv1d(WIDTH, WIDTH, 1)
        self.gamma = nn.Parameter(torch.full((WIDTH, 1), 0.1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made = F.glu(self.conv(x), dim=1)
        return x + self.gamma * self.mix(self.norm(made))


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv1d(1, WIDTH, 1)
        self.tower = nn.Sequential(Gated(1), Gated(2), Gated(4))
        self.head = nn.Conv1d(WIDTH, 10, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made = torch.tanh(self.tower(self.stem(x)))
        return F.softmax(self.head(made) / 0.7, dim=1)
