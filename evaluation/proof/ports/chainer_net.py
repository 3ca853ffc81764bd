"""A chain of what the catalog's have little of."""

import chainer
import chainer.functions as F
import chainer.links as L


class Net(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.first = L.Convolution2D(6, 16, 3, pad=1)
            self.norm = L.BatchNormalization(16, eps=1e-3)
            self.up = L.Deconvolution2D(16, 12, 4, stride=2, pad=1)
            self.wide = L.DilatedConvolution2D(12, 12, 3, pad=2, dilate=2)
            self.layer = L.LayerNormalization(12, eps=1e-6)
            self.last = L.Linear(12, 12)

    def forward(self, x: chainer.Variable) -> chainer.Variable:
        x = F.leaky_relu(self.norm(self.first(x)), 0.1)
        x = F.local_response_normalization(F.elu(x, 0.7), alpha=3e-4)
        x = F.concat([F.max_pooling_2d(x, 3, 2), F.average_pooling_2d(x, 3, 2, 1)])
        x = self.up(x[:, 8:24])
        x = F.clip(F.normalize(self.wide(x), eps=1e-6) * 3, -0.5, 1.0)
        x = F.reshape(F.transpose(x, (0, 2, 3, 1)), (-1, 12))
        x = F.sigmoid(self.last(self.layer(x)))
        return F.softmax(x, axis=0)
