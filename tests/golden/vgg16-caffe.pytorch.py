"""vgg16/caffe in PyTorch."""

import torch
import torch.nn.functional as F
from torch import nn

INPUTS = {"data": (1, 3, 224, 224)}


class Vgg16(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1_1 = nn.Conv2d(3, 64, 3, padding=1)
        self.conv1_2 = nn.Conv2d(64, 64, 3, padding=1)
        self.conv2_1 = nn.Conv2d(64, 128, 3, padding=1)
        self.conv2_2 = nn.Conv2d(128, 128, 3, padding=1)
        self.conv3_1 = nn.Conv2d(128, 256, 3, padding=1)
        self.conv3_2 = nn.Conv2d(256, 256, 3, padding=1)
        self.conv3_3 = nn.Conv2d(256, 256, 3, padding=1)
        self.conv4_1 = nn.Conv2d(256, 512, 3, padding=1)
        self.conv4_2 = nn.Conv2d(512, 512, 3, padding=1)
        self.conv4_3 = nn.Conv2d(512, 512, 3, padding=1)
        self.conv5_1 = nn.Conv2d(512, 512, 3, padding=1)
        self.conv5_2 = nn.Conv2d(512, 512, 3, padding=1)
        self.conv5_3 = nn.Conv2d(512, 512, 3, padding=1)
        self.fc6 = nn.Linear(25088, 4096)
        self.drop6 = nn.Dropout()
        self.fc7 = nn.Linear(4096, 4096)
        self.drop7 = nn.Dropout()
        self.fc8 = nn.Linear(4096, 1000)

    def forward(self, data: torch.Tensor) -> torch.Tensor:
        x = self.conv2_1(
            F.max_pool2d(F.relu(self.conv1_2(F.relu(self.conv1_1(data)))), 2)
        )
        x = F.relu(self.conv3_1(F.max_pool2d(F.relu(self.conv2_2(F.relu(x))), 2)))
        x = self.conv4_1(F.max_pool2d(F.relu(self.conv3_3(F.relu(self.conv3_2(x)))), 2))
        x = F.max_pool2d(F.relu(self.conv4_3(F.relu(self.conv4_2(F.relu(x))))), 2)
        x = F.relu(self.conv5_3(F.relu(self.conv5_2(F.relu(self.conv5_1(x))))))
        x = self.fc7(self.drop6(F.relu(self.fc6(F.max_pool2d(x, 2).flatten(1)))))
        return F.softmax(self.fc8(self.drop7(F.relu(x))), dim=1)
