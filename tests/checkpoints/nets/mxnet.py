from mxnet.gluon import nn

INPUTS = {"data": (1, 3, 8, 6)}


def net():
    block = nn.HybridSequential()
    block.add(
        nn.Conv2D(6, (3, 1), in_channels=3, use_bias=False),
        nn.BatchNorm(in_channels=6, epsilon=1e-3),
        nn.Activation("relu"),
        nn.Dense(10, in_units=216, activation="relu"),
        nn.Dense(5, in_units=10),
    )
    return block
