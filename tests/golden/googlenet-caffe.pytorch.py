"""googlenet/caffe in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn

INPUTS = {"data": (1, 3, 224, 224)}


class InceptionModule(nn.Module):
    def __init__(
        self,
        in_channels: int,
        conv_1x1_channels: int,
        reduce_3x3_channels: int,
        conv_3x3_channels: int,
        reduce_5x5_channels: int,
        conv_5x5_channels: int,
        pool_proj_channels: int,
    ) -> None:
        super().__init__()
        self.conv_1x1 = nn.Conv2d(in_channels, conv_1x1_channels, 1)
        self.reduce_3x3 = nn.Conv2d(in_channels, reduce_3x3_channels, 1)
        self.conv_3x3 = nn.Conv2d(reduce_3x3_channels, conv_3x3_channels, 3, padding=1)
        self.reduce_5x5 = nn.Conv2d(in_channels, reduce_5x5_channels, 1)
        self.conv_5x5 = nn.Conv2d(reduce_5x5_channels, conv_5x5_channels, 5, padding=2)
        self.pool_proj = nn.Conv2d(in_channels, pool_proj_channels, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        branch1 = F.relu(self.conv_1x1(x))
        branch2 = F.relu(self.conv_3x3(F.relu(self.reduce_3x3(x))))
        branch3 = F.relu(self.conv_5x5(F.relu(self.reduce_5x5(x))))
        branch4 = F.relu(self.pool_proj(F.max_pool2d(x, 3, stride=1, padding=1)))
        return torch.cat([branch1, branch2, branch3, branch4], dim=1)


class Googlenet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1_7x7_s2 = nn.Conv2d(3, 64, 7, stride=2, padding=3)
        self.conv2_3x3_reduce = nn.Conv2d(64, 64, 1)
        self.conv2_3x3 = nn.Conv2d(64, 192, 3, padding=1)
        self.inception_3a = InceptionModule(192, 64, 96, 128, 16, 32, 32)
        self.inception_3b = InceptionModule(256, 128, 128, 192, 32, 96, 64)
        self.inception_4a = InceptionModule(480, 192, 96, 208, 16, 48, 64)
        self.inception_4b = InceptionModule(512, 160, 112, 224, 24, 64, 64)
        self.inception_4c = InceptionModule(512, 128, 128, 256, 24, 64, 64)
        self.inception_4d = InceptionModule(512, 112, 144, 288, 32, 64, 64)
        self.inception_4e = InceptionModule(528, 256, 160, 320, 32, 128, 128)
        self.inception_5a = InceptionModule(832, 256, 160, 320, 32, 128, 128)
        self.inception_5b = InceptionModule(832, 384, 192, 384, 48, 128, 128)
        self.pool5_drop_7x7_s1 = nn.Dropout(0.4)
        self.loss3_classifier = nn.Linear(1024, 1000)

    def forward(self, data: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(F.relu(self.conv1_7x7_s2(data)), 3, stride=2, ceil_mode=True)
        x = self.conv2_3x3(F.relu(self.conv2_3x3_reduce(F.local_response_norm(x, 5))))
        x = F.local_response_norm(F.relu(x), 5)
        x = self.inception_3a(F.max_pool2d(x, 3, stride=2, ceil_mode=True))
        x = F.max_pool2d(self.inception_3b(x), 3, stride=2, ceil_mode=True)
        x = self.inception_4c(self.inception_4b(self.inception_4a(x)))
        x = self.inception_4e(self.inception_4d(x))
        x = self.inception_5a(F.max_pool2d(x, 3, stride=2, ceil_mode=True))
        x = self.pool5_drop_7x7_s1(F.adaptive_avg_pool2d(self.inception_5b(x), 1))
        return F.softmax(self.loss3_classifier(x.flatten(1)), dim=1)
