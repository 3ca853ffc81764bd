"""Each script of GitHub's workflows does its part on a real history."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.ci.hosts import BIN, Host
from tests.repositories import caffe


class GitHub(Host):
    """Workflows as GitHub runs them, with a stand-in for its command line."""

    def __init__(self, folder: Path, place: str = "") -> None:
        super().__init__(folder, "github", place)
        self.head = ""
        self.state = folder / "state.json"
        self.set_state(pulls={}, comments=[])

    def set_state(self, **parts: Any) -> None:
        old = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.state.write_text(json.dumps({**old, **parts}))

    @property
    def comments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.state.read_text())["comments"]
        return found

    def published(self) -> set[str]:
        """Files of the branch of sites."""
        return set(self.git("ls-tree", "-r", "--name-only", "gh-pages").splitlines())

    def run_job(self, workflow: str, job: str, checkout: Path, **context: str) -> None:
        """Run the scripts of a job in a checkout; `context` are values of its expressions."""
        file = self.origin.folder / ".github" / "workflows" / f"{workflow}.yml"
        made = yaml.safe_load(file.read_text())["jobs"][job]
        exported = self.folder / "env"
        exported.write_text("")
        folder = made.get("defaults", {"run": {"working-directory": "."}})["run"]
        for step in made["steps"]:
            if "run" not in step:
                continue
            env = {name: self._value(text, context) for name, text in made.get("env", {}).items()}
            env |= dict(line.split("=", 1) for line in exported.read_text().splitlines())
            self.run(
                step["run"],
                checkout / folder["working-directory"],
                PATH=os.pathsep.join([str(Path(__file__).parent), str(BIN), os.environ["PATH"]]),
                GITHUB_ENV=str(exported),
                GITHUB_STEP_SUMMARY=str(self.folder / "summary.md"),
                GH_STATE=str(self.state),
                **env,
            )

    @staticmethod
    def _value(text: str, context: dict[str, str]) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: context[match[1]], text)


@pytest.fixture
def host(tmp_path: Path) -> GitHub:
    return GitHub(tmp_path)


@pytest.mark.slow
@pytest.mark.xdist_group("ci")
def test_a_pull_request_from_its_opening_to_its_end(host: GitHub, kept: Path) -> None:
    """Publish, open, preview, comment, change, take back, close: every script of the workflows."""
    _publishes(host)
    _previews_a_branch(host)
    shutil.copytree(host.folder / "pull" / ".modeldocs", kept, dirs_exist_ok=True)
    _comments_on_it(host)
    _takes_the_comment_back(host)
    _removes_the_preview(host)


@pytest.mark.slow
@pytest.mark.xdist_group("ci")
def test_the_catalog_may_be_in_a_folder_of_its_repository(tmp_path: Path) -> None:
    host = GitHub(tmp_path, "nets/catalog")
    _publishes(host)
    _previews_a_branch(host)
    _comments_on_it(host)
    _removes_the_preview(host)


def _publishes(host: GitHub) -> None:
    main = host.clone("main", "main", depth=1)
    host.run_job("modeldocs", "publish", main)
    assert {"index.html", ".nojekyll", "models/a/index.html"} <= host.published()
    assert host.git("rev-list", "--count", "gh-pages") == "1"


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


def _preview(host: GitHub) -> Path:
    shutil.rmtree(host.folder / "pull", ignore_errors=True)
    checkout = host.clone("pull", "refs/pull/7/merge", depth=2)
    store = host.place / ".modeldocs"
    shutil.copytree(host.folder / "main" / store, checkout / store)
    host.run_job("modeldocs-preview", "preview", checkout)
    return checkout / host.place / "preview"


def _previews_a_branch(host: GitHub) -> None:
    host.origin.branch("widen")
    host.head = head = host.commit({"models/a/caffe.prototxt": caffe(num_output=8)})
    _merge(host, "widen")
    preview = _preview(host)
    assert "a/caffe" in (preview / "comment.md").read_text()
    assert "a/caffe" in (host.folder / "summary.md").read_text()
    assert (preview / "site" / "changes" / "a" / "caffe" / "index.html").is_file()
    host.set_state(pulls={"7": ["team:widen", head], "8": ["else:widen", head]})


def _merge(host: GitHub, branch: str) -> None:
    host.origin.git("checkout", "-q", "-B", "merged", "main")
    host.origin.git("merge", "-q", "--no-ff", "-m", "merge", branch)
    host.origin.git("push", "-q", "-f", "origin", branch, "merged:refs/pull/7/merge")
    host.origin.git("checkout", "-q", "main")


def _commented(host: GitHub, **context: str) -> None:
    """Run the job that comments, in a checkout of main with the preview that was uploaded."""
    preview = host.place / "preview"
    shutil.rmtree(host.folder / "main" / preview, ignore_errors=True)
    shutil.copytree(host.folder / "pull" / preview, host.folder / "main" / preview)
    host.run_job("modeldocs-comment", "comment", host.folder / "main", **context)


def _comments_on_it(host: GitHub) -> None:
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


def _takes_the_comment_back(host: GitHub) -> None:
    host.origin.git("checkout", "-q", "widen")
    head = host.commit({"models/a/caffe.prototxt": caffe()})
    _merge(host, "widen")
    host.set_state(pulls={"7": ["team:widen", head]})
    assert not (_preview(host) / "comment.md").exists()
    _commented(host, **_context(head, "widen"))
    assert [one["pull"] for one in host.comments] == ["9"]


def _removes_the_preview(host: GitHub) -> None:
    context = {"github.event.pull_request.number": "7"}
    host.run_job("modeldocs-comment", "remove", host.folder / "main", **context)
    assert not any(name.startswith("previews/") for name in host.published())
    assert "index.html" in host.published()
