"""`import modeldocs` is light, and its names are those that type checkers see."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import modeldocs
from modeldocs.tasks import closure

STUB = Path(modeldocs.__file__).with_suffix(".pyi")
HEAVY = ("numpy", "onnx", "onnx_ir", "onnxruntime", "torch", "msgspec", "jinja2", "click")


def test_the_import_alone_imports_none_of_what_it_needs():
    code = f"import sys, modeldocs; print([one for one in {HEAVY} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_each_name_of_the_stub_is_there_and_documented():
    imports = [one for one in ast.parse(STUB.read_text()).body if isinstance(one, ast.ImportFrom)]
    names = {alias.name for one in imports for alias in one.names}
    assert names == {"diff", "generate", "live", "load", "testing", "verify", "ModeldocsError"}
    for name in names:
        assert getattr(modeldocs, name).__doc__, name
    assert names <= set(dir(modeldocs))


def test_the_package_of_the_diff_is_still_one():
    from modeldocs import diff

    assert callable(diff) and diff.compare.__module__ == "modeldocs.diff.compare"


def test_there_is_no_other_name():
    assert not hasattr(modeldocs, "compare_networks")


def test_stored_results_do_not_depend_on_it():
    code = closure.closure("modeldocs.loaders.loading", "modeldocs.diff")
    folders = {file.parent.name for file in code.files}
    assert "interface" not in folders and "site" not in folders
