"""What hosts of repositories have in common: a bare repository, checkouts, and scripts of jobs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from modeldocs.cli import main
from tests.cli.ci.answering import run_script
from tests.repositories import History, caffe

BIN = Path(sys.executable).parent


class Host:
    """A bare repository with a catalog on its branch `main`, and the workflows of a host in it.

    The catalog is in its root, or at a path in it.
    """

    def __init__(self, folder: Path, name: str, place: str = "") -> None:
        self.folder, self.place = folder, Path(place)
        self.bare = folder / "bare.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", self.bare], check=True)
        self.origin = History(folder / "origin")
        self.origin.git("remote", "add", "origin", str(self.bare))
        written = CliRunner().invoke(
            main, ["ci", name, str(self.origin.folder / place), "--install", "test -d models"]
        )
        assert written.exit_code == 0, written.output
        ignored = ".modeldocs/\nsite/\npublic/\npreview/\ncomment.md\n"
        (self.origin.folder / ".gitignore").write_text(ignored)
        ports = ("models/a/caffe.prototxt", "models/a/second.prototxt", "models/b/caffe.prototxt")
        self.commit(dict.fromkeys(ports, caffe()))
        self.origin.git("push", "-q", "origin", "main")

    def commit(self, files: dict[str, str]) -> str:
        """Commit files of the catalog; the commit."""
        return self.origin.commit({str(self.place / name): text for name, text in files.items()})

    def git(self, *words: str) -> str:
        """What git prints in the bare repository."""
        process = subprocess.run(
            ["git", "-C", self.bare, *words], capture_output=True, text=True, check=True
        )
        return process.stdout.strip()

    def clone(self, name: str, revision: str, depth: int | None = None) -> Path:
        """A checkout of a commit that may be on no branch; of its last `depth` commits."""
        made = History(self.folder / name)
        made.git("remote", "add", "origin", str(self.bare))
        words = [f"--depth={depth}"] if depth else []
        made.git("fetch", "-q", *words, f"file://{self.bare}", revision)
        made.git("checkout", "-q", "--detach", "FETCH_HEAD")
        return made.folder

    def run(self, script: str, folder: Path, **variables: str) -> str:
        """The output of a script that Bash runs as hosts do: the first failure ends it."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_"))}
        path = os.pathsep.join([str(BIN), os.environ["PATH"]])
        process = run_script(script, folder, {**env, "PATH": path, **variables})
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout
