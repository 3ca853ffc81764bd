"""resnet50/caffe in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn

INPUTS = {"data": (1, 3, 224, 224)}


class Bottleneck(nn.Module):
    def __init__(self, in_channels: int, channels: int, stride: int = 2) -> None:
        super().__init__()
        self.res_branch1 = nn.Conv2d(
            in_channels, 4 * channels, 1, stride=stride, bias=False
        )
        self.bn_branch1 = nn.BatchNorm2d(4 * channels)
        self.res_branch2a = nn.Conv2d(
            in_channels, channels, 1, stride=stride, bias=False
        )
        self.bn_branch2a = nn.BatchNorm2d(channels)
        self.res_branch2b = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn_branch2b = nn.BatchNorm2d(channels)
        self.res_branch2c = nn.Conv2d(channels, 4 * channels, 1, bias=False)
        self.bn_branch2c = nn.BatchNorm2d(4 * channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn_branch1(self.res_branch1(x))
        x = self.res_branch2b(F.relu(self.bn_branch2a(self.res_branch2a(x))))
        return F.relu(
            y + self.bn_branch2c(self.res_branch2c(F.relu(self.bn_branch2b(x))))
        )


class Bottleneck2(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.res_branch2a = nn.Conv2d(4 * channels, channels, 1, bias=False)
        self.bn_branch2a = nn.BatchNorm2d(channels)
        self.res_branch2b = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn_branch2b = nn.BatchNorm2d(channels)
        self.res_branch2c = nn.Conv2d(channels, 4 * channels, 1, bias=False)
        self.bn_branch2c = nn.BatchNorm2d(4 * channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.res_branch2b(F.relu(self.bn_branch2a(self.res_branch2a(x))))
        return F.relu(
            x + self.bn_branch2c(self.res_branch2c(F.relu(self.bn_branch2b(y))))
        )


class Resnet50(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3)
        self.bn_conv1 = nn.BatchNorm2d(64)
        self.res2a = Bottleneck(64, 64, stride=1)
        self.res2b = Bottleneck2(64)
        self.res2c = Bottleneck2(64)
        self.res3a = Bottleneck(256, 128)
        self.res3b = Bottleneck2(128)
        self.res3c = Bottleneck2(128)
        self.res3d = Bottleneck2(128)
        self.res4a = Bottleneck(512, 256)
        self.res4b = Bottleneck2(256)
        self.res4c = Bottleneck2(256)
        self.res4d = Bottleneck2(256)
        self.res4e = Bottleneck2(256)
        self.res4f = Bottleneck2(256)
        self.res5a = Bottleneck(1024, 512)
        self.res5b = Bottleneck2(512)
        self.res5c = Bottleneck2(512)
        self.fc1000 = nn.Linear(2048, 1000)

    def forward(self, data: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.bn_conv1(self.conv1(data)))
        x = self.res2b(self.res2a(F.max_pool2d(x, 3, stride=2, ceil_mode=True)))
        x = self.res4a(self.res3d(self.res3c(self.res3b(self.res3a(self.res2c(x))))))
        x = self.res5a(self.res4f(self.res4e(self.res4d(self.res4c(self.res4b(x))))))
        x = self.fc1000(F.adaptive_avg_pool2d(self.res5c(self.res5b(x)), 1).flatten(1))
        return F.softmax(x, dim=1)
