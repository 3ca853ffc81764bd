"""The encoder written out, hidden tokens filled in; `bug` is what the porter got wrong."""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 50, 10, 32, 4


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


class Layer(nn.Module):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug
        self.qkv_w, self.qkv_b = weight(3 * WIDTH, WIDTH), weight(3 * WIDTH)
        self.o_w, self.o_b = weight(WIDTH, WIDTH), weight(WIDTH)
        self.w1, self.b1, self.w2, self.b2 = weight(64, 32), weight(64), weight(32, 64), weight(32)
        self.s1, self.t1, self.s2, self.t2 = (weight(WIDTH) for _ in range(4))

    def attend(self, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        packed = F.linear(x, self.qkv_w, self.qkv_b).view(1, LENGTH, 3, HEADS, 8)
        q, k, v = packed.permute(2, 0, 3, 1, 4)
        score = torch.matmul(q * 8**-0.5, k.transpose(-2, -1))
        if self.bug == "inverted":
            hidden = ~hidden
        hidden = hidden.view(1, 1, 1, LENGTH)
        if self.bug == "wrong axis":
            hidden = hidden.transpose(-1, -2)
        if self.bug == "behind the softmax":
            share = score.softmax(-1).masked_fill(hidden, 0.0)
        elif self.bug == "forgotten":
            share = score.softmax(-1)
        elif self.bug == "weak":
            share = score.masked_fill(hidden, -1.0).softmax(-1)
        else:
            share = score.masked_fill(hidden, torch.finfo(torch.float32).min).softmax(-1)
        read = torch.matmul(share, v).transpose(1, 2).flatten(2)
        return F.linear(read, self.o_w, self.o_b)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        x = x + self.attend(F.layer_norm(x, (WIDTH,), self.s1, self.t1), hidden)
        wide = F.linear(F.layer_norm(x, (WIDTH,), self.s2, self.t2), self.w1, self.b1)
        return x + F.linear(F.gelu(wide), self.w2, self.b2)


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self.table, self.rows = weight(WORDS, WIDTH), weight(LENGTH, WIDTH)
        self.one, self.two = Layer(""), Layer(bug)
        self.s, self.t, self.w, self.b = weight(WIDTH), weight(WIDTH), weight(7, WIDTH), weight(7)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = F.embedding(tokens, self.table) + self.rows
        hidden = mask == 0
        x = self.two(self.one(x, hidden), hidden)
        x = F.layer_norm(x, (WIDTH,), self.s, self.t)
        count = mask.sum(1, keepdim=True)
        if self.bug == "mean of all":
            return F.linear(x.mean(1), self.w, self.b)
        total = torch.where(hidden.unsqueeze(-1), torch.zeros(()), x).sum(1)
        if self.bug == "divided by all":
            return F.linear(total / LENGTH, self.w, self.b)
        least = 2 if self.bug == "two at least" else 1
        return F.linear(total / torch.clamp(count, least).to(x.dtype), self.w, self.b)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
