"""The quick CIFAR-10 network of Caffe's examples: pools round up, as Caffe's do."""

import torch
from torch import nn

INPUTS = {"image": (1, 3, 32, 32)}


class CIFAR10Quick(nn.Module):
    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, kernel_size=5, padding=2)
        self.pool1 = nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(32, 32, kernel_size=5, padding=2)
        self.relu2 = nn.ReLU()
        self.pool2 = nn.AvgPool2d(kernel_size=3, stride=2, ceil_mode=True)
        self.conv3 = nn.Conv2d(32, 64, kernel_size=5, padding=2)
        self.relu3 = nn.ReLU()
        self.pool3 = nn.AvgPool2d(kernel_size=3, stride=2, ceil_mode=True)
        self.ip1 = nn.Linear(64 * 4 * 4, 64)
        self.ip2 = nn.Linear(64, classes)
        self.prob = nn.Softmax(dim=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.relu1(self.pool1(self.conv1(image)))
        x = self.pool2(self.relu2(self.conv2(x)))
        x = self.pool3(self.relu3(self.conv3(x)))
        return self.prob(self.ip2(self.ip1(x.flatten(1))))
