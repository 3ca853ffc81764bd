"""Sequences: members that run one after the other, which a target has a container for."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Protocol

from modeldocs.generators import syntax
from modeldocs.generators.operation import LoweredOperation, Part

_NUMBERED = re.compile(r"(.*?)([._/]?)(\d+)")
_FEW = 3
"""Members up to which names that merely end in a number are kept as they are."""


class Container(Protocol):
    """What a target has for members that run one after the other."""

    def sequence(self, constructors: Sequence[ast.expr]) -> ast.expr | None:
        """The constructor of a sequence of members; None where the target has none."""


class Sequences:
    """Finds sequences among operations, and writes them with a target's container."""

    def __init__(self, container: Container) -> None:
        self.container = container

    def of(
        self, name: str, operations: Sequence[LoweredOperation], inputs: Sequence[str]
    ) -> LoweredOperation | None:
        """The operations of a scope as one sequence, where the source numbers its members; else
        None.
        """
        if len(inputs) != 1 or not operations:
            return None
        numbers = [_number(one) for one in operations]
        is_numbered = all(number in (None, str(i)) for i, number in enumerate(numbers))
        if not is_numbered or not any(numbers) or not self._are_chained(operations, inputs[0]):
            return None
        return self._sequence(name, operations, inputs[0])

    def joined(self, operations: Sequence[LoweredOperation]) -> list[LoweredOperation]:
        """Operations, with each run of members `name.0`, `name.1`, … as one sequence `name`."""
        result: list[LoweredOperation] = []
        run: list[LoweredOperation] = []
        stem = ""
        for operation in operations:
            own = _stem(operation) or None
            previous = (run or result)[-1].results if run else ()
            follows = (
                bool(run)
                and own == stem
                and own is not None
                and len(previous) == 1
                and syntax.values_of(operation.expression) == [previous[0]]
                and _readers(previous[0], operations) == 1
            )
            if not follows:
                result += self._closed(run, stem)
                run, stem = [], ""
            if own is None:
                result.append(operation)
            else:
                run.append(operation)
                stem = own
        return result + self._closed(run, stem)

    def _closed(self, run: list[LoweredOperation], stem: str) -> list[LoweredOperation]:
        if len(run) < 2 or not (_is_list(run[0]) or _are_alike(run)):
            return run
        (source,) = syntax.values_of(run[0].expression)
        one = self._sequence(stem, run, source)
        return run if one is None else [one]

    def _are_chained(self, operations: Sequence[LoweredOperation], source: str) -> bool:
        for operation in operations:
            is_step = len(operation.results) == 1 and constructor_of(operation) is not None
            if not is_step or syntax.values_of(operation.expression) != [source]:
                return False
            source = operation.results[0]
        return True

    def _sequence(
        self, name: str, operations: Sequence[LoweredOperation], source: str
    ) -> LoweredOperation | None:
        constructors = [constructor_of(one) for one in operations]
        known = [one for one in constructors if one is not None]
        if len(known) < len(operations):
            return None
        constructor = self.container.sequence(known)
        if constructor is None:
            return None
        weights = {
            f"{index}.{attribute}".rstrip("."): weight
            for index, operation in enumerate(operations)
            for part in operation.parts
            for attribute, weight in part.weights.items()
        }
        part = Part(f"sequence:{operations[0].results[0]}", constructor, name, weights)
        call = syntax.call(syntax.part(part.key), syntax.value(source))
        return LoweredOperation(operations[-1].layer, operations[-1].results, call, (part,))


def constructor_of(operation: LoweredOperation) -> ast.expr | None:
    """What makes a member that computes the operation from one tensor; None where none does."""
    if operation.alone is not None:
        return operation.alone
    call = operation.expression
    is_call = isinstance(call, ast.Call) and len(operation.parts) == 1
    if not is_call or syntax.is_part(call.func) is None:  # type: ignore[attr-defined]
        return None
    is_plain = len(call.args) == 1 and not call.keywords  # type: ignore[attr-defined]
    return operation.parts[0].constructor if is_plain else None


def _number(operation: LoweredOperation) -> str | None:
    """The number that the source has for a member; None where it has no name of its own."""
    return operation.parts[0].name if len(operation.parts) == 1 else None


def _stem(operation: LoweredOperation) -> str | None:
    """The name before the number of a block's instance: `blocks` of `blocks.3`; None for others."""
    if constructor_of(operation) is None or len(operation.parts) != 1:
        return None
    part = operation.parts[0]
    is_block = ":" in part.key
    match = _NUMBERED.fullmatch(part.name)
    return match.group(1) if is_block and match else None


def _is_list(operation: LoweredOperation) -> bool:
    """Whether the source keeps a member in a list: `blocks.3`, not `layer3`."""
    match = _NUMBERED.fullmatch(operation.parts[0].name)
    return match is not None and bool(match.group(2))


def _are_alike(run: Sequence[LoweredOperation]) -> bool:
    """Whether members are many instances of one block."""
    classes = {one.parts[0].key.partition(":")[0] for one in run}
    return len(classes) == 1 and len(run) > _FEW


def _readers(name: str, operations: Sequence[LoweredOperation]) -> int:
    return sum(syntax.values_of(one.expression).count(name) for one in operations)
