"""`modeldocs generate`: a program that is proven, or none at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from modeldocs.generators.flax import Flax
from modeldocs.generators.pytorch import PyTorch
from modeldocs.tasks import programs

pytestmark = [pytest.mark.usefixtures("loads_once"), pytest.mark.xdist_group("generate command")]

NET = "models/net/caffe.prototxt"


def test_a_program_is_written_that_loads_as_the_same_network(folder: Path, run) -> None:
    result = run("generate", NET, "--to", "pytorch", "-o", "made.py")
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    code = Path("made.py").read_text()
    assert "(nn.Module)" in code
    assert "Proven: the same layers" in code
    assert "agree within 1e-04" in code
    again = run("diff", NET, "made.py", "--parity", "--fail-on", "different")
    assert again.exit_code == 0, again.output


def test_what_no_loader_loads_is_proven_by_its_framework(folder: Path, run, environment) -> None:
    environment("flax")
    result = run("generate", NET, "--to", "flax", "-o", "made.py")
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    code = Path("made.py").read_text()
    assert "(nnx.Module)" in code
    assert "Proven: OpenCV" in code
    assert "agree within 1e-04" in " ".join(code.split())


def test_what_its_framework_computes_otherwise_is_not_written(
    folder: Path, run, environment, monkeypatch
) -> None:
    environment("flax")
    monkeypatch.setitem(Flax.table, "Relu", lambda site: site.data())
    result = run("generate", NET, "--to", "flax", "-o", "made.py")
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("not proven: its framework gives other numbers")
    assert not Path("made.py").exists()


def test_programs_of_models_are_made_once_and_kept(folder: Path, run, monkeypatch) -> None:
    made = run("generate", "--to", "pytorch")
    assert made.exit_code == 0, made.output
    assert made.stdout.splitlines()[-2].split() == ["net/caffe", "pytorch", "22", "proven"]
    assert made.stdout.splitlines()[-1] == "1 of 1 proven"
    monkeypatch.delattr(programs.ProgramGenerator, "generate")
    assert run("generate", "net", "--to", "pytorch").stdout == made.stdout
    printed = run("generate", "net/caffe", "--to", "pytorch")
    assert "Proven: the same layers" in printed.stdout
    Path("mkdocs.yml").write_text("plugins: [{modeldocs: {generate: [pytorch]}}]")
    assert run("generate").stdout == made.stdout
    Path("mkdocs.yml").write_text("plugins: [{modeldocs: {generate: false}}]")
    assert run("generate").stdout.splitlines()[-1] == "0 of 0 proven"


def test_a_wrong_program_of_a_model_is_told(folder: Path, run, monkeypatch) -> None:
    monkeypatch.setitem(PyTorch.table, "Relu", lambda site: site.data())
    result = run("generate", "net", "--to", "pytorch")
    assert result.exit_code == 1
    assert "it differs from its source" in " ".join(result.stdout.split())
    assert result.stdout.splitlines()[-1] == "0 of 1 proven"


@pytest.mark.parametrize("words", [("net", "-o", "made.py"), ("net/caffe",), (NET, NET)])
def test_one_source_and_one_target_make_a_file(folder: Path, refused, words) -> None:
    assert "name one SOURCE with --to TARGET" in refused("generate", *words)


def test_a_target_that_is_not_installed_is_named_with_its_place(folder: Path, refused) -> None:
    Path("mkdocs.yml").write_text("plugins: [{modeldocs: {generate: [fortran]}}]")
    told = refused("generate")
    assert told.startswith("modeldocs: mkdocs.yml: the plugin's option generate: no generator")


def test_without_a_file_it_is_printed(folder: Path, run) -> None:
    result = run("generate", NET, "--to", "pytorch", "--no-proof")
    assert result.exit_code == 0
    assert result.stdout.startswith('"""')
    assert "It has not been proven." in result.stdout


def test_a_wrong_program_is_not_written(folder: Path, run, monkeypatch) -> None:
    monkeypatch.setitem(PyTorch.table, "Relu", lambda site: site.data())
    result = run("generate", NET, "--to", "pytorch", "-o", "made.py")
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("not proven: ")
    assert not Path("made.py").exists()


def test_a_layer_without_a_program_is_named(folder: Path, run) -> None:
    Path("net.prototxt").write_text(
        'name: "net" input: "data" input_dim: 1 input_dim: 4 input_dim: 8 input_dim: 8\n'
        'layer { name: "norm" type: "LRN" bottom: "data" top: "y" lrn_param { local_size: 4 } }'
    )
    result = run("generate", "net.prototxt", "--to", "pytorch", "-o", "made.py")
    assert result.exit_code == 2
    assert not Path("made.py").exists()


def test_a_file_of_others_is_kept(folder: Path, run) -> None:
    Path("made.py").write_text("mine\n")
    result = run("generate", NET, "--to", "pytorch", "-o", "made.py")
    assert result.exit_code == 2
    assert Path("made.py").read_text() == "mine\n"


def test_an_unknown_target_is_told_with_those_that_there_are(folder: Path, run) -> None:
    result = run("generate", NET, "--to", "fortran")
    assert result.exit_code == 2
    assert "use one of flax, keras, onnx, pytorch" in result.stderr
