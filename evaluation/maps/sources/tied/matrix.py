from torch import nn

INPUTS = {"ids": ((1, 7), "int64")}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.bn = nn.Embedding(50, 16), nn.BatchNorm1d(7)

    def forward(self, ids):
        return self.bn(self.embedding(ids)) @ self.embedding.weight.t()


def model():
    return Net()
