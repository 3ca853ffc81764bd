"""The encoder with fused attention and buckets from a list; `bug` is what the porter got wrong."""

import math

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS, COUNT = 66, 24, 32, 4, 16


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


def bucket(apart: int, bug: str) -> int:
    """The bucket of a key so far behind its query."""
    far = 40 if bug == "farther" else 20
    count = 8 if bug == "half the buckets" else COUNT
    if bug == "one way":
        exact, half, start, apart = count // 2, count, 0, max(-apart, 0)
    else:
        ahead = apart < 0 if bug == "sign" else apart > 0
        exact, half, start, apart = count // 4, count // 2, count // 2 * ahead, abs(apart)
    if apart < exact + (bug == "one more exact"):
        return start + apart
    share = math.log(apart / exact) / math.log(far / exact) * (half - exact)
    whole = round(share) if bug == "rounded" else int(share)
    return start + min(exact + whole, half - 1)


class Layer(nn.Module):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug
        self.qkv, self.o = weight(3, WIDTH, WIDTH), weight(WIDTH, WIDTH)
        self.i, self.e = weight(WIDTH, 64), weight(64, WIDTH)
        self.scale1, self.scale2 = weight(WIDTH), weight(WIDTH)

    def norm(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return scale * (x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6))

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        read = self.norm(x, self.scale1)
        q, k, v = (torch.einsum("ld,ed->le", read[0], w).view(LENGTH, HEADS, 8) for w in self.qkv)
        q, k, v = (y.permute(1, 0, 2).unsqueeze(0) for y in (q, k, v))
        if self.bug == "bias forgotten":
            made = F.scaled_dot_product_attention(q, k, v, scale=1.0)
        else:
            scale = None if self.bug == "scaled" else 1.0
            made = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=scale)
        x = x + torch.einsum("hle,dhe->ld", made[0], self.o.view(WIDTH, HEADS, 8))
        wide = self.norm(x, self.scale2) @ self.i
        active = F.gelu(wide) if self.bug == "gelu" else wide.clamp(min=0)
        return x + active @ self.e


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self.table, self.biases = weight(WORDS, WIDTH), weight(COUNT, HEADS)
        self.one, self.two = Layer(""), Layer(bug)
        self.scale = weight(WIDTH)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = F.embedding(tokens, self.table)
        rows = [[bucket(k - q, self.bug) for k in range(LENGTH)] for q in range(LENGTH)]
        at = torch.tensor(rows)
        if self.bug == "index transposed":
            at = at.T
        bias = self.biases[at.flatten()].view(LENGTH, LENGTH, HEADS).permute(2, 0, 1)[None]
        return self.one.norm(self.two(self.one(x, bias), bias), self.scale)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
