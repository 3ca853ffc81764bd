"""LeNet as Caffe's MNIST example defines it: two convolutions, two pools, two dense layers."""

import chainer
import chainer.functions as F  # noqa: N812
import chainer.links as L  # noqa: N812

INPUTS = {"image": (1, 1, 28, 28)}


class LeNet(chainer.Chain):
    def __init__(self, classes=10):
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 20, ksize=5)
            self.conv2 = L.Convolution2D(20, 50, ksize=5)
            self.ip1 = L.Linear(50 * 4 * 4, 500)
            self.ip2 = L.Linear(500, classes)

    def forward(self, image):
        x = F.max_pooling_2d(self.conv1(image), ksize=2, stride=2)
        x = F.max_pooling_2d(self.conv2(x), ksize=2, stride=2)
        x = F.relu(self.ip1(x))
        return F.softmax(self.ip2(x))
