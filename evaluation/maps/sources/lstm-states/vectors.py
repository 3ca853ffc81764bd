import torch
from torch import nn

INPUTS = {"x": (1, 7, 5)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(5, 6)
        self.start = nn.Parameter(torch.randn(2, 6))

    def forward(self, x):
        h, c = (one.reshape(1, 1, 6) for one in self.start)
        return self.cell(x.transpose(0, 1), (h, c))[0].transpose(0, 1)


def model():
    return Net()
