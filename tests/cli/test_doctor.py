"""`modeldocs doctor`: what is here, what is not, and the command that fixes it."""

from __future__ import annotations

import importlib

from modeldocs.loaders import frameworks


def test_says_what_is_installed(folder, run):
    result = run("doctor")
    assert result.exit_code == 0
    for name in ("modeldocs", "python", "diagrams", *frameworks()):
        assert f"✓ {name:14} " in result.stdout
    assert "✓ catalog        1 model, 2 ports in models/" in result.stdout


def test_says_how_to_install_a_framework_that_is_missing(folder, run, monkeypatch):
    versions = {"pytorch": None}
    command = importlib.import_module("modeldocs.cli.doctor")
    monkeypatch.setattr(command, "framework_version", lambda name: versions.get(name, ""))
    output = run("doctor").stdout
    assert "✗ pytorch        PyTorch is not installed\n" in output
    assert "fix: pip install torch; for a build without CUDA" in output


def test_says_how_to_start_a_catalog(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    assert "✗ catalog        no models/ in this folder\n" in run("doctor").stdout
    assert "fix: modeldocs new ." in run("doctor").stdout
