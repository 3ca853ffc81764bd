"""A port that its framework contradicts: commands fail, and its page says so first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toy import install, run

ONE = ("--jobs", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalog of two ports, of which a framework with another Relu contradicts one."""
    place = tmp_path_factory.mktemp("toy")
    install(place, {"x = np.maximum(x, 0)": "x = np.maximum(x, 0.01)"})
    for name, text in (("wrong", "dense 16\nrelu"), ("right", "dense 16")):
        (place / "models" / name).mkdir(parents=True)
        (place / "models" / name / "net.toy").write_text(text)
    return place


def test_verify_fails_and_names_it(folder):
    made = run(folder, "verify", *ONE)
    assert made.returncode == 1
    assert made.stderr.splitlines()[-1] == "not verified: wrong/toy"
    assert "first at l2" in made.stdout and "1 verified, 1 disagrees" in made.stdout
    assert run(folder, "verify", "right", *ONE).returncode == 0


def test_a_strict_build_counts_it_and_its_page_says_so_before_anything_else(folder):
    run(folder, "verify", *ONE)
    made = run(folder, "build", *ONE, "--strict", "--folder", "--out", "pages")
    assert made.returncode == 1
    assert "failed: wrong/toy: disagrees with toy 1.0: the largest relative error is" in made.stderr
    assert ", 1 failure;" in made.stdout
    page = (folder / "pages" / "models" / "wrong" / "ports" / "toy" / "index.md").read_text("utf-8")
    assert page.index("Disagrees with toy 1.0") < page.index("parameters")


def test_a_port_that_is_another_network_when_it_is_proven_is_refused(tmp_path):
    told = "        for designed in designs(model):\n"
    install(tmp_path, {told: f'        model.graph.name = "another"\n{told}'})
    (tmp_path / "models" / "net").mkdir(parents=True)
    (tmp_path / "models" / "net" / "net.toy").write_text("dense 16")
    made = run(tmp_path, "verify", *ONE, "--strict", "--json")
    assert made.returncode == 1
    assert "is another network when it is run than when it is loaded" in made.stdout
