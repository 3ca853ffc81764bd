"""Environments: named after what was asked for, made once, and told of when they are missing."""

from __future__ import annotations

import re

import pytest

from modeldocs import catalog, environments
from modeldocs.environments import LOCKS, Environment, creation
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import loading

SMALL = Environment(name="small", requirements=("six==1.17.0",))


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(environments.HOME_VARIABLE, str(tmp_path / "environments"))
    return tmp_path / "environments"


@pytest.mark.parametrize("name", environments.names())
def test_a_lock_file_pins_every_package_and_names_no_index(name):
    lines = environments.locked(name).requirements
    assert all(re.match(r"^[a-z0-9-]+==[^\s]+( ; .+)?$", line) for line in lines)
    asked = (LOCKS / f"{name}.in").read_text().split("\n")
    wanted = {re.split(r"[=<>; ]", line)[0] for line in asked if line}
    assert wanted <= {line.split("==")[0] for line in lines}


def test_another_request_has_another_folder(home):
    first = environments.declared("3.11", ("a==1",))
    assert first.folder != environments.declared("3.11", ("a==2",)).folder
    assert first.folder != environments.declared("3.12", ("a==1",)).folder
    assert first.folder == environments.declared("3.11", ("a==1",)).folder
    assert first.folder.parent == home


def test_a_version_is_the_locked_one_until_it_is_installed(home):
    assert (SMALL.version("six"), SMALL.version("numpy")) == ("1.17.0", None)


def test_is_made_once_and_whole(home):
    assert not SMALL.ready
    assert creation.create(SMALL) and SMALL.ready
    assert SMALL.executable.exists() and SMALL.version("six") == "1.17.0"
    assert not creation.create(SMALL)
    SMALL.stamp.unlink()
    assert creation.create(SMALL)


def test_one_that_cannot_be_made_leaves_nothing_and_says_why(home):
    impossible = Environment(name="impossible", requirements=("six==1.17.0", "six==1.16.0"))
    with pytest.raises(ModeldocsError, match=r"cannot be made: .*six") as raised:
        creation.create(impossible)
    assert raised.value.fix and not impossible.folder.exists()


PORT = """\
ports:
  onnx:
    environment:
      requirements: {requirements}
      python: "3.11"
"""


@pytest.fixture
def declaring(tmp_path):
    """A catalog of one ONNX port that asks for an environment."""

    def write(requirements: str) -> catalog.Port:
        from tests import onnxes

        folder = tmp_path / "models" / "net"
        folder.mkdir(parents=True, exist_ok=True)
        net = onnxes.parse("net (float[1,3] x) => (float[1,3] y) { y = Relu(x) }")
        (folder / "model.onnx").write_bytes(net.SerializeToString())
        (folder / "model.yml").write_text(PORT.format(requirements=requirements))
        return catalog.read(tmp_path / "models").port("net/onnx")[1]

    return write


def test_a_port_loads_in_the_environment_that_its_manifest_asks_for(declaring):
    port = declaring("[six==1.17.0]")
    held = loading.environment(port.framework, port.request)
    creation.create(held)
    loaded = loading.load(port.framework, port.request, port.limits)
    assert loaded.failure is None and len(loaded.graph.layers) == 1
    assert loaded.software == {"environment declared": held.folder.name}


def test_a_port_whose_environment_is_missing_names_the_command(declaring, home):
    port = declaring("[six==1.17.0, attrs]")
    failure = loading.load(port.framework, port.request, port.limits).failure
    assert "environment that ONNX runs in is not there" in failure.reason
    assert failure.fix == "modeldocs env create"


@pytest.mark.parametrize(
    ("field", "said"),
    [("requirements: six", "Expected `array`"), ("requirements: [six]\n      python: '3.8'", "")],
)
def test_a_mistake_in_an_environment_names_its_line(declaring, tmp_path, field, said):
    declaring("[six]")
    file = tmp_path / "models" / "net" / "model.yml"
    file.write_text(f"ports:\n  onnx:\n    environment:\n      {field}\n")
    failure, *_ = catalog.read(tmp_path / "models").models[0].failures
    assert said.lower() in failure.reason.lower() and failure.line in (4, 5) and failure.fix


@pytest.mark.parametrize(
    ("said", "reason", "fix"),
    [
        (
            "error: No solution found when resolving dependencies\n"
            "  cause: Because there is no version of numpy==99.0 and you require numpy==99.0, "
            "we can conclude that your requirements are unsatisfiable.\n",
            "there is no version of numpy==99.0 and you require numpy==99.0",
            "name packages and versions",
        ),
        (
            "error: Failed to build `oldnet==1.0`\n  cause: The build backend returned an error\n"
            "\n         [stderr]\n         Traceback (most recent call last):\n"
            "         ModuleNotFoundError: No module named 'distutils.msvccompiler'\n"
            "\nhint: This error likely indicates much more\nof many lines\n",
            "oldnet==1.0 has no wheel for this Python and machine, and building it failed: "
            "ModuleNotFoundError: No module named 'distutils.msvccompiler'",
            "a version that has a wheel",
        ),
        (
            "error: Request failed after 3 retries\n"
            "  cause: Failed to fetch: http://127.0.0.1:1/simple/six/\n"
            "  cause: tcp connect error\n  cause: Connection refused (os error 111)\n",
            "Failed to fetch: http://127.0.0.1:1/simple/six/ (Connection refused (os error 111))",
            "the package index can be reached",
        ),
        ("", "uv said nothing", "run the command again"),
    ],
    ids=["no such version", "does not build", "no index", "silent"],
)
def test_what_uv_says_is_told_in_a_sentence_that_names_the_package(said, reason, fix):
    told, advice = creation.explain(said)
    assert told == reason
    assert fix in advice
