"""`modeldocs ci github|gitlab`: write the workflow files of a catalog."""

from __future__ import annotations

import re
from pathlib import Path

import click
import jinja2

from modeldocs import git, shipped
from modeldocs.cli.ci.installation import Installation
from modeldocs.errors import ModeldocsError

_TITLES = {"github": "GitHub", "gitlab": "GitLab"}
_BRANCH = re.compile(r"[\w./-]+")

_install = click.option(
    "--install",
    metavar="COMMAND",
    help="Command that installs modeldocs and the frameworks.  [default: from requirements.txt "
    "or for the frameworks of models/]",
)
_branch = click.option(
    "--branch", default="main", show_default=True, help="The branch that is published."
)
_folder = click.argument(
    "folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path, file_okay=False)
)
_force = click.option("--force", is_flag=True, help="Write over files that are there.")


@click.command(short_help="Write the workflows of GitHub Actions.")
@_folder
@_install
@_branch
@_force
def github(folder: Path, install: str | None, branch: str, force: bool) -> None:
    """Write .github/workflows/ into DIR: previews of pull requests, their comment, publishing."""
    _write("github", folder, Path(".github", "workflows"), install, branch, force=force)


@click.command(short_help="Write the pipeline of GitLab.")
@_folder
@_install
@_branch
@_force
def gitlab(folder: Path, install: str | None, branch: str, force: bool) -> None:
    """Write .gitlab-ci.yml into DIR: previews of merge requests, their comment, publishing."""
    _write("gitlab", folder, Path(), install, branch, force=force)


def _write(
    host: str, folder: Path, inside: Path, install: str | None, branch: str, *, force: bool
) -> None:
    sources = sorted((shipped.templates() / "ci" / host).glob("*.j2"))
    targets = {
        source: folder / inside / f"{'.' if host == 'gitlab' else ''}{source.stem}"
        for source in sources
    }
    _check_place(host, folder, branch)
    existing = [target for target in targets.values() if target.exists()]
    if existing and not force:
        raise ModeldocsError(
            "exists already", file=str(existing[0]), fix="move it away, or pass --force"
        )
    # GitHub's expressions have double braces.
    environment = jinja2.Environment(
        variable_start_string="<<", variable_end_string=">>", keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined, autoescape=False,
    )  # fmt: skip
    commands = Installation.of(folder, install)
    for source, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        template = environment.from_string(source.read_text("utf-8"))
        text = template.render(install=commands.whole, alone=commands.alone, branch=branch)
        target.write_text(text, "utf-8")
        click.echo(f"wrote {target}")
    if commands.note:
        click.echo(commands.note)


def _check_place(host: str, folder: Path, branch: str) -> None:
    """Check that a host will read the files there, and that they can name the branch.

    Raises:
        ModeldocsError: it will not, or they cannot.
    """
    if not _BRANCH.fullmatch(branch):
        raise ModeldocsError(
            f"{branch!r} cannot be written into the files of a pipeline",
            fix="pass --branch with letters, digits and . _ / -",
        )
    there = next((one for one in (folder, *folder.parents) if one.is_dir()), Path())
    around = git.run(there, "rev-parse", "--show-prefix")
    inside = around.stdout.decode("utf-8", "replace").strip()
    if around.returncode == 0 and inside:
        raise ModeldocsError(
            f"{_TITLES[host]} reads them in the root of a repository alone",
            file=inside,
            fix="run it in the root, and let the steps that build and preview run in "
            f"{inside.rstrip('/')}",
        )
