"""Workflow files: they are valid, and each of their scripts does its part on a real history."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from tests.repositories import History, caffe

Run = Callable[..., Result]
BIN = Path(sys.executable).parent


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
        command = """pip install 'modeldocs[all]: "x" # y'"""
        run("ci", "github", str(tmp_path), "--install", command, "--branch", "trunk")
        for file in (tmp_path / ".github" / "workflows").iterdir():
            assert command in [step.get("run", "").strip() for step in steps(file)]
        published = yaml.safe_load((tmp_path / ".github/workflows/modeldocs.yml").read_text())
        assert published[True]["push"]["branches"] == ["trunk"]  # YAML's `on` is true

    def test_requirements_of_the_project_are_used(self, tmp_path: Path, run: Run) -> None:
        (tmp_path / "requirements.txt").write_text("modeldocs\n")
        run("ci", "gitlab", str(tmp_path))
        assert "pip install -r requirements.txt" in (tmp_path / ".gitlab-ci.yml").read_text()

    def test_a_file_that_is_there_is_left_alone(self, tmp_path: Path, run: Run) -> None:
        (tmp_path / ".gitlab-ci.yml").write_text("own: true")
        refused = run("ci", "gitlab", str(tmp_path))
        assert refused.exit_code == 2
        assert "exists already" in refused.output
        assert (tmp_path / ".gitlab-ci.yml").read_text() == "own: true"
        assert run("ci", "gitlab", str(tmp_path), "--force").exit_code == 0

    def test_this_repository_uses_them(self, tmp_path: Path, run: Run) -> None:
        own = Path(__file__).parents[2] / ".github" / "workflows"
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


class Host:
    """A bare repository, a checkout of it, and the workflows as GitHub runs them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bare = folder / "bare.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", self.bare], check=True)
        self.origin = History(folder / "origin")
        self.origin.git("remote", "add", "origin", str(self.bare))
        self.head = ""
        self.state = folder / "state.json"
        self.set_state(pulls={}, comments=[])
        tools = folder / "tools"
        tools.mkdir()
        shutil.copy(Path(__file__).with_name("gh"), tools / "gh")
        self.path = os.pathsep.join([str(tools), str(BIN), os.environ["PATH"]])

    def set_state(self, **parts: Any) -> None:
        old = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.state.write_text(json.dumps({**old, **parts}))

    @property
    def comments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.state.read_text())["comments"]
        return found

    def published(self) -> set[str]:
        """Files of the branch of sites."""
        return set(self.bare_git("ls-tree", "-r", "--name-only", "gh-pages").splitlines())

    def bare_git(self, *words: str) -> str:
        process = subprocess.run(
            ["git", "-C", self.bare, *words], capture_output=True, text=True, check=True
        )
        return process.stdout.strip()

    def run_job(self, workflow: str, job: str, checkout: Path, **context: str) -> str:
        """Run the scripts of a job in a checkout; `context` are values of its expressions."""
        file = self.origin.folder / ".github" / "workflows" / f"{workflow}.yml"
        made = yaml.safe_load(file.read_text())["jobs"][job]
        exported = self.folder / "env"
        exported.write_text("")
        printed = ""
        for step in made["steps"]:
            if "run" not in step:
                continue
            env = {name: self._value(text, context) for name, text in made.get("env", {}).items()}
            env |= dict(line.split("=", 1) for line in exported.read_text().splitlines())
            process = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
                cwd=checkout,
                env={
                    **{k: v for k, v in os.environ.items() if not k.startswith("GITHUB_")},
                    "PATH": self.path,
                    "GITHUB_ENV": str(exported),
                    "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
                    "GH_STATE": str(self.state),
                    **env,
                },
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert process.returncode == 0, process.stdout + process.stderr
            printed += process.stdout
        return printed

    @staticmethod
    def _value(text: str, context: dict[str, str]) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: context[match[1]], text)

    def clone(self, name: str, revision: str, depth: int = 2) -> Path:
        """A checkout as the host makes it: shallow, of a commit that may be on no branch."""
        folder = self.folder / name
        made = History(folder)
        made.git("remote", "add", "origin", str(self.bare))
        made.git("fetch", "-q", f"--depth={depth}", f"file://{self.bare}", revision)
        made.git("checkout", "-q", "--detach", "FETCH_HEAD")
        return folder


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A repository with a catalog, whose workflows install nothing."""
    from click.testing import CliRunner

    from modeldocs.cli import main

    made = Host(tmp_path_factory.mktemp("host"))
    words = ["ci", "github", str(made.origin.folder), "--install", "true"]
    assert CliRunner().invoke(main, words).exit_code == 0
    made.origin.commit(
        {
            "models/a/caffe.prototxt": caffe(),
            "models/a/second.prototxt": caffe(),
            "models/b/caffe.prototxt": caffe(),
            ".gitignore": ".modeldocs/\nsite/\npreview/\ncomment.md\n",
        }
    )
    made.origin.git("push", "-q", "origin", "main")
    return made


@pytest.mark.slow
def test_a_pull_request_from_its_opening_to_its_end(host: Host) -> None:
    """Publish, open, preview, comment, change, take back, close: every script of the workflows."""
    _publishes(host)
    _previews_a_branch(host)
    _comments_on_it(host)
    _takes_the_comment_back(host)
    _removes_the_preview(host)


def _publishes(host: Host) -> None:
    main = host.clone("main", "main")
    host.run_job("modeldocs", "publish", main)
    assert {"index.html", ".nojekyll", "models/a/index.html"} <= host.published()
    assert host.bare_git("rev-list", "--count", "gh-pages") == "1"


def _context(head: str, branch: str, repository: str = "team/models") -> dict[str, str]:
    event = "github.event.workflow_run"
    return {
        "github.token": "token",
        "github.repository": "team/models",
        "vars.MODELDOCS_URL": "https://team.example/models/",
        f"{event}.head_sha": head,
        f"{event}.head_branch": branch,
        f"{event}.head_repository.owner.login": repository.partition("/")[0],
        f"{event}.head_repository.full_name": repository,
    }


def _preview(host: Host) -> Path:
    shutil.rmtree(host.folder / "pull", ignore_errors=True)
    checkout = host.clone("pull", "refs/pull/7/merge")
    shutil.copytree(host.folder / "main" / ".modeldocs", checkout / ".modeldocs")
    host.run_job("modeldocs-preview", "preview", checkout)
    return checkout / "preview"


def _previews_a_branch(host: Host) -> None:
    host.origin.branch("widen")
    host.head = head = host.origin.commit({"models/a/caffe.prototxt": caffe(num_output=8)})
    _merge(host, "widen")
    preview = _preview(host)
    assert "a/caffe" in (preview / "comment.md").read_text()
    assert "a/caffe" in (host.folder / "summary.md").read_text()
    assert (preview / "site" / "changes" / "a" / "caffe" / "index.html").is_file()
    host.set_state(pulls={"7": ["team:widen", head], "8": ["else:widen", head]})


def _merge(host: Host, branch: str) -> None:
    host.origin.git("checkout", "-q", "-B", "merged", "main")
    host.origin.git("merge", "-q", "--no-ff", "-m", "merge", branch)
    host.origin.git("push", "-q", "-f", "origin", branch, "merged:refs/pull/7/merge")
    host.origin.git("checkout", "-q", "main")


def _commented(host: Host, **context: str) -> None:
    """Run the job that comments, in a checkout of main with the preview that was uploaded."""
    shutil.rmtree(host.folder / "main" / "preview", ignore_errors=True)
    shutil.copytree(host.folder / "pull" / "preview", host.folder / "main" / "preview")
    host.run_job("modeldocs-comment", "comment", host.folder / "main", **context)


def _comments_on_it(host: Host) -> None:
    context = _context(host.head, "widen")
    _commented(host, **context)
    [comment] = host.comments
    assert comment["pull"] == "7"
    assert "(https://team.example/models/previews/7/changes/a/caffe/)" in comment["body"]
    assert "previews/7/changes/a/caffe/index.html" in host.published()
    assert "models/b/index.html" in host.published()
    _commented(host, **context)
    assert len(host.comments) == 1
    # A change from a fork is commented on, and its site is not published.
    host.set_state(pulls={"9": ["stranger:widen", host.head]})
    _commented(host, **_context(host.head, "widen", "stranger/models"))
    assert [one["pull"] for one in host.comments] == ["7", "9"]
    assert "https://team.example" not in host.comments[1]["body"]
    assert not any(name.startswith("previews/9/") for name in host.published())


def _takes_the_comment_back(host: Host) -> None:
    host.origin.git("checkout", "-q", "widen")
    head = host.origin.commit({"models/a/caffe.prototxt": caffe()})
    _merge(host, "widen")
    host.set_state(pulls={"7": ["team:widen", head]})
    assert not (_preview(host) / "comment.md").exists()
    _commented(host, **_context(head, "widen"))
    assert [one["pull"] for one in host.comments] == ["9"]


def _removes_the_preview(host: Host) -> None:
    context = {"github.event.pull_request.number": "7"}
    host.run_job("modeldocs-comment", "remove", host.folder / "main", **context)
    assert not any(name.startswith("previews/") for name in host.published())
    assert "index.html" in host.published()
