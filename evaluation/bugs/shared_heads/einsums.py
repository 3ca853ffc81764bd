"""The decoder of shared heads in einsums over weights by head; `bug` is in the second block."""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS, SHARED = 70, 9, 32, 4, 2


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


class Layer(nn.Module):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug
        self.q_w, self.k_w, self.v_w = weight(32, WIDTH), weight(16, WIDTH), weight(16, WIDTH)
        if bug != "no bias of queries":
            self.q_b = weight(32)
        self.k_b, self.v_b = weight(16), weight(16)
        self.o_w, self.o_b = weight(WIDTH, 32), weight(WIDTH)
        self.wide_w, self.wide_b = weight(64, WIDTH), weight(64)
        self.thin_w, self.thin_b = weight(WIDTH, 64), weight(WIDTH)
        self.s1, self.t1, self.s2, self.t2 = (weight(WIDTH) for _ in range(4))

    def attend(self, x: torch.Tensor, raw: torch.Tensor) -> torch.Tensor:
        bias = None if self.bug == "no bias of queries" else self.q_b
        q = F.linear(x, self.q_w, bias).view(LENGTH, HEADS, 8)
        source = raw if self.bug == "keys of the raw" else x
        k = F.linear(source, self.k_w, self.k_b).view(LENGTH, SHARED, 8)
        v = F.linear(x, self.v_w, self.v_b).view(LENGTH, SHARED, 8)
        k, v = (one.repeat_interleave(HEADS // SHARED, dim=1) for one in (k, v))
        width = WIDTH if self.bug == "scale by the width" else 8
        score = torch.einsum("qhd,khd->hqk", q * width**-0.5, k)
        hidden = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
        share = score.masked_fill(hidden, -torch.inf).softmax(-1)
        read = torch.einsum("hqk,khd->qhd", share, v).reshape(1, LENGTH, WIDTH)
        return F.linear(read, self.o_w, self.o_b)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read = F.layer_norm(x, (WIDTH,), self.s1, self.t1)
        x = x + self.attend(read, x)
        kept = read if self.bug == "normed twice" else x
        bent = F.linear(F.layer_norm(kept, (WIDTH,), self.s2, self.t2), self.wide_w, self.wide_b)
        bent = F.gelu(bent, approximate="tanh" if self.bug == "tanh" else "none")
        return x + F.linear(bent, self.thin_w, self.thin_b)


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self.table, self.ends = weight(WORDS, WIDTH), weight(WORDS, WIDTH)
        self.one, self.two = Layer(""), Layer(bug)
        self.s, self.t = weight(WIDTH), weight(WIDTH)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.two(self.one(F.embedding(tokens, self.table)))
        if self.bug != "no last norm":
            x = F.layer_norm(x, (WIDTH,), self.s, self.t)
        return F.linear(x, self.ends)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
