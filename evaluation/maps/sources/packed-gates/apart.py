from torch import nn

INPUTS = {"x": (1, 12, 32)}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.value, self.gate = nn.Linear(32, 64), nn.Linear(32, 64)
        self.down = nn.Linear(64, 32)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.value(x))


def model():
    return Net()
