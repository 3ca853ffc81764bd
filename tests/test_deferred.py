"""Packages that few graphs need are imported by those alone."""

from __future__ import annotations

import subprocess
import sys

START = "import sys; from modeldocs import deferred; deferred.defer_symbolic(); "


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
