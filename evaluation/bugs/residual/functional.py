"""The residual network as functions of parameters; `bug` is what the porter got wrong."""

import torch
import torch.nn.functional as F
from torch import nn


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self._conv("c1", 16, 3, 7)
        for name in ("c2", "c3", "c4", "c5"):
            self._conv(name, 16, 16, 3)
        self._conv("c6", 12, 16, 1)
        self._conv("c7", 12, 12, 3)
        self._conv("c8", 48, 12, 1)
        self._conv("c9", 48, 16, 1)
        self.fc_w = nn.Parameter(torch.randn(10, 48))
        self.fc_b = None if bug == "head bias" else nn.Parameter(torch.randn(10))

    def _conv(self, name: str, out: int, held: int, kernel: int) -> None:
        self.register_parameter(f"{name}_w", nn.Parameter(torch.randn(out, held, kernel, kernel)))
        self.register_parameter(f"{name}_gamma", nn.Parameter(torch.ones(out)))
        self.register_parameter(f"{name}_beta", nn.Parameter(torch.zeros(out)))
        self.register_buffer(f"{name}_mu", torch.zeros(out))
        self.register_buffer(f"{name}_sigma2", torch.ones(out))

    def _conv_bn(self, x: torch.Tensor, name: str, stride: int = 1) -> torch.Tensor:
        weight = getattr(self, f"{name}_w")
        x = F.conv2d(x, weight, stride=stride, padding=weight.shape[-1] // 2)
        if self.bug == "activation before norm" and name == "c2":
            x = F.relu(x)
        eps = 1e-3 if self.bug == "one epsilon" and name == "c5" else 1e-5
        eps = 1.001e-5 if self.bug == "every epsilon" else eps
        held = [getattr(self, f"{name}_{part}") for part in ("mu", "sigma2", "gamma", "beta")]
        return F.batch_norm(x, *held, training=False, eps=eps)

    def _stem(self, x: torch.Tensor) -> torch.Tensor:
        x = self._conv_bn(x, "c1", 2)
        x = F.relu6(x) if self.bug == "relu6" else F.relu(x)
        if self.bug == "pool rounds up":
            return F.max_pool2d(x, 3, 2, 0, ceil_mode=True)
        if self.bug == "average pool":
            return F.avg_pool2d(x, 3, 2, 1)
        return F.max_pool2d(x, 3, 2, 1)

    def _plain(self, x: torch.Tensor, first: str, second: str) -> torch.Tensor:
        made = self._conv_bn(x, first)
        if not (self.bug == "missing activation" and first == "c4") and not (
            self.bug == "activation before norm" and first == "c2"
        ):
            made = F.relu(made)
        last = self._conv_bn(made, second)
        if self.bug == "no shortcut" and first == "c4":
            return F.relu(last)
        if self.bug == "shortcut from inside" and first == "c4":
            return F.relu(last + made)
        if self.bug == "activation before sum" and first == "c2":
            return F.relu(last) + x
        return F.relu(last + x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self._stem(x)
        x = self._plain(self._plain(x, "c2", "c3"), "c4", "c5")
        strides = (2, 1) if self.bug == "stride" else (1, 2)
        made = F.relu(self._conv_bn(x, "c6", strides[0]))
        made = F.relu(self._conv_bn(made, "c7", strides[1]))
        x = F.relu(self._conv_bn(made, "c8") + self._conv_bn(x, "c9", 2))
        x = x.amax((2, 3)) if self.bug == "maximum at the end" else x.mean((2, 3))
        if self.bug == "dropout":
            x = F.dropout(x, 0.5, self.training)
        return F.linear(x, self.fc_w, self.fc_b)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
