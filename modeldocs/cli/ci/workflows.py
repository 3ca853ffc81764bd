"""`modeldocs ci github|gitlab`: write the workflow files of a catalog."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
import jinja2

from modeldocs import git, package_data
from modeldocs.cli.ci.installation import Installation
from modeldocs.errors import ModeldocsError

_PLAIN = re.compile(r"[\w./-]+")
"""What neither a shell nor YAML reads as anything but text."""

_NEXT = {
    "github": "next: push the files to {branch}, and let GitHub Pages serve the branch gh-pages "
    "(Settings > Pages). Set the variable MODELDOCS_URL to the address of the site (Settings > "
    "Secrets and variables > Actions > Variables): previews are then published, and comments link "
    "to them.",
    "gitlab": "next: push the file to {branch}, whose pipeline publishes the catalog. For comments "
    "and previews set the variables that the head of the file describes (Settings > CI/CD > "
    "Variables).",
}
"""What a host needs beside the files."""

_install = click.option(
    "--install",
    metavar="COMMAND",
    help="Command that installs modeldocs and the frameworks.  [default: from requirements.txt, "
    "else `installation` in mkdocs.yml or the source of this modeldocs, for models/]",
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
    """Write .github/workflows/ for the catalog in DIR: previews of pull requests, their comment,
    publishing. In a repository it is written into the root, where GitHub reads it.
    """
    _write("github", folder, Path(".github", "workflows"), install, branch, force=force)


@click.command(short_help="Write the pipeline of GitLab.")
@_folder
@_install
@_branch
@_force
def gitlab(folder: Path, install: str | None, branch: str, force: bool) -> None:
    """Write .gitlab-ci.yml for the catalog in DIR: previews of merge requests, their comment,
    publishing. In a repository it is written into the root, where GitLab reads it.
    """
    _write("gitlab", folder, Path(), install, branch, force=force)


def _write(
    host: str, folder: Path, inside: Path, install: str | None, branch: str, *, force: bool
) -> None:
    root, place = _place(folder, branch)
    sources = sorted((package_data.templates() / "ci" / host).glob("*.j2"))
    targets = {
        source: root / inside / f"{'.' if host == 'gitlab' else ''}{source.stem}"
        for source in sources
    }
    existing = [target for target in targets.values() if os.path.lexists(target)]
    if existing and not force:
        raise ModeldocsError(
            "exists already", file=str(existing[0]), fix="move it away, or pass --force"
        )
    # GitHub's expressions have double braces.
    environment = jinja2.Environment(
        variable_start_string="<<", variable_end_string=">>", keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined, autoescape=False,
    )  # fmt: skip
    commands = Installation.of(root, folder, install)
    for source, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        template = environment.from_string(source.read_text("utf-8"))
        text = template.render(
            install=commands.whole,
            alone=commands.alone,
            branch=branch,
            place=place,
            inside=f"{place}/" if place else "",
        )
        target.write_text(text, "utf-8")
        click.echo(f"wrote {target}")
    if commands.note:
        click.echo(commands.note)
    click.echo(_NEXT[host].format(branch=branch))


def _place(folder: Path, branch: str) -> tuple[Path, str]:
    """The root of the repository around a folder, where hosts read the files, and the folder's path
    in it, empty for the root itself; the folder where there is no repository yet.

    Raises:
        ModeldocsError: the path or the branch cannot be written into the files.
    """
    there = next(one for one in (folder.resolve(), *folder.resolve().parents) if one.is_dir())
    found = git.run(there, "rev-parse", "--show-toplevel")
    root, place = folder, ""
    if found.returncode == 0:
        top = Path(found.stdout.decode("utf-8", "replace").rstrip("\n"))
        inside = folder.resolve().relative_to(top)
        if inside.parts:
            root, place = top, inside.as_posix()
    for name, fix in ((branch, "pass --branch with letters"), (place, "name it with letters")):
        if name and not _PLAIN.fullmatch(name):
            raise ModeldocsError(
                f"{name!r} cannot be written into the files of a pipeline",
                fix=f"{fix}, digits and . _ / -",
            )
    return root, place
