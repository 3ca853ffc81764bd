"""The network as functions of parameters, norms written out; `bug` is what the porter got wrong."""

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HALF = 32, 16


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        for name, shape in (
            ("t1", (64, 32)),
            ("t2", (64, 64)),
            ("a_t", (64, 64)),
            ("b_t", (64, 64)),
        ):
            self._two(name, shape)
        for name, shape in (("s", (WIDTH, 3, 3, 3)), ("o", (3, WIDTH, 3, 3))):
            self._two(name, shape)
        for block in "ab":
            for place in "12":
                self._two(f"{block}{place}", (WIDTH, WIDTH, 3, 3))
                self._two(f"{block}{place}_n", (WIDTH,))
        self._two("n", (WIDTH,))

    def _two(self, name: str, shape: tuple[int, ...]) -> None:
        self.register_parameter(f"{name}_w", nn.Parameter(torch.randn(shape)))
        self.register_parameter(f"{name}_b", nn.Parameter(torch.randn(shape[0])))

    def times(self, t: torch.Tensor) -> torch.Tensor:
        bug = self.bug
        base = 1000.0 if bug == "period of a thousand" else 10000.0
        parts = HALF - 1 if bug == "divided by one less" else HALF
        steps = torch.arange(HALF, dtype=torch.float32) / parts
        speed = torch.pow(torch.tensor(base), -steps)
        if bug == "speeds reversed":
            speed = speed.flip(0)
        if bug == "times a thousand":
            t = t * 1000.0
        angle = torch.outer(t, speed)
        both = [torch.cos(angle), torch.sin(angle)]
        if bug == "sines first":
            both = both[::-1]
        told = torch.stack(both, 2).flatten(1) if bug == "interleaved" else torch.hstack(both)
        return self.dense(self.swish(self.dense(told, "t1")), "t2")

    def dense(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return torch.addmm(getattr(self, f"{name}_b"), x, getattr(self, f"{name}_w").t())

    def swish(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(x)

    def normed(self, x: torch.Tensor, name: str) -> torch.Tensor:
        groups = 16 if self.bug == "sixteen groups" and name == "b2_n" else 8
        eps = 1e-5 if self.bug == "epsilon" and name == "b1_n" else 1e-6
        held = x.reshape(x.shape[0], groups, -1)
        held = held - held.mean(-1, keepdim=True)
        held = (held / torch.sqrt(held.square().mean(-1, keepdim=True) + eps)).view_as(x)
        w, b = getattr(self, f"{name}_w"), getattr(self, f"{name}_b")
        return held * w.view(1, -1, 1, 1) + b.view(1, -1, 1, 1)

    def conv(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return F.conv2d(x, getattr(self, f"{name}_w"), getattr(self, f"{name}_b"), padding=1)

    def block(self, x: torch.Tensor, told: torch.Tensor, name: str) -> torch.Tensor:
        wrong = self.bug if name == "b" else ""
        made = self.conv(self.swish(self.normed(x, f"{name}1_n")), f"{name}1")
        read = told if wrong == "time not bent" else self.swish(told)
        both = self.dense(read, f"{name}_t").view(1, -1, 1, 1)
        scale, shift = both[:, :WIDTH], both[:, WIDTH:]
        if wrong == "scale and shift":
            scale, shift = shift, scale
        if wrong == "told before the norm":
            made = self.normed(made * (1 + scale) + shift, f"{name}2_n")
        elif wrong == "scale of no one":
            made = self.normed(made, f"{name}2_n") * scale + shift
        else:
            made = self.normed(made, f"{name}2_n")
            made = torch.addcmul(shift, made, 1 + scale)
        return self.conv(self.swish(made), f"{name}2") + x

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        told, x = self.times(t), self.conv(x, "s")
        x = self.block(self.block(x, told, "a"), told, "b")
        return self.conv(self.swish(self.normed(x, "n")), "o")


def network(bug: str = "") -> nn.Module:
    return Port(bug)
