"""The decoder with distances and slopes computed on the way; `bug` is in the second block."""

import math

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS, PART = 56, 14, 32, 8, 4


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


class Layer(nn.Module):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug
        self.wq, self.wk, self.wv, self.wo = (weight(WIDTH, WIDTH) for _ in range(4))
        self.bq, self.bk, self.bv, self.bo = (weight(WIDTH) for _ in range(4))
        self.w1, self.b1, self.w2, self.b2 = weight(64, 32), weight(64), weight(32, 64), weight(32)
        self.s1, self.t1, self.s2, self.t2 = (weight(WIDTH) for _ in range(4))

    def slopes(self) -> list[float]:
        ratio = math.pow(2, -4 / HEADS if self.bug == "ratio of four" else -8 / HEADS)
        first = 0 if self.bug == "first slope of one" else 1
        made = [ratio ** (head + first) for head in range(HEADS)]
        return made[::-1] if self.bug == "slopes reversed" else made

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read = F.layer_norm(x, (WIDTH,), self.s1, self.t1)
        q, k, v = (
            F.linear(read, w, b).view(1, LENGTH, HEADS, PART).transpose(1, 2)
            for w, b in ((self.wq, self.bq), (self.wk, self.bk), (self.wv, self.bv))
        )
        score = torch.matmul(q, k.mT) * PART**-0.5
        cap = 10.0 if self.bug == "cap of ten" else 20.0
        if self.bug != "not capped":
            score = torch.tanh(score / cap) * cap
        place = torch.arange(LENGTH, dtype=torch.float32)
        apart = place.view(-1, 1) - place
        if self.bug == "distances rounded up":
            apart = torch.ceil(apart / 2) * 2
        slopes = torch.tensor(self.slopes()).view(1, HEADS, 1, 1)
        if self.bug == "sign":
            score = score + slopes * apart
        elif self.bug != "no slopes":
            score = score - slopes * apart
        score = torch.where(apart >= 0, score, torch.tensor(-1e9))
        read = torch.matmul(F.softmax(score, -1), v).transpose(1, 2).reshape(x.shape)
        x = x + F.linear(read, self.wo, self.bo)
        wide = F.linear(F.layer_norm(x, (WIDTH,), self.s2, self.t2), self.w1, self.b1)
        if self.bug == "tanh of less":
            bent = 0.5 * wide * (1 + torch.tanh(0.79788456 * (wide + 0.04 * wide**3)))
        else:
            bent = F.gelu(wide, approximate="tanh")
        return x + F.linear(bent, self.w2, self.b2)


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.table, self.ends = weight(WORDS, WIDTH), weight(WORDS, WIDTH)
        self.one, self.two = Layer(""), Layer(bug)
        self.s, self.t = weight(WIDTH), weight(WIDTH)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.two(self.one(F.embedding(tokens, self.table)))
        return F.linear(F.layer_norm(x, (WIDTH,), self.s, self.t), self.ends)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
