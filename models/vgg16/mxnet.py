"""VGG-16 as a Gluon block: thirteen 3 x 3 convolutions in five stages, three dense layers."""

from mxnet.gluon import HybridBlock, nn

INPUTS = {"data": (1, 3, 224, 224)}
STAGES = ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))


class VGG16(HybridBlock):
    def __init__(self, classes=1000, **settings):
        super().__init__(**settings)
        with self.name_scope():
            self.features = nn.HybridSequential()
            for convolutions, channels in STAGES:
                for _ in range(convolutions):
                    self.features.add(nn.Conv2D(channels, 3, padding=1, activation="relu"))
                self.features.add(nn.MaxPool2D(2, 2))
            self.classifier = nn.HybridSequential()
            for _ in range(2):
                self.classifier.add(nn.Dense(4096, activation="relu"), nn.Dropout(0.5))
            self.classifier.add(nn.Dense(classes))

    def hybrid_forward(self, F, x):  # noqa: N803
        return F.softmax(self.classifier(self.features(x)))
