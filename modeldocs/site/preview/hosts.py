"""Addresses of files at a commit on the hosts that previews are made for."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote


def source_link(variables: Mapping[str, str]) -> str:
    """The beginning of the address of a file, up to the commit, as the variables of a pipeline tell
    it: of GitHub Actions or GitLab CI; empty elsewhere.
    """
    server, repository = variables.get("GITHUB_SERVER_URL"), variables.get("GITHUB_REPOSITORY")
    if server and repository:
        return f"{server}/{repository}/blob/"
    project = variables.get("CI_PROJECT_URL")
    return f"{project}/-/blob/" if project else ""


def line_link(start: str, commit: str, path: str, line: int) -> str:
    """The address of a line of a file at a commit."""
    return f"{start}{quote(commit)}/{quote(path)}#L{line}"
