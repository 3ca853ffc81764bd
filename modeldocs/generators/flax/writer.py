"""A program as a Flax file."""

from __future__ import annotations

import re

from modeldocs.generators import number_lists, python_file
from modeldocs.generators.classes import ClassStyle, ClassWriter, inputs
from modeldocs.generators.flax.defaults import DRAWN, SIGNATURES
from modeldocs.generators.flax.helpers import HELPERS
from modeldocs.generators.program import Program

STYLE = ClassStyle(
    module="nnx.Module",
    sequence="nnx.Sequential",
    method="__call__",
    tensor="jax.Array",
    signatures=SIGNATURES,
    drawn=DRAWN,
    random="rngs",
    random_type="nnx.Rngs",
)


def write(program: Program, doc: str) -> str:
    """The file of a program."""
    lists, classes = number_lists.named(ClassWriter(program, STYLE).texts())
    body = "\n\n\n".join([*python_file.used(HELPERS, "\n".join(classes)), *classes])
    imports = ["import jax"]
    if re.search(r"\bjnp\.", body):
        imports.append("import jax.numpy as jnp")
    imports.append("from flax import nnx")
    partial = ["from functools import partial"] if re.search(r"\bpartial\(", body) else []
    parts = [f'"""{doc}"""', *partial, "\n".join(imports), inputs(program), *lists, body]
    return python_file.formatted("\n\n".join(parts) + "\n")
