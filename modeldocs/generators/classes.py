"""A program as classes: a module for each block, with its members and what it computes of them."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from modeldocs.generators import syntax
from modeldocs.generators.calls import Signature, plain, signature
from modeldocs.generators.program import BlockArgument, Program, ProgramBlock
from modeldocs.generators.statements import LOOP, Statement, statements


@dataclass(frozen=True)
class ClassStyle:
    """How a framework writes its modules: the names that it has for their parts.

    `start` is the first line of a constructor, where it needs one. `signatures` are those of its
    layers. Layers that start with random weights take a source of numbers as their argument
    `random`, of type `random_type`, and so do blocks that have some; they are the names `drawn`.
    """

    module: str
    sequence: str
    method: str
    tensor: str
    signatures: Mapping[str, Signature]
    start: str = ""
    drawn: Collection[str] = ()
    random: str = ""
    random_type: str = ""


class ClassWriter:
    """Writes the classes of a program."""

    def __init__(self, program: Program, style: ClassStyle) -> None:
        self.program = program
        self.style = style
        self.signatures = dict(style.signatures) | {
            one.name: signature(one.arguments) for one in program.blocks
        }
        self.drawn = set(style.drawn)
        for block in program.blocks:
            made = [*_constructors(block), *((block.sequence,) if block.sequence else ())]
            if any(name in self.drawn for one in made for name in _called(one)):
                self.drawn.add(block.name)

    def texts(self) -> list[str]:
        """The code of each class, in order."""
        return [
            self._module(block) if block.sequence is None else self._sequence(block, block.sequence)
            for block in self.program.blocks
        ]

    def _text(self, expression: ast.expr) -> str:
        written = plain(expression, self.signatures)
        return syntax.text(_Drawn(self.drawn, self.style.random).visit(written))

    def _sequence(self, block: ProgramBlock, sequence: ast.Call) -> str:
        """A class that is a sequence of members."""
        members = ", ".join(self._text(one) for one in sequence.args)
        return "\n".join(
            [
                f"class {block.name}({self.style.sequence}):",
                f"    {self._constructor(block)}",
                f"        super().__init__({members},)",
            ]
        )

    def _module(self, block: ProgramBlock) -> str:
        inputs = self.program.input_names(block)
        members = {
            part.key: ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load())
            for name, part in block.members.items()
        }
        lines = [f"class {block.name}({self.style.module}):"]
        kept = _run_time(block)
        if block.members or kept:
            ties = self.program.ties if block is self.program.root else ()
            lines += ["    " + line for line in [*self._init(block), *map(_tie, ties)]] + [""]
        body = statements(block, inputs, members, lambda one: self._text(_of_self(one, kept)))
        lines += ["    " + line for line in self._method(block, list(inputs.values()), body)]
        return "\n".join(lines)

    def _constructor(self, block: ProgramBlock) -> str:
        """The first line of a block's constructor."""
        arguments = ["self", *map(_argument, block.arguments)]
        if block.name in self.drawn:
            arguments += ["*", f"{self.style.random}: {self.style.random_type}"]
        return f"def __init__({', '.join(arguments)}) -> None:"

    def _init(self, block: ProgramBlock) -> list[str]:
        lines = [self._constructor(block)]
        lines += [f"    {self.style.start}"] if self.style.start else []
        lines += [f"    self.{name} = {name}" for name in _run_time(block)]
        for name, part in block.members.items():
            lines.append(f"    self.{name} = {self._text(part.constructor)}")
        return lines

    def _method(
        self, block: ProgramBlock, names: Sequence[str], body: Sequence[Statement]
    ) -> list[str]:
        """What a block computes."""
        tensor = self.style.tensor
        inputs = "".join(f", {name}: {tensor}" for name in names)
        count = len(block.outputs)
        returned = tensor if count == 1 else f"tuple[{', '.join([tensor] * count)}]"
        lines = [f"def {self.style.method}(self{inputs}) -> {returned}:"]
        for one in body:
            whole = _of_self(one.expression, _run_time(block))
            items = whole.elts if isinstance(whole, ast.Tuple) else [whole]
            code = ", ".join(self._text(item) for item in items)
            start = f"{', '.join(one.targets)} =" if one.targets else "return"
            if one.loop is not None:
                lines += [f"    for {LOOP} in {self._text(one.loop)}:", f"        {start} {code}"]
            else:
                lines.append(f"    {start} {code}")
        return lines


def inputs(program: Program) -> str:
    """The statement that declares a program's inputs, by name."""
    shapes = {
        one.name: one.shape if one.dtype == "float32" else (one.shape, one.dtype)
        for one in program.inputs
    }
    return f"INPUTS = {shapes!r}"


def _constructors(block: ProgramBlock) -> list[ast.expr]:
    return [part.constructor for part in block.members.values()]


def _called(expression: ast.expr) -> list[str]:
    """The names of the functions that an expression calls."""
    return [syntax.text(node.func) for node in ast.walk(expression) if isinstance(node, ast.Call)]


class _Drawn(ast.NodeTransformer):
    """Calls of what draws its weights, each with the source of random numbers."""

    def __init__(self, drawn: Collection[str], random: str) -> None:
        self.drawn = drawn
        self.random = random

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if syntax.text(node.func) in self.drawn:
            node.keywords.append(ast.keyword(arg=self.random, value=ast.Name(id=self.random)))
        return node


def _run_time(block: ProgramBlock) -> list[str]:
    """The arguments of a block that its computation uses, not its members alone."""
    used = {
        node.id
        for operation in block.operations
        for node in ast.walk(operation.expression)
        if isinstance(node, ast.Name)
    }
    return [one.name for one in block.arguments if one.name in used]


def _of_self(expression: ast.expr, names: Sequence[str]) -> ast.expr:
    """An expression with these arguments as attributes of the module."""

    def attribute(node: ast.AST) -> ast.expr | None:
        if not isinstance(node, ast.Name) or node.id not in names:
            return None
        return ast.Attribute(value=ast.Name(id="self"), attr=node.id, ctx=ast.Load())

    return syntax.replace(copy.deepcopy(expression), attribute)


def _tie(both: tuple[str, str]) -> str:
    """The statement that makes one parameter of two."""
    kept, tied = (_INDEX.sub(r"[\1]", f"self.{path}") for path in both)
    return f"    {tied} = {kept}"


_INDEX = re.compile(r"\.(\d+)")


def _argument(one: BlockArgument) -> str:
    default = f" = {syntax.text(one.default)}" if one.default is not None else ""
    return f"{one.name}: {one.type}{default}"
