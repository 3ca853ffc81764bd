"""`modeldocs env`: what is there, what is missing, and making it."""

from __future__ import annotations

import pytest

from modeldocs import environments


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(environments.HOME_VARIABLE, str(tmp_path / "environments"))


def test_lists_what_is_missing_with_the_command_that_makes_it(folder, run, home):
    output = run("env", "list").stdout
    for name in environments.names():
        assert f"✗ {name:14} missing" in output
        assert f"create it: modeldocs env create {name}" in output


def test_tells_which_ports_need_one(folder, run, home):
    assert "for net/broken, net/caffe" in run("env", "list").stdout


def test_an_environment_that_is_not_known_is_told_with_those_that_are(folder, refused, home):
    assert "use one of: chainer, flax, mxnet, opencv, tensorflow" in refused(
        "env", "create", "theano"
    )


def test_makes_what_a_ports_manifest_asks_for(folder, run, home, monkeypatch):
    monkeypatch.setattr(environments, "WORKER", ())  # is compiled for ten seconds; no port loads
    (folder / "models" / "net" / "model.yml").write_text(
        "ports:\n  caffe:\n    environment: {requirements: [six==1.17.0]}\n"
    )
    result = run("env", "create", "net/caffe")
    assert (result.exit_code, "✓ declared       created in" in result.stdout) == (0, True)
    assert "exists already" in run("env", "create", "net/caffe").stdout
    assert "✓ declared       ready" in run("env", "list").stdout


def test_a_catalog_that_needs_none_is_told_so(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "no port needs an environment of its own" in run("env", "create").stdout
