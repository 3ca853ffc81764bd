import torch
from torch import nn

INPUTS = {"x": (1, 16, 8)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pos, self.f = nn.Parameter(torch.randn(1, 64, 8)), nn.Linear(8, 8)

    def forward(self, x):
        return self.f(x + self.pos[:, :16])


def model():
    return Net()
