"""Two pairs of convolutions with dropout; the first of each pair keeps the image's size."""

from torch import nn

INPUTS = {"image": (1, 3, 32, 32)}


def pair(channels: int, width: int) -> list[nn.Module]:
    return [
        nn.Conv2d(channels, width, kernel_size=3, padding="same"),
        nn.ReLU(),
        nn.Conv2d(width, width, kernel_size=3),
        nn.ReLU(),
        nn.MaxPool2d(kernel_size=2),
        nn.Dropout(0.25),
    ]


def model(classes: int = 10) -> nn.Sequential:
    return nn.Sequential(
        *pair(3, 32),
        *pair(32, 64),
        nn.Flatten(),
        nn.Linear(64 * 6 * 6, 512),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(512, classes),
        nn.Softmax(dim=1),
    )
