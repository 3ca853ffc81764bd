"""The body of a block: expressions put into one another, and names for what lives longer."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from modeldocs.generators import identifier, syntax
from modeldocs.generators.program import ProgramBlock

WIDTH = 76
"""Characters of a statement's expression, up to which expressions are put into one another."""

_SHORT = ("x", "y", "z")

LOOP = "layer"
"""The variable of a loop over members."""


@dataclass(frozen=True)
class Statement:
    """An assignment of an expression to variables; to none for what the block returns.

    With `loop` it is done for each member of that list, which the expression calls `LOOP`.
    """

    targets: tuple[str, ...]
    expression: ast.expr
    loop: ast.expr | None = None


Written = Callable[[ast.expr], str]
"""The code of an expression as a target writes it."""

Joins = Callable[[ast.expr], bool]
"""Whether an expression may stand inside of the one that reads it."""


def statements(
    block: ProgramBlock,
    inputs: Mapping[str, str],
    members: Mapping[str, ast.expr],
    written: Written,
    joins: Joins = lambda _: True,
) -> list[Statement]:
    """The statements of a block; the last returns its outputs.

    `inputs` are the names of what it reads by id of the tensor, `members` the expressions of its
    members by key.
    """
    steps = [
        _Step(
            tuple(one.results),
            syntax.substitute(one.expression, syntax.value, lambda key: members[key]),
            loop=one.loop,
        )
        for one in block.operations
    ]
    returned = [syntax.value(name) for name in block.outputs]
    whole = returned[0] if len(returned) == 1 else ast.Tuple(elts=returned, ctx=ast.Load())
    steps = _joined([*steps, _Step((), whole)], written, joins)
    return _Naming(steps, inputs, block.variables).statements()


@dataclass
class _Step:
    results: tuple[str, ...]
    expression: ast.expr
    loop: bool = False


def _joined(steps: list[_Step], written: Written, joins: Joins) -> list[_Step]:
    """Steps, with each that only the next one reads, once, put into that."""
    uses = Counter(name for step in steps for name in syntax.values_of(step.expression))
    result: list[_Step] = []
    for step in steps:
        while result and _fits(result[-1], step, uses, written, joins):
            inner = result.pop()
            step = _Step(step.results, _inlined(step.expression, inner))
        result.append(step)
    return result


def _fits(inner: _Step, step: _Step, uses: Counter[str], written: Written, joins: Joins) -> bool:
    is_returned = not step.results and syntax.is_value(step.expression) is not None
    if not is_returned and not joins(inner.expression):
        return False
    if inner.loop or step.loop or len(inner.results) != 1 or uses[inner.results[0]] != 1:
        return False
    if syntax.values_of(step.expression).count(inner.results[0]) != 1:
        return False
    return len(written(_shown(_inlined(step.expression, inner)))) <= WIDTH


def _shown(expression: ast.expr) -> ast.expr:
    """An expression about as long as it will be written."""
    return syntax.substitute(expression, lambda _: ast.Name(id="x"), lambda _: ast.Name(id="x"))


def _inlined(expression: ast.expr, inner: _Step) -> ast.expr:
    name = inner.results[0]
    return syntax.replace(
        copy.deepcopy(expression),
        lambda node: inner.expression if syntax.is_value(node) == name else None,
    )


class _Naming:
    """Gives names to tensors: a chain keeps one name, and what is read later has its own."""

    def __init__(
        self, steps: list[_Step], inputs: Mapping[str, str], variables: Mapping[str, str]
    ) -> None:
        self.steps = steps
        self.variables = variables
        self.kept = {name for name, own in inputs.items() if own not in _SHORT} | set(variables)
        self.names = dict(inputs)
        self.last: dict[str, int] = {}
        for index, step in enumerate(steps):
            for name in syntax.values_of(step.expression):
                self.last[name] = index

    def statements(self) -> list[Statement]:
        """The steps with the names of their tensors."""
        result = []
        for index, step in enumerate(self.steps):
            expression = syntax.substitute(
                step.expression, lambda name: ast.Name(id=self.names[name]), syntax.part
            )
            targets = self._targets(index, step)
            if step.loop:
                result += _loop(targets, expression)
            else:
                result.append(Statement(targets, expression))
        return result

    def _targets(self, index: int, step: _Step) -> tuple[str, ...]:
        alive = {name for name, last in self.last.items() if last > index and name in self.names}
        taken = {self.names[name] for name in alive}
        targets: list[str] = []
        for result in step.results:
            name = self._name(index, step, taken, result)
            taken.add(name)
            targets.append(name)
        self.names |= dict(zip(step.results, targets, strict=True))
        return tuple(targets)

    def _name(self, index: int, step: _Step, taken: set[str], result: str) -> str:
        """The name that a reader has for it, else that of an operand that is not read again, else
        the first that is free.
        """
        if result in self.variables:
            return identifier.unique(self.variables[result], taken)
        if len(step.results) == 1:
            for operand in syntax.values_of(step.expression):
                is_free = self.last[operand] <= index and self.names[operand] not in taken
                if is_free and operand not in self.kept:
                    return self.names[operand]
        return next((name for name in _SHORT if name not in taken), None) or identifier.unique(
            "x", taken
        )


def _loop(targets: tuple[str, ...], call: ast.expr) -> list[Statement]:
    """A call of a list of members as a loop over them."""
    assert isinstance(call, ast.Call)
    first, *others = call.args
    target = ast.Name(id=targets[0])
    before = [] if syntax.text(first) == targets[0] else [Statement(targets, first)]
    body = syntax.call(LOOP, target, *others)
    return [*before, Statement(targets, body, loop=call.func)]
