"""A program as a PyTorch file."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Sequence

from modeldocs.generators import identifier, python_file, syntax
from modeldocs.generators.calls import plain, signature
from modeldocs.generators.program import BlockArgument, Program, ProgramBlock
from modeldocs.generators.pytorch import helpers
from modeldocs.generators.pytorch.defaults import SIGNATURES
from modeldocs.generators.statements import LOOP, Statement, statements


def write(program: Program, doc: str) -> str:
    """The file of a program."""
    classes = _Classes(program).texts()
    body = "\n\n\n".join([*helpers.used("\n".join(classes)), *classes])
    imports = ["import torch"]
    if "F." in body:
        imports.append("import torch.nn.functional as F")
    imports.append("from torch import nn")
    parts = [f'"""{doc}"""', "\n".join(imports), _inputs(program), body]
    return python_file.formatted("\n\n".join(parts) + "\n")


def _inputs(program: Program) -> str:
    shapes = {
        one.name: one.shape if one.dtype == "float32" else (one.shape, one.dtype)
        for one in program.inputs
    }
    return f"INPUTS = {shapes!r}"


class _Classes:
    """The classes of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.signatures = SIGNATURES | {
            one.name: signature(one.arguments) for one in program.blocks
        }

    def texts(self) -> list[str]:
        """The code of each class, in order."""
        return [
            self._module(block) if block.sequence is None else self._sequence(block, block.sequence)
            for block in self.program.blocks
        ]

    def _text(self, expression: ast.expr) -> str:
        return syntax.text(plain(expression, self.signatures))

    def _sequence(self, block: ProgramBlock, sequence: ast.Call) -> str:
        """A class that is a sequence of members."""
        arguments = "".join(f", {_argument(one)}" for one in block.arguments)
        members = ", ".join(self._text(one) for one in sequence.args)
        return "\n".join(
            [
                f"class {block.name}(nn.Sequential):",
                f"    def __init__(self{arguments}) -> None:",
                f"        super().__init__({members},)",
            ]
        )

    def _module(self, block: ProgramBlock) -> str:
        inputs = self._input_names(block)
        members = {
            part.key: ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load())
            for name, part in block.members.items()
        }
        lines = [f"class {block.name}(nn.Module):"]
        if block.members or _run_time(block):
            ties = self.program.ties if block is self.program.root else ()
            lines += ["    " + line for line in [*self._init(block), *map(_tie, ties)]] + [""]
        kept = _run_time(block)
        body = statements(block, inputs, members, lambda one: self._text(_of_self(one, kept)))
        lines += ["    " + line for line in self._forward(block, list(inputs.values()), body)]
        return "\n".join(lines)

    def _input_names(self, block: ProgramBlock) -> dict[str, str]:
        if block is self.program.root:
            names: list[str] = []
            for one in self.program.inputs:
                names.append(identifier.unique(identifier.variable(one.name, "x"), names))
            return dict(zip(block.inputs, names, strict=True))
        few = ["x", "y", "z"]
        names = few if len(block.inputs) <= 3 else [f"x{n + 1}" for n in range(len(block.inputs))]
        return dict(zip(block.inputs, names, strict=False))

    def _init(self, block: ProgramBlock) -> list[str]:
        arguments = "".join(f", {_argument(one)}" for one in block.arguments)
        lines = [f"def __init__(self{arguments}) -> None:", "    super().__init__()"]
        lines += [f"    self.{name} = {name}" for name in _run_time(block)]
        for name, part in block.members.items():
            lines.append(f"    self.{name} = {self._text(part.constructor)}")
        return lines

    def _forward(
        self, block: ProgramBlock, names: Sequence[str], body: Sequence[Statement]
    ) -> list[str]:
        tensor = "torch.Tensor"
        inputs = "".join(f", {name}: {tensor}" for name in names)
        count = len(block.outputs)
        returned = tensor if count == 1 else f"tuple[{', '.join([tensor] * count)}]"
        lines = [f"def forward(self{inputs}) -> {returned}:"]
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
