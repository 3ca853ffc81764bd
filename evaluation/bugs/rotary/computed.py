"""The decoder with angles computed on the way and halves turned by themselves; `bug` is in the
second block.
"""

import torch
import torch.nn.functional as F
from torch import nn

WORDS, LENGTH, WIDTH, HEADS, PART = 80, 12, 32, 2, 16
BASES = {"base of 100": 100.0, "base of 500000": 500000.0}
SCALES = {"positions divided by four": 0.25}


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


class Layer(nn.Module):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug
        self.qkv_w, self.qkv_b = weight(3 * WIDTH, WIDTH), weight(3 * WIDTH)
        self.o_w, self.o_b = weight(WIDTH, WIDTH), weight(WIDTH)
        self.wide_w, self.wide_b = weight(64, WIDTH), weight(64)
        self.thin_w, self.thin_b = weight(WIDTH, 64), weight(WIDTH)
        self.s1, self.t1, self.s2, self.t2 = (weight(WIDTH) for _ in range(4))

    def turn(self, x: torch.Tensor, which: str) -> torch.Tensor:
        bug, part = self.bug, PART
        if bug == "half of the width":
            x, kept = x[..., : PART // 2], x[..., PART // 2 :]
            part = PART // 2
        steps = torch.arange(0, part, 2, dtype=torch.float32) / part
        if bug == "exponent not doubled":
            steps = steps / 2
        speed = torch.exp(-steps * torch.log(torch.tensor(BASES.get(bug, 10000.0))))
        at = torch.arange(LENGTH, dtype=torch.float32) * SCALES.get(bug, 1.0)
        if bug == "both start at one" or (bug == "keys start at one" and which == "k"):
            at = at + 1
        angle = torch.einsum("l,d->ld", at, speed)
        c, s = torch.cos(angle), torch.sin(angle)
        if bug == "sine for cosine":
            c, s = s, c
        if bug == "turned back":
            s = -s
        first, last = x[..., : part // 2], x[..., part // 2 :]
        if bug == "halves exchanged":
            first, last = last, first
        made = torch.cat((first * c - last * s, last * c + first * s), dim=-1)
        return torch.cat((made, kept), dim=-1) if bug == "half of the width" else made

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        packed = F.linear(x, self.qkv_w, self.qkv_b).reshape(LENGTH, 3, HEADS, PART)
        q, k, v = packed.permute(1, 2, 0, 3).unbind(0)
        q = self.turn(q, "q")
        if self.bug != "keys not turned":
            k = self.turn(k, "k")
        if self.bug == "values turned":
            v = self.turn(v, "v")
        score = q @ k.mT / PART**0.5
        late = torch.arange(LENGTH)[None, :] > torch.arange(LENGTH)[:, None]
        share = score.masked_fill(late, float("-inf")).softmax(-1)
        read = (share @ v).permute(1, 0, 2).reshape(1, LENGTH, WIDTH)
        return F.linear(read, self.o_w, self.o_b)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.attend(F.layer_norm(x, (WIDTH,), self.s1, self.t1)) + x
        wide = F.linear(F.layer_norm(x, (WIDTH,), self.s2, self.t2), self.wide_w, self.wide_b)
        return F.linear(0.5 * wide * (1 + torch.erf(wide / 2**0.5)), self.thin_w, self.thin_b) + x


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
