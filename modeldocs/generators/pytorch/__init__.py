"""PyTorch as a target of programs."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.generators import syntax
from modeldocs.generators.operation import LoweredOperation
from modeldocs.generators.program import Program
from modeldocs.generators.pytorch import attention, functions, layers, writer
from modeldocs.generators.pytorch.moves import PyTorchMoves
from modeldocs.generators.site import Lowering


class PyTorch:
    """Programs of `nn.Module`s."""

    name = "pytorch"
    title = "PyTorch"
    framework = "pytorch"
    channels_last = False
    container = "nn.Sequential"
    sequence_members = ""
    moves = PyTorchMoves()
    table: dict[str, Lowering] = layers.TABLE | functions.TABLE | attention.TABLE

    def merged(
        self,
        operations: Sequence[LoweredOperation],
        outputs: Sequence[str],  # noqa: ARG002
    ) -> tuple[list[LoweredOperation], dict[str, str]]:
        """The operations as they are: a member computes one layer."""
        return list(operations), {}

    def members(self, constructors: Sequence[ast.expr]) -> ast.expr:
        """`nn.ModuleList`."""
        texts = {syntax.text(one) for one in constructors}
        if len(texts) == 1 and len(constructors) > 2:
            template = "nn.ModuleList([one for _ in range(n)])"
            return syntax.expression(template, one=constructors[0], n=len(constructors))
        return syntax.call("nn.ModuleList", ast.List(elts=list(constructors), ctx=ast.Load()))

    def sequence(self, constructors: Sequence[ast.expr]) -> ast.expr:
        """`nn.Sequential`; three or more equal members in a row are made by a generator."""
        items: list[ast.expr] = []
        place = 0
        while place < len(constructors):
            text = syntax.text(constructors[place])
            end = place
            while end < len(constructors) and syntax.text(constructors[end]) == text:
                end += 1
            count = end - place
            if count < 3:
                items += constructors[place:end]
            else:
                repeated = syntax.expression(
                    "(one for _ in range(n))", one=constructors[place], n=count
                )
                items.append(ast.Starred(value=repeated, ctx=ast.Load()))
            place = end
        if len(items) == 1 and isinstance(items[0], ast.Starred):
            return syntax.call("nn.Sequential", items[0])
        return syntax.call("nn.Sequential", *items)

    def write(self, program: Program, doc: str) -> str:
        """The file of a program."""
        return writer.write(program, doc)
