"""Each script of GitLab's pipeline does its part on a real history."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from string import Template
from typing import Any

import pytest
import yaml

from tests.cli.ci.hosts import Host
from tests.cli.ci.notes import TOKEN, Notes, served
from tests.repositories import caffe

PROJECT, FORK = "11", "22"
MAIN = {
    "CI_COMMIT_BRANCH": "main",
    "CI_PIPELINE_SOURCE": "push",
    "CI_PROJECT_ID": PROJECT,
    "MODELDOCS_TOKEN": TOKEN,
}


class GitLab(Host):
    """Pipelines as GitLab runs them, with its caches, artifacts and published sites."""

    def __init__(self, folder: Path, notes: Notes, place: str = "") -> None:
        super().__init__(folder, "gitlab", place)
        self.notes = notes
        self.caches, self.artifacts = folder / "caches", folder / "artifacts"
        self.sites = folder / "sites"
        made = yaml.safe_load((self.origin.folder / ".gitlab-ci.yml").read_text())
        self.variables: dict[str, str] = made["variables"]
        self._all = {
            name: made.get(job.get("extends"), {}) | job
            for name, job in made.items()
            if isinstance(job, dict) and "script" in job
        }

    def jobs(self, variables: dict[str, str]) -> dict[str, dict[str, Any]]:
        """The jobs of a pipeline with these variables."""
        return {
            name: job
            for name, job in self._all.items()
            if any(_holds(rule["if"], variables) for rule in job["rules"])
        }

    def run_pipeline(self, revision: str, variables: dict[str, str]) -> list[str]:
        """The names of the jobs that were run on a commit."""
        jobs = self.jobs(variables)
        for name, job in jobs.items():
            self._run_job(name, job, revision, variables)
        return list(jobs)

    def _run_job(
        self, name: str, job: dict[str, Any], revision: str, variables: dict[str, str]
    ) -> None:
        known = {
            "CI_API_V4_URL": f"{self.notes.address}/api/v4",
            "CI_PAGES_URL": "https://team.example/models",
            "CI_PROJECT_DIR": str(self.folder / "job"),
            "CI_REPOSITORY_URL": f"file://{self.bare}",
            **variables,
        }
        for key, text in (self.variables | job.get("variables", {})).items():
            known[key] = Template(text).safe_substitute(known)
        folder = self.folder / "job"
        shutil.rmtree(folder, ignore_errors=True)
        if known.get("GIT_STRATEGY") == "none":
            folder.mkdir()
        else:
            self.clone("job", revision)
        # Caches of protected branches are apart from all others.
        protected = known.get("CI_COMMIT_BRANCH") == "main"
        cache = self.caches / ("protected" if protected else "non_protected")
        cached = [path for one in job.get("cache", []) for path in one["paths"]]
        _copy(cache, folder, cached)
        for needed in job.get("needs", []):
            _copy(self.artifacts / needed, folder, self._all[needed]["artifacts"]["paths"])
        self.run("\n".join([*job.get("before_script", []), *job["script"]]), folder, **known)
        _copy(folder, cache, cached)
        _copy(folder, self.artifacts / name, job.get("artifacts", {}).get("paths", []))
        if pages := job.get("pages"):
            prefix = "" if pages is True else Template(pages["path_prefix"]).substitute(known)
            _copy(folder, self.sites / (prefix or "main"), ["public"])

    def published(self, site: str) -> set[str]:
        """The files of a published site: `main`, or that of a path prefix."""
        folder = self.sites / site / "public"
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def _holds(rule: str, variables: dict[str, str]) -> bool:
    """A rule of comparisons and variables that are set, joined by `&&`."""

    def value(word: str) -> str:
        return variables.get(word[1:], "") if word.startswith("$") else word.strip('"')

    for part in rule.split(" && "):
        assert re.fullmatch(r'\$\w+( == ("[\w-]*"|\$\w+))?', part), part
        left, _, right = part.partition(" == ")
        if not (value(left) == value(right) if right else value(left)):
            return False
    return True


def _copy(source: Path, target: Path, names: list[str]) -> None:
    """Let what is at paths below one folder be below another."""
    for name in names:
        if (source / name).exists():
            shutil.rmtree(target / name, ignore_errors=True)
            shutil.copytree(source / name, target / name)


def request(host: GitLab, branch: str, source: str = PROJECT, **more: str) -> dict[str, str]:
    """The variables of the pipeline of merge request 7."""
    return {
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_PROJECT_ID": PROJECT,
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_PROJECT_ID": PROJECT,
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": source,
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": host.origin.git("merge-base", "main", branch),
        "MODELDOCS_TOKEN": TOKEN,
        "MODELDOCS_PREVIEWS": "pages",
        **more,
    }


@pytest.fixture
def host(tmp_path: Path) -> Iterator[GitLab]:
    with served() as notes:
        yield GitLab(tmp_path, notes)


def test_a_fork_runs_only_what_needs_no_rights(host: GitLab) -> None:
    """Its own pipeline has no token; one that a member starts for it publishes nothing."""
    own = request(host, "main", FORK, CI_PROJECT_ID=FORK, MODELDOCS_TOKEN="", MODELDOCS_PREVIEWS="")
    assert list(host.jobs(own)) == ["preview"]
    assert list(host.jobs(request(host, "main", FORK))) == ["preview", "comment"]


def test_a_preview_is_published_only_where_that_was_asked_for(host: GitLab) -> None:
    """Without parallel deployments it would take the place of the catalog."""
    jobs = host.jobs(request(host, "main", MODELDOCS_PREVIEWS=""))
    assert list(jobs) == ["preview", "comment"]
    assert not any("pages" in job for job in jobs.values())


@pytest.mark.slow
@pytest.mark.xdist_group("ci")
def test_a_merge_request_from_its_opening_to_its_end(host: GitLab, kept: Path) -> None:
    """Publish, open, preview, comment, change, take back: every script of the pipeline."""
    if kept.exists():
        for cache in ("protected", "non_protected"):
            shutil.copytree(kept, host.caches / cache / ".modeldocs")
    assert host.run_pipeline("main", MAIN) == ["pages"]
    catalog = host.published("main")
    assert {"index.html", "models/a/index.html"} <= catalog
    _previews_and_comments(host)
    _updates_the_comment(host)
    _comments_on_a_fork(host)
    _takes_the_comment_back(host)
    assert host.published("main") == catalog


@pytest.mark.slow
@pytest.mark.xdist_group("ci")
def test_the_catalog_may_be_in_a_folder_of_its_repository(tmp_path: Path) -> None:
    with served() as notes:
        host = GitLab(tmp_path, notes, "nets/catalog")
        assert host.run_pipeline("main", MAIN) == ["pages"]
        assert {"index.html", "models/a/index.html"} <= host.published("main")
        _previews_and_comments(host)


def _previews_and_comments(host: GitLab) -> None:
    host.origin.branch("widen")
    host.commit({"models/a/caffe.prototxt": caffe(num_output=8)})
    host.origin.git("push", "-q", "origin", "widen")
    jobs = host.run_pipeline("widen", request(host, "widen"))
    assert jobs == ["preview", "publish-preview", "comment"]
    assert {"index.html", "changes/a/caffe/index.html"} <= host.published("mr-7")
    [note] = host.notes.ours("7")
    assert "(https://team.example/models/mr-7/changes/a/caffe/)" in note


def _updates_the_comment(host: GitLab) -> None:
    """Behind many other notes, one of which looks like it; the target branch has moved on."""
    host.notes.add("7", "<!-- modeldocs preview --> as if it were ours", author=99)
    for number in range(130):
        host.notes.add("7", f"remark {number}", author=99)
    host.commit({"models/a/caffe.prototxt": caffe(num_output=9)})
    changed = request(host, "widen")
    host.origin.git("checkout", "-q", "main")
    target = host.commit({"models/b/caffe.prototxt": caffe(num_output=6)})
    host.origin.git("checkout", "-q", "-B", "merged")
    host.origin.git("merge", "-q", "--no-ff", "-m", "merge", "widen")
    host.origin.git("push", "-q", "-f", "origin", "main", "merged")
    host.run_pipeline("merged", changed | {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": target})
    [note] = host.notes.ours("7")
    assert "a/caffe" in note and "b/caffe" not in note
    assert "changes/b/caffe/index.html" not in host.published("mr-7")
    assert len(host.notes.all) == 132


def _comments_on_a_fork(host: GitLab) -> None:
    """A member ran its pipeline: the comment has no link, since nothing was published."""
    variables = request(host, "widen", FORK, CI_MERGE_REQUEST_IID="9")
    host._run_job("comment", host.jobs(variables)["comment"], "merged", variables)
    [note] = host.notes.ours("9")
    assert "a/caffe" in note and "https://team.example" not in note
    assert host.published("mr-9") == set()


def _takes_the_comment_back(host: GitLab) -> None:
    host.origin.branch("widen", "widen")
    host.commit({"models/a/caffe.prototxt": caffe()})
    host.origin.git("push", "-q", "origin", "widen")
    assert "comment" in host.run_pipeline("widen", request(host, "widen"))
    assert host.notes.ours("7") == []
    assert len(host.notes.all) == 132
