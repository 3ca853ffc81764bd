import torch
from torch import nn

INPUTS = {"x": (1, 12, 32)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(32, 32) for _ in range(3))
        self.o = nn.Linear(32, 32)

    def forward(self, x):
        q, k, v = (f(x).view(1, 12, 4, 8).transpose(1, 2) for f in (self.q, self.k, self.v))
        a = (q @ k.transpose(-1, -2) * 8**-0.5 + torch.full((12, 12), -1e9).triu(1)).softmax(-1)
        return self.o((a @ v).transpose(1, 2).reshape(1, 12, 32))


def model():
    return Net()
