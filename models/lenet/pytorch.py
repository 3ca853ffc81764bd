"""LeNet as Caffe's MNIST example defines it: two convolutions, two pools, two dense layers."""

import torch
from torch import nn

INPUTS = {"image": (1, 1, 28, 28)}


class LeNet(nn.Module):
    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 20, kernel_size=5)
        self.pool1 = nn.MaxPool2d(kernel_size=2, stride=2)
        self.conv2 = nn.Conv2d(20, 50, kernel_size=5)
        self.pool2 = nn.MaxPool2d(kernel_size=2, stride=2)
        self.ip1 = nn.Linear(50 * 4 * 4, 500)
        self.relu1 = nn.ReLU()
        self.ip2 = nn.Linear(500, classes)
        self.prob = nn.Softmax(dim=1)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.pool1(self.conv1(image))
        x = self.pool2(self.conv2(x))
        x = self.relu1(self.ip1(x.flatten(1)))
        return self.prob(self.ip2(x))
