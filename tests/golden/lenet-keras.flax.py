"""lenet/keras in Flax."""

import jax
from flax import nnx

INPUTS = {"image": (1, 28, 28, 1)}


class Lenet(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs) -> None:
        self.conv1 = nnx.Conv(1, 20, (5, 5), padding="VALID", rngs=rngs)
        self.conv2 = nnx.Conv(20, 50, (5, 5), padding="VALID", rngs=rngs)
        self.ip1 = nnx.Linear(800, 500, rngs=rngs)
        self.ip2 = nnx.Linear(500, 10, rngs=rngs)

    def __call__(self, image: jax.Array) -> jax.Array:
        x = self.conv2(nnx.max_pool(self.conv1(image), (2, 2), strides=(2, 2)))
        x = nnx.max_pool(x, (2, 2), strides=(2, 2))
        return nnx.softmax(self.ip2(nnx.relu(self.ip1(x.reshape(x.shape[0], -1)))))
