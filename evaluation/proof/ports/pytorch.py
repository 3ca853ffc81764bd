"""A net of what the catalog's have little of: norms, gates, windows and recurrence."""

import torch
from torch import nn
from torch.nn import functional as F

INPUTS = {"x": (1, 6, 20, 20)}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(6, 16, 3, padding=1)
        self.batch = nn.BatchNorm2d(16, eps=1e-3)
        self.instance = nn.InstanceNorm2d(16, affine=True)
        self.group = nn.GroupNorm(4, 16, eps=1e-6)
        self.response = nn.LocalResponseNorm(5, alpha=2e-4, k=2.0)
        self.up = nn.ConvTranspose2d(16, 12, 4, stride=2, padding=1)
        self.layer = nn.LayerNorm(12, eps=1e-12)
        self.gru = nn.GRU(12, 12, batch_first=True)
        self.lstm = nn.LSTM(12, 12, batch_first=True)
        self.heads = nn.MultiheadAttention(12, 2, batch_first=True)
        self.narrow = nn.Linear(12, 12)
        self.slope = nn.PReLU(12)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.leaky_relu(self.batch(self.first(x)), 0.1)
        x = F.elu(self.instance(x), 0.7)
        x = F.gelu(self.group(x), approximate="tanh")
        x = self.response(F.avg_pool2d(x, 3, 2, 1, count_include_pad=False))
        x = torch.cat([F.max_pool2d(x, 3, 1, 1), F.avg_pool2d(x, 3, 1, 1)[:, :8]], 1)[:, :16]
        x = F.interpolate(self.up(x), scale_factor=1.5, mode="bilinear")
        x = F.pad(self.slope(x), (1, 2, 1, 2), mode="reflect")
        x = self.layer(x.flatten(2).transpose(1, 2))[:, :32]
        x = x + self.heads(x, x, x, need_weights=False)[0]
        x = F.gelu(self.narrow(self.gru(x)[0]))
        x = F.relu6(3 * F.normalize(self.lstm(x)[0], dim=-1, eps=1e-6))
        return x.softmax(1)
