"""lenet/keras in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn

INPUTS = {"image": (1, 1, 28, 28)}


class Lenet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 20, 5)
        self.conv2 = nn.Conv2d(20, 50, 5)
        self.ip1 = nn.Linear(800, 500)
        self.ip2 = nn.Linear(500, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(self.conv2(F.max_pool2d(self.conv1(image), 2)), 2)
        x = self.ip2(F.relu(self.ip1(x.permute(0, 2, 3, 1).flatten(1))))
        return F.softmax(x, dim=1)
