"""Workflow files: hosts accept them, and they keep to what makes them safe."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from modeldocs.cli.ci import origin
from tests.cli.ci.hosts import BIN
from tests.repositories import History

Run = Callable[..., Result]
URL, COMMIT = "https://example.org/modeldocs.git", "a" * 40


@pytest.fixture(autouse=True)
def source(monkeypatch: pytest.MonkeyPatch) -> str:
    """The requirement of a modeldocs that was installed from a commit."""
    told = {"url": URL, "vcs_info": {"vcs": "git", "commit_id": COMMIT}}
    monkeypatch.setattr(origin, "_told", lambda: told)
    return f"git+{URL}@{COMMIT}"


class TestFiles:
    def test_github_accepts_them(self, tmp_path: Path, run: Run) -> None:
        assert run("ci", "github", str(tmp_path)).exit_code == 0
        files = sorted((tmp_path / ".github" / "workflows").iterdir())
        assert [file.name for file in files] == [
            "modeldocs-comment.yml", "modeldocs-preview.yml", "modeldocs.yml",
        ]  # fmt: skip
        lint("vendor.github-workflows", *files)

    def test_gitlab_accepts_it(self, tmp_path: Path, run: Run) -> None:
        assert run("ci", "gitlab", str(tmp_path)).exit_code == 0
        lint("vendor.gitlab-ci", tmp_path / ".gitlab-ci.yml", "--data-transform", "gitlab-ci")

    def test_they_install_what_is_asked(self, tmp_path: Path, run: Run) -> None:
        command = """pip install 'our-index[all]: "x" # y'"""
        run("ci", "github", str(tmp_path), "--install", command, "--branch", "trunk")
        for file in (tmp_path / ".github" / "workflows").iterdir():
            assert command in [step.get("run", "").strip() for step in steps(file)]
        published = yaml.safe_load((tmp_path / ".github/workflows/modeldocs.yml").read_text())
        assert published[True]["push"]["branches"] == ["trunk"]  # YAML's `on` is true

    def test_requirements_of_the_project_are_used(self, tmp_path: Path, run: Run) -> None:
        (tmp_path / "requirements.txt").write_text(f"mkdocs-modeldocs @ git+{URL}\n")
        run("ci", "gitlab", str(tmp_path))
        assert "pip install -r requirements.txt" in (tmp_path / ".gitlab-ci.yml").read_text()

    def test_a_command_may_have_several_lines(self, tmp_path: Path, run: Run) -> None:
        command = "pip install a\npip install b"
        for host in ("github", "gitlab"):
            assert run("ci", host, str(tmp_path), "--install", command).exit_code == 0
        for file in (tmp_path / ".github" / "workflows").iterdir():
            assert f"{command}\n" in [step.get("run") for step in steps(file)]
        pipeline = yaml.safe_load((tmp_path / ".gitlab-ci.yml").read_text())
        assert f"{command}\n" in pipeline[".modeldocs"]["before_script"]
        assert f"{command}\n" in pipeline["comment"]["before_script"]

    def test_a_branch_stays_text(self, tmp_path: Path, run: Run) -> None:
        for branch in ("1.0", "on", "release/2026"):
            run("ci", "github", str(tmp_path), "--branch", branch, "--force")
            workflow = yaml.safe_load((tmp_path / ".github/workflows/modeldocs.yml").read_text())
            assert workflow[True]["push"]["branches"] == [branch]

    def test_a_branch_that_a_shell_or_yaml_would_read_is_refused(
        self, tmp_path: Path, run: Run
    ) -> None:
        for branch in ('x";touch${IFS}pwned;"', "$(pwned)", "a, b", "c++"):
            for host in ("github", "gitlab"):
                result = run("ci", host, str(tmp_path), "--branch", branch)
                assert result.exit_code == 2
                assert "cannot be written into the files" in result.output
        assert list(tmp_path.iterdir()) == []

    def test_of_a_folder_in_a_repository_they_are_in_the_root(
        self, tmp_path: Path, run: Run
    ) -> None:
        """Hosts read them there alone."""
        History(tmp_path)
        for host in ("github", "gitlab"):
            assert run("ci", host, str(tmp_path / "docs" / "nets")).exit_code == 0
        assert not (tmp_path / "docs").exists()
        files = sorted((tmp_path / ".github" / "workflows").iterdir())
        lint("vendor.github-workflows", *files)
        lint("vendor.gitlab-ci", tmp_path / ".gitlab-ci.yml", "--data-transform", "gitlab-ci")
        for file in files:
            for job in yaml.safe_load(file.read_text())["jobs"].values():
                assert job["defaults"]["run"]["working-directory"] == "docs/nets"

    def test_a_folder_that_a_shell_or_yaml_would_read_is_refused(
        self, tmp_path: Path, run: Run
    ) -> None:
        History(tmp_path)
        for name in ("two words", "$(pwned)", "a: b"):
            result = run("ci", "github", str(tmp_path / name))
            assert result.exit_code == 2
            assert "cannot be written into the files" in result.output
        assert not (tmp_path / ".github").exists()

    def test_the_frameworks_of_the_catalog_are_installed_where_it_is_loaded(
        self, tmp_path: Path, run: Run, source: str
    ) -> None:
        (tmp_path / "models" / "net").mkdir(parents=True)
        (tmp_path / "models" / "net" / "pytorch.py").write_text("import torch\n")
        (tmp_path / "models" / "net" / "keras.py").write_text("import keras\n")
        said = run("ci", "github", str(tmp_path))
        workflows = tmp_path / ".github" / "workflows"
        loads = f'pip install "mkdocs-modeldocs[pytorch] @ {source}"\nmodeldocs env create'
        for name, installed in {
            "modeldocs": loads,
            "modeldocs-preview": loads,
            "modeldocs-comment": f'pip install "mkdocs-modeldocs @ {source}"',
        }.items():
            runs = [step["run"] for step in steps(workflows / f"{name}.yml") if "run" in step]
            assert runs[0].strip() == installed
        assert "CUDA" in said.output

    def test_a_file_that_is_there_is_left_alone(self, tmp_path: Path, run: Run) -> None:
        (tmp_path / ".gitlab-ci.yml").write_text("own: true")
        refused = run("ci", "gitlab", str(tmp_path))
        assert refused.exit_code == 2
        assert "exists already" in refused.output
        assert (tmp_path / ".gitlab-ci.yml").read_text() == "own: true"
        assert run("ci", "gitlab", str(tmp_path), "--force").exit_code == 0

    def test_this_repository_uses_them(self, tmp_path: Path, run: Run) -> None:
        own = Path(__file__).parents[3] / ".github" / "workflows"
        installs = [step["run"] for step in steps(own / "modeldocs.yml") if "run" in step]
        run("ci", "github", str(tmp_path), "--install", installs[0].strip())
        for file in (tmp_path / ".github" / "workflows").iterdir():
            assert (own / file.name).read_text() == file.read_text()

    def test_scripts_hold_no_expressions(self, tmp_path: Path, run: Run) -> None:
        """A branch's name in a script would be run as one."""
        run("ci", "github", str(tmp_path))
        for file in (tmp_path / ".github" / "workflows").iterdir():
            assert not any("${{" in step.get("run", "") for step in steps(file))

    def test_who_runs_the_change_may_not_write(self, tmp_path: Path, run: Run) -> None:
        run("ci", "github", str(tmp_path))
        folder = tmp_path / ".github" / "workflows"
        preview = yaml.safe_load((folder / "modeldocs-preview.yml").read_text())
        assert preview["permissions"] == {"contents": "read"}
        assert "secrets." not in (folder / "modeldocs-preview.yml").read_text()
        comment = yaml.safe_load((folder / "modeldocs-comment.yml").read_text())
        assert comment["permissions"] == {}
        assert comment["jobs"]["remove"]["permissions"] == {"contents": "write"}
        for step in steps(folder / "modeldocs-comment.yml"):
            if "checkout" in step.get("uses", ""):
                assert step["with"]["ref"] == "${{ github.event.repository.default_branch }}"


def lint(schema: str, *words: Path | str) -> None:
    process = subprocess.run(
        [BIN / "check-jsonschema", "--builtin-schema", schema, *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stdout


def steps(file: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(file.read_text())["jobs"].values()
    return [step for job in jobs for step in job["steps"]]
