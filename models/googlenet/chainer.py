"""GoogLeNet as BVLC's reference model has it, of Chainer's own inception modules."""

import chainer
import chainer.functions as F  # noqa: N812
import chainer.links as L  # noqa: N812

INPUTS = {"image": (1, 3, 224, 224)}


def norm(x):
    """Chainer does not divide alpha by the five channels, Caffe does."""
    return F.local_response_normalization(x, n=5, k=1, alpha=1e-4 / 5, beta=0.75)


def pool(x):
    return F.max_pooling_2d(x, ksize=3, stride=2)


class GoogLeNet(chainer.Chain):
    def __init__(self, classes=1000):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(3, 64, ksize=7, stride=2, pad=3)
            self.conv2_reduce = L.Convolution2D(64, 64, ksize=1)
            self.conv2 = L.Convolution2D(64, 192, ksize=3, pad=1)
            # Channels in, of 1x1, 3x3 reduced, 3x3, 5x5 reduced, 5x5, and behind the pool.
            self.inc3a = L.Inception(192, 64, 96, 128, 16, 32, 32)
            self.inc3b = L.Inception(256, 128, 128, 192, 32, 96, 64)
            self.inc4a = L.Inception(480, 192, 96, 208, 16, 48, 64)
            self.inc4b = L.Inception(512, 160, 112, 224, 24, 64, 64)
            self.inc4c = L.Inception(512, 128, 128, 256, 24, 64, 64)
            self.inc4d = L.Inception(512, 112, 144, 288, 32, 64, 64)
            self.inc4e = L.Inception(528, 256, 160, 320, 32, 128, 128)
            self.inc5a = L.Inception(832, 256, 160, 320, 32, 128, 128)
            self.inc5b = L.Inception(832, 384, 192, 384, 48, 128, 128)
            self.classifier = L.Linear(1024, classes)

    def forward(self, image):
        x = norm(pool(F.relu(self.conv1(image))))
        x = F.relu(self.conv2(F.relu(self.conv2_reduce(x))))
        x = self.inc3b(self.inc3a(pool(norm(x))))
        x = self.inc4c(self.inc4b(self.inc4a(pool(x))))
        x = self.inc4e(self.inc4d(x))
        x = self.inc5b(self.inc5a(pool(x)))
        x = F.dropout(F.average_pooling_2d(x, ksize=7, stride=1), ratio=0.4)
        return F.softmax(self.classifier(x))
