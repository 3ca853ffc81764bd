"""A small network of modules whose image is flattened before the dense layers."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16, eps=1e-3)
        self.depthwise = nn.Conv2d(16, 32, 3, padding=1, groups=16, bias=False)
        self.bn2 = nn.BatchNorm2d(32, eps=1e-3)
        self.project = nn.Conv2d(32, 16, 1, bias=False)
        self.fc1 = nn.Linear(16 * 8 * 8, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 2)
        made = self.project(torch.nn.functional.relu6(self.bn2(self.depthwise(x))))
        x = torch.max_pool2d(x + made, 2)
        return torch.softmax(self.fc2(torch.nn.functional.elu(self.fc1(x.flatten(1)))), 1)
