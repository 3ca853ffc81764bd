from torch import nn

INPUTS = {"ids": ((1, 7), "int64")}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.norm = nn.Embedding(50, 16), nn.BatchNorm1d(7)
        self.head = nn.Linear(16, 50, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids):
        return self.head(self.norm(self.words(ids)))


def model():
    return Net()
