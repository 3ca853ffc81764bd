"""Packages that few graphs need are imported by those alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
START = "import sys; from modeldocs import lazy_import; lazy_import.defer_symbolic(); "


def printed(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", START + code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_graph_of_plain_sizes_does_without_sympy():
    code = "import onnx_ir as ir; ir.Shape([1, 'N']); print('sympy.core' in sys.modules)"
    assert printed(code) == "False"


def test_arithmetic_with_symbolic_sizes_has_it():
    assert printed("import onnx_ir as ir; print(ir.SymbolicDim('N') * 2 + 1)") == "2*N + 1"


def test_sympy_is_whole_for_whoever_else_imports_it():
    code = "import sympy.core.add, sympy; print(sympy.sqrt(sympy.Symbol('x') ** 4 * 4).args[0])"
    assert printed(code) == "2"


@pytest.mark.parametrize("package", ["sympy.core", "scipy"])
def test_processes_of_a_build_start_without_it(tmp_path, package):
    """Their start is a second of CPU time with them, half of that without."""
    (tmp_path / "main.py").write_text(
        "if __name__ == '__main__':\n"
        "    from modeldocs.tasks import pool\n"
        "    from tests.test_lazy_import import imported\n"
        "    with pool._processes(1) as processes:\n"
        f"        print(processes.submit(imported, {package!r}).result())\n"
    )
    command = [sys.executable, str(tmp_path / "main.py")]
    paths = os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)])
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "False", done.stderr


def imported(package: str) -> bool:
    """Whether this process has imported a package beside what its tasks need."""
    import modeldocs.tasks.work  # noqa: F401

    return package in sys.modules
