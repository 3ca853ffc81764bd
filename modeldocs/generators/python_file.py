"""Files of Python code, as `ruff format` writes them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from modeldocs.errors import ModeldocsError

WIDTH = 88
"""Characters of a line, as most projects have it."""


def used(helpers: Mapping[str, str], code: str) -> list[str]:
    """The code of the helpers that code uses, which are by the name that it calls them by."""
    return [own for name, own in helpers.items() if re.search(rf"\b{name}\b", code)]


def formatted(code: str) -> str:
    """Code in the form that `ruff format` gives it.

    Raises:
        ModeldocsError: ruff is not installed, or cannot read the code.
    """
    try:
        done = subprocess.run(
            [*_ruff(), "format", "--isolated", "--line-length", str(WIDTH), "-"],
            input=code,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise ModeldocsError("ruff, which formats programs, is not installed") from error
    if done.returncode:
        raise ModeldocsError(f"the program cannot be formatted: {done.stderr.strip()}")
    return done.stdout


def _ruff() -> list[str]:
    beside = Path(sys.executable).with_name("ruff")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "ruff"]
