from torch import nn

INPUTS = {"x": (2, 7, 5)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(5, 6, batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.rnn(x)[0]


def model():
    return Net()
