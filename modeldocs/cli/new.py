"""`modeldocs new`: create a first catalog."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click
import jinja2

from modeldocs import package_data, verdict
from modeldocs.errors import ModeldocsError
from modeldocs.site.catalog.port_states import STATES


@click.command(short_help="Create a first catalog in a folder.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def new(folder: Path) -> None:
    """Create a first catalog in DIR: mkdocs.yml, one model, pages, a README and .gitignore."""
    source = package_data.templates() / "new"
    files = sorted(path for path in source.rglob("*.j2"))
    targets = {path: folder / path.relative_to(source).with_suffix("") for path in files}
    ignore = folder / ".gitignore"
    own_ignore = ignore.exists()
    if own_ignore:  # a new repository often has one
        targets = {path: target for path, target in targets.items() if target != ignore}
    existing = [target for target in targets.values() if os.path.lexists(target)]
    if existing:
        raise ModeldocsError(
            f"{existing[0].relative_to(folder)} exists already",
            file=str(folder),
            fix="choose another folder, or move the file away",
        )
    name = folder.resolve().name or "models"
    for path, target in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        template = jinja2.Template(
            path.read_text("utf-8"), keep_trailing_newline=True, trim_blocks=True
        )
        text = template.render(name=name, steps=verdict.STEPS, states=STATES)
        target.write_text(text, "utf-8")
        click.echo(f"wrote {target}")
    if own_ignore:
        click.echo(f"kept {ignore}: add .modeldocs/ and site/ to it")
    inside = "" if folder.resolve() == Path.cwd() else f"cd {shlex.quote(str(folder))} && "
    click.echo(f"next: {inside}modeldocs build")
