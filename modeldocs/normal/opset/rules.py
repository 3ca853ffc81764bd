"""Which rules rewrite an operator of a declared version."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import onnx_ir as ir

from modeldocs.normal.opset.upgrade import Upgrade

Rule = Callable[[Upgrade], ir.Value | None]
"""Rewrites a node: the value that replaces its output, or None where the node was changed in place
and is subject to the rules that follow.

Raises:
    UpgradeError: the node cannot be said in `OPSET`.
"""


def changed_in(version: int, *operators: str) -> Callable[[Rule], Rule]:
    """Declare that operators of versions before this one are rewritten by the decorated rule."""

    def decorate(rule: Rule) -> Rule:
        rule.changes = dict.fromkeys(operators, version)  # type: ignore[attr-defined]
        return rule

    return decorate


class Rules:
    """The rules of some modules, by operator, in the order of versions."""

    def __init__(self, *modules: ModuleType) -> None:
        found = [rule for module in modules for rule in vars(module).values()]
        self._rules: dict[str, list[tuple[int, Rule]]] = {}
        for rule in found:
            for operator, version in getattr(rule, "changes", {}).items():
                self._rules.setdefault(operator, []).append((version, rule))
        for rules in self._rules.values():
            rules.sort(key=lambda item: item[0])

    def of(self, operator: str, declared: int) -> tuple[Rule, ...]:
        """Rules for an operator of a declared version."""
        rules = self._rules.get(operator, ())
        return tuple(rule for version, rule in rules if declared < version)
