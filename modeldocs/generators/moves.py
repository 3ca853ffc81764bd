"""What a target writes for what lies on edges, and for tensors that no layer computes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Protocol

from modeldocs.generators.network import Array
from modeldocs.ir import Step


class Moves(Protocol):
    """What a target writes for the steps of an edge, and for what is not computed from inputs."""

    def moved(self, source: ast.expr, steps: Sequence[Step]) -> ast.expr:
        """A tensor after the steps of an edge."""

    def constant(self, array: Array) -> ast.expr:
        """A constant tensor as an expression."""

    def parameter(self, shape: tuple[int, ...], *, trainable: bool) -> ast.expr:
        """The constructor of a parameter of that shape."""

    def held(self, member: ast.expr, beside: ast.expr) -> ast.expr:
        """The tensor of a member that is a parameter, read beside a computed tensor."""

    def sliced(self, source: ast.expr, cut: dict[int, slice]) -> ast.expr:
        """A part of a tensor, by the slices of its axes."""
