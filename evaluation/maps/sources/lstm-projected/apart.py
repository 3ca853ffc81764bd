from torch import nn

INPUTS = {"x": (2, 7, 5)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.LSTM(5, 6, proj_size=4)
        self.two = nn.LSTM(4, 6, proj_size=4)
        self.out = nn.Linear(4, 3)

    def forward(self, x):
        y, _ = self.one(x.transpose(0, 1))
        y, _ = self.two(y)
        return self.out(y.transpose(0, 1))


def model():
    return Net()
