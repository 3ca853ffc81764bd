"""A program as a PyTorch file."""

from __future__ import annotations

from modeldocs.generators import number_lists, python_file
from modeldocs.generators.classes import ClassStyle, ClassWriter, inputs
from modeldocs.generators.program import Program
from modeldocs.generators.pytorch import helpers
from modeldocs.generators.pytorch.defaults import SIGNATURES

STYLE = ClassStyle(
    module="nn.Module",
    sequence="nn.Sequential",
    method="forward",
    tensor="torch.Tensor",
    signatures=SIGNATURES,
    start="super().__init__()",
)


def write(program: Program, doc: str) -> str:
    """The file of a program."""
    lists, classes = number_lists.named(ClassWriter(program, STYLE).texts())
    body = "\n\n\n".join([*python_file.used(helpers.HELPERS, "\n".join(classes)), *classes])
    imports = ["import torch"]
    if "F." in body:
        imports.append("import torch.nn.functional as F")
    imports.append("from torch import nn")
    parts = [f'"""{doc}"""', "\n".join(imports), inputs(program), *lists, body]
    return python_file.formatted("\n\n".join(parts) + "\n")
