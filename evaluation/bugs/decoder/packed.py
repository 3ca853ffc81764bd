"""The decoder with query, key and value packed and a mask; `bug` is in the second block."""

import torch
from torch import nn

WORDS, LENGTH, WIDTH, HEADS = 90, 10, 32, 4


def weight(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape))


class Layer(nn.Module):
    def __init__(self, bug: str) -> None:
        super().__init__()
        self.bug = bug
        self.qkv, self.proj = weight(3 * WIDTH, WIDTH), weight(WIDTH, WIDTH)
        self.both, self.narrow = weight(96, WIDTH), weight(WIDTH, 48)
        self.scale1, self.scale2 = weight(WIDTH), weight(WIDTH)

    def norm(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        eps = 1e-5 if self.bug == "epsilon" and scale is self.scale1 else 1e-6
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * scale

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        made = torch.matmul(x, self.qkv.transpose(0, 1))
        made = made.view(*x.shape[:2], 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        query, key, value = made[0], made[1], made[2]
        if self.bug == "values as keys":
            key, value = value, key
        score = torch.matmul(query, key.transpose(-1, -2)) * (WIDTH // HEADS) ** -0.5
        if self.bug != "not causal":
            last = 1 if self.bug == "sees the next" else 0
            open_ = torch.ones(LENGTH, LENGTH).tril(last).bool()
            score = torch.where(open_, score, torch.full((), -1e9))
        read = torch.matmul(torch.softmax(score, dim=-1), value)
        read = read.permute(0, 2, 1, 3).reshape(x.shape)
        return torch.matmul(read, self.proj.transpose(0, 1))

    def dense(self, x: torch.Tensor) -> torch.Tensor:
        gate, up = torch.matmul(x, self.both.transpose(0, 1)).chunk(2, dim=-1)
        if self.bug == "gate and up":
            gate, up = up, gate
        if self.bug == "gelu":
            active = torch.nn.functional.gelu(gate)
        else:
            active = gate * torch.sigmoid(gate)
        return torch.matmul(active * up, self.narrow.transpose(0, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.bug == "side by side":
            read = self.norm(x, self.scale1)
            return x + self.attend(read) + self.dense(self.norm(x, self.scale2))
        if self.bug == "sum of the normed":
            read = self.norm(x, self.scale1)
            x = read + self.attend(read)
        else:
            x = x + self.attend(self.norm(x, self.scale1))
        return x + self.dense(self.norm(x, self.scale2))


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self.embedding, self.position = weight(WORDS, WIDTH), weight(LENGTH, WIDTH)
        self.one, self.two = Layer(""), Layer(bug)
        self.scale = weight(WIDTH)
        self.logits = weight(WORDS, WIDTH) if bug == "not tied" else self.embedding

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = torch.nn.functional.embedding(tokens, self.embedding)
        if self.bug == "words scaled":
            x = x * WIDTH**0.5
        if self.bug != "no positions":
            x = self.position + x
        x = self.two(self.one(x))
        if self.bug != "no last norm":
            x = self.one.norm(x, self.scale)
        return torch.matmul(x, self.logits.transpose(0, 1))


def network(bug: str = "") -> nn.Module:
    return Port(bug)
