"""Backward time of each module, measured at the nodes of autograd's graph.

Hooks on the backward of a module would fail with operators that work in place, and would not see
what a module's parameters take.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch

from modeldocs.benchmarks.runners.pytorch.clocks import Clock


class GradientWatch:
    """Marks before and after each node of autograd's graph that a module created."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.hooks: list[Any] = []
        self.begin()

    def begin(self) -> None:
        """Forget the graph of the last step."""
        for hook in self.hooks:
            hook.remove()
        self.hooks = []
        self.seen: set[Any] = set()
        self.open: dict[Any, Any] = {}
        self.spans: list[tuple[tuple[str, ...], Any, Any]] = []

    def assign(self, created: Iterable[torch.Tensor], paths: tuple[str, ...]) -> None:
        """Assign the new nodes that lead to these tensors to the modules that are open."""
        nodes = [tensor.grad_fn for tensor in created if tensor.grad_fn is not None]
        while nodes:
            node = nodes.pop()
            if node in self.seen:
                continue
            self.seen.add(node)
            self._watch(node, paths)
            nodes.extend(following for following, _ in node.next_functions if following is not None)

    def _watch(self, node: Any, paths: tuple[str, ...]) -> None:
        def enter(_gradients: Any) -> None:
            self.open[node] = self.clock.mark()

        def leave(*_gradients: Any) -> None:
            self.spans.append((paths, self.open.pop(node), self.clock.mark()))

        self.hooks += [node.register_prehook(enter), node.register_hook(leave)]

    def times(self) -> dict[str, float]:
        """Microseconds by module path, of a module with the modules inside it."""
        times: dict[str, float] = defaultdict(float)
        for paths, first, last in self.spans:
            for path in set(paths):
                times[path] += self.clock.between(first, last)
        return dict(times)
