"""`modeldocs build` and `modeldocs serve`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec
import yaml

from modeldocs.cli import terminal
from modeldocs.errors import ModeldocsError
from modeldocs.tasks.results import Summary

_CONFIG = Path("mkdocs.yml")
_SITE_FILES = ("index.html", "404.html", "sitemap.xml")


@click.command(short_help="Build the site of the catalog.")
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
@click.option(
    "--parity/--no-parity",
    default=None,
    help="Run every pair of ports with the same weights.  [default: yes]",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 if a port could not be loaded, or its framework contradicts it.",
)
@click.option(
    "--folder",
    is_flag=True,
    help="Write the pages as a plain folder of Markdown, for other generators; "
    "it goes to pages/ unless --out says otherwise.",
)
def build(
    models: Path | None,
    out: Path | None,
    store: Path | None,
    jobs: int | None,
    parity: bool | None,
    strict: bool,
    folder: bool,
) -> None:
    """Build the site of the catalog in models/.

    mkdocs.yml in this folder says how the site looks; without one, a plain site is built.
    """
    given = {
        "models": str(models.resolve()) if models else None,
        "store": str(store.resolve()) if store else None,
        "jobs": jobs,
        "parity": parity,
    }
    options = {name: value for name, value in given.items() if value is not None}
    if folder:
        summary, wanted, entry = _folder(options, (out or Path("pages")).resolve())
    else:
        summary, wanted, entry = _site(options, out.resolve() if out else None)
    tell(summary, entry)
    if (strict or wanted) and summary.failures:
        sys.exit(1)


Outcome = tuple[Summary, bool, Path]
"""A build's summary, whether mkdocs.yml wants it strict, and the file to open."""


def _site(options: dict[str, Any], out: Path | None) -> Outcome:
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from modeldocs.site import plugin

    with _configuration() as file:
        config, made = plugin.configure(file, out=out, **options)
        strict, made.config.strict = made.config.strict, False
        target = Path(config.site_dir)
        _guard(target, file.resolve().parent / made.config.models, emptied=True)
        return plugin.build_site(config, made), strict, target / "index.html"


def _folder(options: dict[str, Any], target: Path) -> Outcome:
    from modeldocs.site import build, complaints, settings

    asked = settings.read(_CONFIG) if _CONFIG.exists() else settings.Settings()
    asked = msgspec.structs.replace(asked, **options)
    root = Path.cwd()
    _guard(target, root / asked.models, emptied=False)
    with complaints.told():
        built = build.build(root, asked)
        build.write_folder(built, target)
    return built.summary, asked.strict, target / "index.md"


def tell(summary: Summary, entry: Path) -> None:
    """A build in a few lines: what was made, what failed and how to fix it, what to open."""
    for name, failure in summary.failures:
        click.echo(terminal.safe(f"failed: {name}: {failure.error()}"), err=True)
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


@contextmanager
def _configuration() -> Iterator[Path]:
    """mkdocs.yml of the current folder, else one elsewhere that is gone when the block ends."""
    if _CONFIG.exists():
        yield _CONFIG
        return
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        docs = Path(folder, "docs")
        docs.mkdir()
        places = {
            name: str(here / folder)
            for name, folder in (
                ("models", "models"),
                ("store", ".modeldocs"),
                ("templates", "templates"),
            )
        }
        settings = {
            "site_name": here.name or "models",
            "docs_dir": str(docs),
            "site_dir": str(here / "site"),
            "theme": {"name": "material", "font": False},
            "plugins": ["search", {"modeldocs": places}],
            "markdown_extensions": ["admonition", "attr_list", "md_in_html", "tables"],
        }
        made = Path(folder, _CONFIG.name)
        made.write_text(yaml.safe_dump(settings), "utf-8")
        yield made


def _guard(target: Path, models: Path, *, emptied: bool) -> None:
    """Refuse to write the site over what is not one.

    Raises:
        ModeldocsError: `target` holds the catalog, lies in it, or (where it is to be `emptied`)
            holds files that no build has made.
    """
    target, models = target.resolve(), models.resolve()
    if target in (models, *models.parents) or models in target.parents:
        reason = "the site would be written over the catalog"
    elif target in (Path.cwd(), *Path.cwd().parents):
        reason = "the site would be written over the current folder"
    elif emptied and _holds_other_files(target):
        reason = "holds files that are no site, and would be emptied"
    else:
        return
    raise ModeldocsError(reason, file=target.name, fix="choose an empty folder with --out DIR")


def _holds_other_files(target: Path) -> bool:
    if not target.is_dir():
        return False
    names = [path.name for path in target.iterdir() if not path.name.startswith(".")]
    return bool(names) and not any(name in _SITE_FILES for name in names)


@click.command(short_help="Serve the site, built again at every change.")
@click.option("--address", default="127.0.0.1:8000", show_default=True, help="Where to listen.")
def serve(address: str) -> None:
    """Serve the site, built again whenever the catalog or a page changes.

    `mkdocs serve` does the same. Stop it with Ctrl-C.
    """
    if not _CONFIG.exists():
        raise ModeldocsError(
            "there is no mkdocs.yml in this folder", fix="make one with `modeldocs new .`"
        )
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from modeldocs.site import plugin

    plugin.configure(_CONFIG)
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address]
    sys.stdout.flush()
    os.execv(sys.executable, command)
