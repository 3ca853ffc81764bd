"""A program as a PyTorch file."""

from __future__ import annotations

from modeldocs.generators import python_file
from modeldocs.generators.classes import ClassStyle, ClassWriter
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
    classes = ClassWriter(program, STYLE).texts()
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
