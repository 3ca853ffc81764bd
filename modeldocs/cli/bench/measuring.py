"""What the commands that measure share: an option, and the command as a record tells it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import click

precision = click.option(
    "--precision",
    type=click.Choice(["float32", "tf32", "bfloat16", "float16"]),
    default="float32",
    show_default=True,
    help="Element type of parameters, inputs and activations; tf32 is float32 with TF32 products.",
)

_DEFAULTS: Mapping[str, object] = {
    "task": "inference",
    "precision": "float32",
    "device": "cpu",
    "compile": False,
}


def command(name: str, source: str, options: Mapping[str, object]) -> str:
    """`modeldocs bench NAME SOURCE` with all options that differ from their defaults."""
    words = ["modeldocs", "bench", name, source]
    for option, value in options.items():
        if value is not None and value != _DEFAULTS.get(option):
            words += [f"--{option}"] if value is True else [f"--{option}", str(value)]
    return shlex.join(words)
