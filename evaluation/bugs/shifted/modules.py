"""Two blocks of windows in the manner of Swin: the second shifted, with its mask and biases."""

import torch
from torch import nn

HIGH, WIDE, WIDTH, HEADS, SIDE, SHIFT = 8, 12, 32, 4, 4, 2


def index() -> torch.Tensor:
    at = torch.stack(torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")).flatten(
        1
    )
    apart = (at[:, :, None] - at[:, None, :]).permute(1, 2, 0) + SIDE - 1
    return apart[..., 0] * (2 * SIDE - 1) + apart[..., 1]


def regions() -> torch.Tensor:
    image = torch.zeros(HIGH, WIDE)
    parts = (slice(0, -SIDE), slice(-SIDE, -SHIFT), slice(-SHIFT, None))
    for number, (rows, columns) in enumerate((a, b) for a in parts for b in parts):
        image[rows, columns] = number
    of = windows(image[None, :, :, None]).squeeze(-1)
    return torch.where(of[:, None, :] == of[:, :, None], 0.0, -100.0)[:, None]


def windows(x: torch.Tensor) -> torch.Tensor:
    x = x.view(HIGH // SIDE, SIDE, WIDE // SIDE, SIDE, x.shape[-1])
    return x.permute(0, 2, 1, 3, 4).reshape(-1, SIDE * SIDE, x.shape[-1])


def image(x: torch.Tensor) -> torch.Tensor:
    x = x.view(HIGH // SIDE, WIDE // SIDE, SIDE, SIDE, -1)
    return x.permute(0, 2, 1, 3, 4).reshape(1, HIGH, WIDE, -1)


class Block(nn.Module):
    def __init__(self, shift: int) -> None:
        super().__init__()
        self.shift = shift
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)
        self.table = nn.Parameter(torch.randn((2 * SIDE - 1) ** 2, HEADS))
        self.register_buffer("index", index(), persistent=False)
        self.register_buffer("mask", regions() if shift else None, persistent=False)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.qkv(x).view(x.shape[0], x.shape[1], 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        q, k, v = parts[0], parts[1], parts[2]
        bias = self.table[self.index.view(-1)].view(SIDE**2, SIDE**2, HEADS).permute(2, 0, 1)
        score = q @ k.transpose(-2, -1) * (WIDTH // HEADS) ** -0.5 + bias
        score = score if self.mask is None else score + self.mask
        read = (score.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        return self.proj(read)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        read = self.norm1(x)
        if self.shift:
            read = torch.roll(read, (-self.shift, -self.shift), (1, 2))
        made = image(self.attend(windows(read)))
        if self.shift:
            made = torch.roll(made, (self.shift, self.shift), (1, 2))
        x = x + made
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, WIDTH, 2, 2)
        self.blocks = nn.Sequential(Block(0), Block(SHIFT))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 9)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.blocks(self.patch(x).permute(0, 2, 3, 1))
        return self.head(self.norm(x).mean((1, 2)))
