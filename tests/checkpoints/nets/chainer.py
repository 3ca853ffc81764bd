import chainer
import chainer.functions as F
import chainer.links as L

INPUTS = {"x": (1, 3, 8, 6)}


class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(3, 6, (3, 1), nobias=True)
            self.norm = L.BatchNormalization(6, eps=1e-3)
            self.first = L.Linear(6 * 6 * 6, 10)
            self.second = L.Linear(10, 5)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        return self.second(F.relu(self.first(x)))
