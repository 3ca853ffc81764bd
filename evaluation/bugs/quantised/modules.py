"""A network of convolutions whose activations are rounded to levels, in float."""

import torch
from torch import nn


def rounded(x: torch.Tensor, step: float) -> torch.Tensor:
    return torch.clamp(torch.round(x / step), -128, 127) * step


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 24, 3, padding=1)
        self.fc1, self.fc2 = nn.Linear(24 * 16, 32), nn.Linear(32, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.conv1(rounded(x, 0.125)))
        x = torch.max_pool2d(rounded(x, 0.25), 2)
        x = torch.relu(self.conv2(x))
        x = torch.max_pool2d(rounded(x, 0.25), 2).flatten(1)
        x = rounded(torch.tanh(self.fc1(x)), 0.0625)
        return self.fc2(x)
