"""A program as a Keras file: a function for each block, which calls layers one after the other."""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from modeldocs.generators import identifier, number_lists, python_file, syntax
from modeldocs.generators.calls import plain, signature
from modeldocs.generators.keras import helpers
from modeldocs.generators.keras.defaults import SIGNATURES
from modeldocs.generators.keras.loops import with_loops
from modeldocs.generators.operation import Part
from modeldocs.generators.program import Program, ProgramBlock
from modeldocs.generators.statements import Statement, statements

_ROOT = "model"
_NAME = "name"


def write(program: Program, doc: str) -> str:
    """The file of a program."""
    lists, functions = number_lists.named(_Functions(program).texts())
    body = "\n\n\n".join([*python_file.used(helpers.HELPERS, "\n".join(functions)), *functions])
    names = [one for one in ("KerasTensor", "layers", "ops") if re.search(rf"\b{one}\b", body)]
    imports = "import math\n\n" if re.search(r"\bmath\.", body) else ""
    imports += "import keras\n" + (f"from keras import {', '.join(names)}" if names else "")
    start = "\n\n".join([f'"""{doc}"""', imports, *lists])
    return python_file.formatted(f"{start}\n\n\n{body}\n")


class _Functions:
    """The functions of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = _function_names([block.name for block in program.blocks])
        self.named = {block.name for block in program.blocks if _has_weights(block)}
        self.signatures = SIGNATURES | {
            self.names[one.name]: signature(one.arguments) for one in program.blocks
        }

    def texts(self) -> list[str]:
        """The code of each function, in order."""
        return [self._function(block) for block in self.program.blocks]

    def _function(self, block: ProgramBlock) -> str:
        inputs = self.program.input_names(block, _TAKEN)
        shared = _shared(block)
        members = {
            part.key: ast.Name(id=name) if name in shared else self._made(block, name, part)
            for name, part in block.members.items()
        }
        *body, returned = statements(block, inputs, members, self._text, joins=_is_short)
        lines = [f"{name} = {self._text(self._made(block, name, shared[name]))}" for name in shared]
        lines += with_loops([self._line(one) for one in body])
        whole = returned.expression
        items = whole.elts if isinstance(whole, ast.Tuple) else [whole]
        results = [self._text(one) for one in items]
        if block is self.program.root:
            read, made = _listed(list(inputs.values())), _listed(results)
            lines.append(f"return keras.Model({read}, {made})")
            return "\n    ".join([f"def {_ROOT}() -> keras.Model:", *self._inputs(inputs), *lines])
        lines.append(f"return {', '.join(results)}")
        return "\n    ".join([self._head(block, list(inputs.values())), *lines])

    def _made(self, block: ProgramBlock, name: str, part: Part) -> ast.expr:
        """What makes a member, with its name where it has weights."""
        constructor = copy.deepcopy(part.constructor)
        assert isinstance(constructor, ast.Call)
        own = syntax.text(constructor.func)
        if part.weights and (own not in self.names or own in self.named):
            full: ast.expr = ast.Constant(value=name)
            if block is not self.program.root:
                parts = [
                    ast.FormattedValue(value=ast.Name(id=_NAME), conversion=-1),
                    ast.Constant(value=f"_{name}"),
                ]
                full = ast.JoinedStr(values=parts)
            constructor.keywords.append(ast.keyword(arg=_NAME, value=full))
        return constructor

    def _text(self, expression: ast.expr) -> str:
        called = _FunctionCalls(self.names).visit(copy.deepcopy(expression))
        return syntax.text(plain(called, self.signatures))

    def _line(self, one: Statement) -> str:
        items = one.expression.elts if isinstance(one.expression, ast.Tuple) else [one.expression]
        code = ", ".join(self._text(item) for item in items)
        return f"{', '.join(one.targets)} = {code}"

    def _head(self, block: ProgramBlock, inputs: Sequence[str]) -> str:
        arguments = [f"{name}: KerasTensor" for name in inputs]
        arguments += [f"{one.name}: {one.type}" for one in block.arguments if one.default is None]
        if block.name in self.named:
            arguments.append(f"{_NAME}: str")
        arguments += [
            f"{one.name}: {one.type} = {syntax.text(one.default)}"
            for one in block.arguments
            if one.default is not None
        ]
        count = len(block.outputs)
        tensors = ["KerasTensor"] * count
        returned = tensors[0] if count == 1 else f"tuple[{', '.join(tensors)}]"
        return f"def {self.names[block.name]}({', '.join(arguments)}) -> {returned}:"

    def _inputs(self, names: Mapping[str, str]) -> list[str]:
        """The inputs of the network; none is called as a layer is."""
        lines = []
        for name, one in zip(names.values(), self.program.inputs, strict=True):
            own = f"{name}_input" if name in self.program.root.members else name
            dtype = "" if one.dtype == "float32" else f', dtype="{one.dtype}"'
            lines.append(f'{name} = keras.Input({one.shape[1:]!r}, name="{own}"{dtype})')
        return lines


class _FunctionCalls(ast.NodeTransformer):
    """Calls of blocks as functions: `Block(settings)(x)` is `block(x, settings)`."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        made = node.func
        if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name):
            return node
        if made.func.id not in self.names:
            return node
        function = ast.Name(id=self.names[made.func.id])
        return ast.Call(func=function, args=node.args, keywords=made.keywords)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


_TAKEN = ("x", "y", "z", "layers", "ops", "keras", _ROOT)
"""Names that an input of the network cannot have."""


def _function_names(classes: Sequence[str]) -> dict[str, str]:
    """The names of functions by those of blocks: `conv_block` of `ConvBlock`."""
    names: dict[str, str] = {}
    for one in classes[:-1]:
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", one).lower()
        taken = (*names.values(), *_TAKEN)
        names[one] = identifier.unique(identifier.variable(name, "block"), taken)
    return names | {classes[-1]: _ROOT}


def _has_weights(block: ProgramBlock) -> bool:
    return any(part.weights for part in block.members.values())


def _shared(block: ProgramBlock) -> dict[str, Part]:
    """The members that a block calls more than once, by their names."""
    keys = [key for one in block.operations for key in _parts(one.expression)]
    counts = Counter(keys)
    return {name: part for name, part in block.members.items() if counts[part.key] > 1}


def _parts(expression: ast.expr) -> list[str]:
    return [key for node in ast.walk(expression) if (key := syntax.is_part(node)) is not None]


def _is_short(inner: ast.expr) -> bool:
    """Whether an expression may stand inside of another: no layer or block is called in it."""
    return not any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Call) for node in ast.walk(inner)
    )
