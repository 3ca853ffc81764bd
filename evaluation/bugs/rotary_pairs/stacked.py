"""The decoder with even and odd features turned apart and stacked; `bug` is in the second block."""

import math

import torch
from torch import nn

WORDS, LENGTH, WIDTH, HEADS, SHARED, PART = 72, 10, 32, 4, 2, 8


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


class Layer(nn.Module):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug
        self.query, self.key, self.value = weight(32, WIDTH), weight(16, WIDTH), weight(16, WIDTH)
        self.out = weight(WIDTH, 32)
        self.one, self.two, self.three = weight(48, WIDTH), weight(48, WIDTH), weight(WIDTH, 48)
        self.scale1, self.scale2 = weight(WIDTH), weight(WIDTH)
        base = 1000.0 if bug == "base of 1000" else 10000.0
        width = 2 * PART if bug == "divided by twice the width" else PART
        speed = torch.tensor([base ** (-2 * i / width) for i in range(PART // 2)])
        at = torch.arange(LENGTH) * (0.5 if bug == "positions halved" else 1.0)
        angle = at.view(-1, 1, 1) * speed
        self.register_buffer("c", angle.cos(), persistent=False)
        self.register_buffer("s", angle.sin(), persistent=False)

    def norm(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * scale

    def turn(self, x: torch.Tensor) -> torch.Tensor:
        even, odd = x[..., 0::2], x[..., 1::2]
        if self.bug == "halves in place of pairs":
            even, odd = x[..., : PART // 2], x[..., PART // 2 :]
            return torch.cat([even * self.c - odd * self.s, even * self.s + odd * self.c], -1)
        if self.bug == "even and odd":
            even, odd = odd, even
        first = even * self.c - odd * self.s
        last = even * self.s + odd * self.c
        return torch.stack([first, last], -1).view(x.shape)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        q = self.turn(torch.matmul(x, self.query.T).view(LENGTH, HEADS, PART))
        k = self.turn(torch.matmul(x, self.key.T).view(LENGTH, SHARED, PART))
        v = torch.matmul(x, self.value.T).view(LENGTH, SHARED, PART)
        if self.bug == "keys and values tiled":
            k, v = (y.repeat(1, HEADS // SHARED, 1) for y in (k, v))
        else:
            k, v = (
                y[:, :, None].expand(LENGTH, SHARED, 2, PART).reshape(LENGTH, HEADS, PART)
                for y in (k, v)
            )
        width = WIDTH if self.bug == "scale by the width" else PART
        score = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(width)
        score = score + torch.full((LENGTH, LENGTH), float("-inf")).triu(1)
        if self.bug == "temperature of two":
            score = score / 2
        read = torch.einsum("hqk,khd->qhd", score.softmax(-1), v).reshape(1, LENGTH, WIDTH)
        return torch.matmul(read, self.out.T)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attend(self.norm(x, self.scale1)[0])
        read = self.norm(x, self.scale2)
        gate = read @ self.one.T
        active = torch.sigmoid(1.702 * gate) if self.bug == "quick" else torch.sigmoid(gate)
        return x + (gate * active * (read @ self.two.T)) @ self.three.T


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.embedding, self.logits = weight(WORDS, WIDTH), weight(WORDS, WIDTH)
        self.first, self.second = Layer(""), Layer(bug)
        self.scale = weight(WIDTH)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.second(self.first(self.embedding[tokens]))
        return self.first.norm(x, self.scale) @ self.logits.T


def network(bug: str = "") -> nn.Module:
    return Port(bug)
