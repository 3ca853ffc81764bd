"""Calls as they are written by hand: without defaults, the leading settings by position."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Mapping, Sequence

from modeldocs.generators import syntax
from modeldocs.generators.program import BlockArgument

Signature = tuple[int, dict[str, object]]
"""How many settings of a call are written by position, and the defaults of settings."""

_AXES = re.compile(r"[123][dD]")
"""The number of axes in the name of a layer."""


def signature(arguments: Sequence[BlockArgument]) -> Signature:
    """How instances of a block with these arguments are made."""
    defaults = {
        one.name: syntax.constant_of(one.default) for one in arguments if one.default is not None
    }
    known = {name: value[0] for name, value in defaults.items() if value is not None}
    return len(arguments) - len(known), known


def plain(expression: ast.expr, signatures: Mapping[str, Signature]) -> ast.expr:
    """An expression with each call as it is written by hand.

    A name in `signatures` may be without its number of axes: `nn.Conv` is that of `nn.Conv2d`.
    """
    written: ast.expr = _Plain(signatures).visit(copy.deepcopy(expression))
    return written


class _Plain(ast.NodeTransformer):
    def __init__(self, signatures: Mapping[str, Signature]) -> None:
        self.signatures = signatures

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = syntax.text(node.func) if not syntax.is_part(node.func) else ""
        positions, defaults = self.signatures.get(name) or self.signatures.get(
            _AXES.sub("", name), (0, {})
        )
        kept = [one for one in node.keywords if not _is_default(one, defaults)]
        leading = 0
        while leading < min(positions, len(kept)) and kept[leading] is node.keywords[leading]:
            leading += 1
        node.args = [*node.args, *(one.value for one in kept[:leading])]
        node.keywords = kept[leading:]
        return node


def _is_default(setting: ast.keyword, defaults: dict[str, object]) -> bool:
    own = syntax.constant_of(setting.value)
    if own is None or setting.arg not in defaults:
        return False
    default = defaults[setting.arg]
    return own[0] == default and isinstance(own[0], bool) == isinstance(default, bool)
