import torch
from torch import nn

INPUTS = {"x": (1, 16, 8)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos, self.f = nn.Embedding(64, 8), nn.Linear(8, 8)

    def forward(self, x):
        return self.f(x + self.pos(torch.arange(16)))


def model():
    return Net()
