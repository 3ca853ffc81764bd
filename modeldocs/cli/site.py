"""`modeldocs build` and `modeldocs serve`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from modeldocs.errors import ModeldocsError
from modeldocs.results import Summary

_CONFIG = Path("mkdocs.yml")
_DEFAULT_CONFIG = """\
site_name: {name}
docs_dir: {docs}
theme: {{name: material, font: false}}
plugins: [modeldocs, search]
markdown_extensions: [admonition, attr_list, md_in_html, tables]
"""


@click.command()
@click.option(
    "--models", type=click.Path(path_type=Path), help="The catalog's folder.  [default: models]"
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where the site goes.  [default: site]"
)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    help="Where results are kept.  [default: .modeldocs]",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Processes to load with.  [default: one a core]"
)
@click.option("--strict", is_flag=True, help="Exit with 1 if anything could not be loaded.")
@click.option(
    "--folder",
    is_flag=True,
    help="Write the pages as a plain folder of Markdown, for other generators.",
)
def build(
    models: Path | None,
    out: Path | None,
    store: Path | None,
    jobs: int | None,
    strict: bool,
    folder: bool,
) -> None:
    """Build the site of the catalog."""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from modeldocs.site import plugin

    given = {
        "models": str(models.resolve()) if models else None,
        "store": str(store.resolve()) if store else None,
        "jobs": jobs,
    }
    with _config(out) as config_file:
        config, made = plugin.configure(config_file, out=out, **given)
        if folder:
            target = out or Path("pages")
            summary = plugin.write_folder(config, made, target)
            entry = target / "index.md"
        else:
            summary = plugin.build_site(config, made)
            entry = Path(config.site_dir) / "index.html"
    tell(summary, entry)
    if strict and summary.failures:
        sys.exit(1)


def tell(summary: Summary, entry: Path) -> None:
    """A build in a few lines: what was made, what failed and how to mend it, what to open."""
    for name, failure in summary.failures:
        click.echo(f"failed: {name}: {failure.error()}", err=True)
    shown = entry.relative_to(Path.cwd()) if entry.is_relative_to(Path.cwd()) else entry
    counts = (
        (summary.models, "model"),
        (summary.ports, "port"),
        (summary.diffs, "diff"),
        (summary.records, "record"),
        (len(summary.failures), "failure"),
    )
    told = ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for number, word in counts)
    click.echo(f"{told}; {summary.loaded_now} loaded now; {summary.seconds:g} s")
    click.echo(f"open {shown}")


class _config:
    """mkdocs.yml of the current folder, else one made for the time of the build."""

    def __init__(self, out: Path | None) -> None:
        self.out = out
        self.made: Path | None = None

    def __enter__(self) -> Path:
        if _CONFIG.exists():
            return _CONFIG
        docs = Path(".modeldocs-docs")
        docs.mkdir(exist_ok=True)
        self.made = Path(".modeldocs-mkdocs.yml")
        self.made.write_text(_DEFAULT_CONFIG.format(name=Path.cwd().name, docs=docs))
        return self.made

    def __exit__(self, *_: object) -> None:
        if self.made is not None:
            self.made.unlink()
            Path(".modeldocs-docs").rmdir()


@click.command()
@click.option("--address", default="127.0.0.1:8000", show_default=True, help="Where to listen.")
def serve(address: str) -> None:
    """Serve the site, built again whenever the catalog or a page changes."""
    if not _CONFIG.exists():
        raise ModeldocsError(
            "there is no mkdocs.yml in this folder", mend="make one with `modeldocs new .`"
        )
    environment = {"NO_MKDOCS_2_WARNING": "1"} | os.environ
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address]
    sys.exit(subprocess.run(command, env=environment, check=False).returncode)
