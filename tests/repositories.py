"""Git repositories of small catalogs, for tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.prototxts import NET

_IDENTITY = {
    name: value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in (
        (f"GIT_{role}_NAME", "Ada"),
        (f"GIT_{role}_EMAIL", "ada@example.org"),
        (f"GIT_{role}_DATE", "2026-01-01T00:00:00Z"),
    )
}


class History:
    """A repository in a folder, with a branch `main`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *words: str) -> str:
        """The output of git."""
        process = subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env={**os.environ, **_IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull},
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        return process.stdout.strip()

    def write(self, files: dict[str, str | bytes | None]) -> None:
        """Write files, or delete those that are None."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(
        self, files: dict[str, str | bytes | None] | None = None, subject: str = "change"
    ) -> str:
        """Write files and commit everything; the commit's name."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD")

    def branch(self, name: str, start: str = "main") -> None:
        """Begin a branch, and check it out."""
        self.git("checkout", "-q", "-B", name, start)


def caffe(**changes: object) -> str:
    """A network of one convolution of 3 channels and an activation, with other settings."""
    settings = {"num_output": 4, "kernel_size": 3, "type": "ReLU", **changes}
    net = NET.replace("num_output: 4", f"num_output: {settings['num_output']}")
    net = net.replace("kernel_size: 3", f"kernel_size: {settings['kernel_size']}")
    return net.replace('"ReLU"', f'"{settings["type"]}"')
