"""Sequences that are written often: each form becomes a class that makes them."""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from modeldocs.generators import identifier, syntax
from modeldocs.generators.arguments import arguments_of
from modeldocs.generators.literals import Code, Literal
from modeldocs.generators.program import ProgramBlock

OFTEN = 3
"""Times that a sequence is written out, from which it has a class of its own."""

LONG = 2
"""Members of the shortest sequence that has one."""


def extract(blocks: Sequence[ProgramBlock], container: str) -> list[ProgramBlock]:
    """Blocks with a class for each sequence that they write often, inner sequences first.

    `container` is the function that makes a sequence.
    """
    made: list[ProgramBlock] = []
    while True:
        forms: dict[str, list[ast.Call]] = defaultdict(list)
        for call in _sequences((*made, *blocks), container):
            forms[_form(call)].append(call)
        often = next((calls for calls in forms.values() if len(calls) >= OFTEN), None)
        if often is None:
            return [*made, *blocks]
        made.append(_extracted(often, [block.name for block in (*made, *blocks)]))


def _sequences(blocks: Sequence[ProgramBlock], container: str) -> Iterator[ast.Call]:
    """The sequences in blocks that hold no sequence themselves."""
    for block in blocks:
        constructors = [part.constructor for part in block.members.values()]
        if block.sequence is not None:
            constructors += block.sequence.args
        for constructor in constructors:
            for node in ast.walk(constructor):
                if isinstance(node, ast.Call) and _is_plain(node, container):
                    yield node


def _is_plain(call: ast.Call, container: str) -> bool:
    if syntax.text(call.func) != container or len(call.args) < LONG:
        return False
    inner = [one for arg in call.args for one in ast.walk(arg)]
    return not any(
        isinstance(one, ast.Starred)
        or (isinstance(one, ast.Call) and syntax.text(one.func) == container)
        for one in inner
    )


def _form(call: ast.Call) -> str:
    return ast.dump(_map_leaves(copy.deepcopy(call), lambda _, __: ast.Name(id="?")))


def _map_leaves(
    node: ast.Call, change: Callable[[ast.expr, str], ast.expr | None], setting: str = ""
) -> ast.Call:
    """Change the settings of a call, and of the calls in it: literals, and what is computed of
    arguments.
    """

    def changed(one: ast.expr, name: str) -> ast.expr:
        if isinstance(one, ast.Call):
            return _map_leaves(one, change, name)
        if isinstance(one, ast.Attribute):
            return one  # a function of the framework
        new = change(one, name)
        return one if new is None else new

    node.args = [changed(one, setting) for one in node.args]
    for keyword in node.keywords:
        keyword.value = changed(keyword.value, str(keyword.arg))
    return node


def _leaves(call: ast.Call) -> list[Literal]:
    """The settings of a sequence, by the number of the member that they belong to."""
    found: list[Literal] = []
    for number, member in enumerate(call.args):
        if isinstance(member, ast.Call):
            _map_leaves(
                member,
                lambda one, name, n=number: found.append(Literal(name, str(n), _value(one))),  # type: ignore[misc]
            )
    return found


def _value(one: ast.expr) -> object:
    constant = syntax.constant_of(one)
    return Code(syntax.text(one)) if constant is None else constant[0]


def _expression(value: object) -> ast.expr:
    return syntax.expression(value.text) if isinstance(value, Code) else syntax.literal(value)


def label(member: ast.expr) -> str:
    """What a member is called in the name of a class: `Conv` of `nn.Conv2d(…)`, `Relu` of
    `nnx.relu`.
    """
    function = member.func if isinstance(member, ast.Call) else member
    if isinstance(member, ast.Call) and syntax.text(function) == "partial":
        function = member.args[0]
    last = syntax.text(function).rpartition(".")[2]
    short = last.rstrip("123dD") or last
    return _SHORT.get(
        short, "".join(word[0].upper() + word[1:] for word in identifier.words(short))
    )


_SHORT = {"BatchNorm": "BN", "BatchNormalization": "BN", "BatchNormWithoutScale": "BN"}


def _extracted(calls: list[ast.Call], taken: list[str]) -> ProgramBlock:
    """The class for these sequences, each of which is changed to a call of it."""
    columns = list(zip(*(_leaves(one) for one in calls), strict=True))
    labels = [label(one) for one in calls[0].args]
    names = {str(n): label.lower() for n, label in enumerate(labels)}
    arguments = arguments_of(columns, names, len(calls))
    name = identifier.unique("".join(labels), taken)
    holes = iter(arguments.expressions)
    own = _map_leaves(copy.deepcopy(calls[0]), lambda _, __: next(holes))
    for call, values in zip(calls, arguments.values, strict=True):
        call.func, call.args = ast.Name(id=name), []
        call.keywords = [
            ast.keyword(arg=key, value=_expression(value)) for key, value in values.items()
        ]
    return ProgramBlock(name, arguments.arguments, {}, (), (), (), sequence=own)
