"""The mobile network as functions of parameters; `bug` is what the porter got wrong."""

import torch
import torch.nn.functional as F
from torch import nn


class Port(nn.Module):
    def __init__(self, bug: str = "") -> None:
        super().__init__()
        self.bug = bug
        self._unit("s", 16, 3, 3)
        for block, wide, kernel in (("a", 48, 3), ("b", 64, 5)):
            self._unit(f"{block}1", wide, 16, 1)
            dense = bug == "not depthwise" and block == "a"
            self._unit(f"{block}2", wide, wide if dense else 1, kernel)
            self._unit(f"{block}3", 16, wide, 1)
            gated = 16 if bug == "gate on the sum" and block == "b" else wide
            self._plain(f"{block}r", 8, gated, 1)
            self._plain(f"{block}e", gated, 8, 1)
        for level in (0, 1):
            self._plain(f"box{level}", 8, 16, 3)
            self._plain(f"label{level}", 6, 16, 1)

    def _plain(self, name: str, out: int, held: int, kernel: int) -> None:
        self.register_parameter(f"{name}_f", nn.Parameter(torch.randn(out, held, kernel, kernel)))
        self.register_parameter(f"{name}_o", nn.Parameter(torch.zeros(out)))

    def _unit(self, name: str, out: int, held: int, kernel: int) -> None:
        self.register_parameter(f"{name}_f", nn.Parameter(torch.randn(out, held, kernel, kernel)))
        for part, whole in (("w", 1.0), ("b", 0.0)):
            self.register_parameter(f"{name}_n_{part}", nn.Parameter(torch.full((out,), whole)))
        self.register_buffer(f"{name}_n_m", torch.zeros(out))
        self.register_buffer(f"{name}_n_v", torch.ones(out))

    def _filtered(self, x: torch.Tensor, name: str, stride: int = 1, groups: int = 1):
        kernel = getattr(self, f"{name}_f")
        x = F.conv2d(x, kernel, None, stride, kernel.shape[-1] // 2, 1, groups)
        eps = 1e-5 if self.bug == "epsilon" and name == "b2" else 1e-3
        held = [getattr(self, f"{name}_n_{part}") for part in ("m", "v", "w", "b")]
        return F.batch_norm(x, *held, eps=eps)

    def _gate(self, x: torch.Tensor, block: str) -> torch.Tensor:
        held = F.adaptive_avg_pool2d(x, 1)
        held = F.conv2d(held, getattr(self, f"{block}r_f"), getattr(self, f"{block}r_o"))
        if not (self.bug == "missing activation" and block == "a"):
            held = held.clamp(min=0)
        held = F.conv2d(held, getattr(self, f"{block}e_f"), getattr(self, f"{block}e_o"))
        if self.bug == "smooth gate" and block == "b":
            return torch.sigmoid(held) * x
        return (held + 3).clamp(0, 6) / 6 * x

    def _active(self, x: torch.Tensor, name: str) -> torch.Tensor:
        if self.bug == "swish" and name == "a1":
            return x * torch.sigmoid(x)
        return x * F.relu6(x + 3) / 6

    def _block(self, x: torch.Tensor, block: str) -> torch.Tensor:
        made = self._active(self._filtered(x, f"{block}1"), f"{block}1")
        groups = 1 if self.bug == "not depthwise" and block == "a" else made.shape[1]
        made = self._filtered(made, f"{block}2", groups=groups)
        if self.bug == "gate before activation" and block == "a":
            made = self._active(self._gate(made, block), f"{block}2")
        else:
            made = self._active(made, f"{block}2")
            on_sum = self.bug == "gate on the sum" and block == "b"
            made = made if on_sum else self._gate(made, block)
        made = self._filtered(made, f"{block}3")
        total = made if self.bug == "no shortcut" and block == "b" else made + x
        return self._gate(total, block) if self.bug == "gate on the sum" and block == "b" else total

    def _heads(self, levels: list[torch.Tensor], name: str) -> torch.Tensor:
        made = []
        for place, x in enumerate(levels):
            kernel = getattr(self, f"{name}{place}_f")
            x = F.conv2d(x, kernel, getattr(self, f"{name}{place}_o"), 1, kernel.shape[-1] // 2)
            turned = not (self.bug == "channels first in a head" and (name, place) == ("box", 1))
            made.append((x.permute(0, 2, 3, 1) if turned else x).reshape(x.shape[0], -1))
        if self.bug == "order of levels" and name == "label":
            made = made[::-1]
        return torch.cat(made, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self._active(self._filtered(x, "s", 2), "s")
        x = self._block(self._block(x, "a"), "b")
        levels = [x, F.max_pool2d(x, 2)]
        labels = self._heads(levels, "label").view(1, -1, 3)
        axis = 1 if self.bug == "softmax axis" else 2
        return self._heads(levels, "box").view(1, -1, 4), F.softmax(labels, axis)


def network(bug: str = "") -> nn.Module:
    return Port(bug)
