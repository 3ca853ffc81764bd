"""Sequences: members that run one after the other, which a target has a container for."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Protocol

from modeldocs.generators import syntax
from modeldocs.generators.operation import HeldWeight, LoweredOperation, Part

_NUMBERED = re.compile(r"(.*?)([._/]?)(\d+)")
_NUMBERS = re.compile(r"\d+(\.\d+)*")
_FEW = 3
"""Members up to which names that merely end in a number are kept as they are."""


class Container(Protocol):
    """What a target has for members that run one after the other.

    `sequence_members` is the attribute of a sequence that holds its members by number; "" where
    the sequence itself does.
    """

    sequence_members: str

    def members(self, constructors: Sequence[ast.expr]) -> ast.expr | None:
        """The constructor of a list of members; None where the target has none."""

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
        numbers = [_number(one) for one in operations]
        if any(number not in (None, str(i)) for i, number in enumerate(numbers)):
            return None
        if not is_numbered(operations, inputs):
            return None
        return self._sequence(name, operations, inputs[0])

    def joined(self, operations: Sequence[LoweredOperation]) -> list[LoweredOperation]:
        """Operations, with each run of members `name.0`, `name.1`, … as one: as a sequence, or as a
        loop where they read more than one tensor.
        """
        result: list[LoweredOperation] = []
        run: list[LoweredOperation] = []
        for operation in operations:
            if run and not self._follows(run, operation, operations):
                result += self._closed(run)
                run = []
            if _stem(operation) is None:
                result.append(operation)
            else:
                run.append(operation)
        return result + self._closed(run)

    def _follows(
        self,
        run: Sequence[LoweredOperation],
        operation: LoweredOperation,
        operations: Sequence[LoweredOperation],
    ) -> bool:
        """Whether a member reads what the last of a run gave, and otherwise what that read."""
        last = run[-1]
        if _stem(operation) != _stem(last) or len(last.results) != 1:
            return False
        first, *others = syntax.values_of(operation.expression)
        is_chained = first == last.results[0] and _readers(first, operations) == 1
        return is_chained and others == syntax.values_of(last.expression)[1:]

    def _closed(self, run: Sequence[LoweredOperation]) -> list[LoweredOperation]:
        if len(run) < 2 or not (_is_list(run[0]) or _are_alike(run)):
            return list(run)
        stem = _stem(run[0]) or ""
        if len(syntax.values_of(run[0].expression)) == 1:
            (source,) = syntax.values_of(run[0].expression)
            one = self._sequence(stem, run, source)
        else:
            one = self._loop(stem, run)
        return list(run) if one is None else [one]

    def _loop(self, name: str, run: Sequence[LoweredOperation]) -> LoweredOperation | None:
        """Members that read more than one tensor, as a list."""
        constructor = self.container.members([one.parts[0].constructor for one in run])
        if constructor is None:
            return None
        part = Part(f"list:{run[0].results[0]}", constructor, name, _weights(run))
        read = [syntax.value(one) for one in syntax.values_of(run[0].expression)]
        call = syntax.call(syntax.part(part.key), *read)
        return LoweredOperation(run[-1].layer, run[-1].results, call, (part,), loop=True)

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
        key = f"sequence:{operations[0].results[0]}"
        weights = _weights(operations, self.container.sequence_members)
        part = Part(key, constructor, name, weights)
        call = syntax.call(syntax.part(part.key), syntax.value(source))
        return LoweredOperation(operations[-1].layer, operations[-1].results, call, (part,))


def is_numbered(operations: Sequence[LoweredOperation], inputs: Sequence[str]) -> bool:
    """Whether the source numbers operations that run one after the other: `0`, `1.0`, `1.1`, `3`.

    Those without weights have no names.
    """
    if len(inputs) != 1 or not operations:
        return False
    names = [name for one in operations if (name := _number(one)) is not None]
    if not names or not all(_NUMBERS.fullmatch(name) for name in names):
        return False
    numbers = [[int(part) for part in name.split(".")] for name in names]
    return numbers == sorted(numbers) and _are_chained(operations, inputs[0])


def _are_chained(operations: Sequence[LoweredOperation], source: str) -> bool:
    """Whether each operation reads what the one before it gives, and nothing else."""
    for operation in operations:
        if len(operation.results) != 1 or syntax.values_of(operation.expression) != [source]:
            return False
        source = operation.results[0]
    return True


def _weights(operations: Sequence[LoweredOperation], around: str = "") -> dict[str, HeldWeight]:
    """The weights of members by their number and name, in the attribute `around` if it has one."""
    return {
        ".".join(filter(None, (around, str(index), attribute))): weight
        for index, operation in enumerate(operations)
        for part in operation.parts
        for attribute, weight in part.weights.items()
    }


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
    """The name before the number of a block's instance: `blocks` of `blocks.3`; None for others.

    An instance is called with tensors alone, each once.
    """
    if len(operation.parts) != 1 or ":" not in operation.parts[0].key or operation.loop:
        return None
    match = _NUMBERED.fullmatch(operation.parts[0].name)
    return match.group(1) or None if match else None


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
