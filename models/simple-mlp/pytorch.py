"""A perceptron of two hidden layers for MNIST digits given as vectors."""

from torch import nn

INPUTS = {"image": (1, 784)}


def model(classes: int = 10) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(784, 512),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(512, 512),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(512, classes),
        nn.Softmax(dim=1),
    )
