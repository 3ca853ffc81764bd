"""`modeldocs build` and `modeldocs serve`: build the site of a catalog."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from modeldocs import catalog
from modeldocs.cli import options, terminal
from modeldocs.errors import ModeldocsError
from modeldocs.site import default_config, output_folder
from modeldocs.tasks import remote
from modeldocs.tasks.results import Summary

_CONFIG = Path("mkdocs.yml")


@click.command(short_help="Build the site of the catalog.")
@click.option(
    "--models", type=click.Path(path_type=Path), help="The catalog's folder.  [default: models]"
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder of the built site.  [default: site]"
)
@options.store
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Number of processes.  [default: one per core]"
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run tasks on the Dask cluster of that scheduler, tcp://host:8786, in place of --jobs.",
)
@click.option(
    "--parity/--no-parity",
    default=None,
    help="Run every pair of ports with the same weights.  [default: --parity]",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 if a port fails to load or disagrees with its framework; with 2 if that is "
    "not known, since the machine failed.",
)
@click.option(
    "--folder",
    is_flag=True,
    help="Write the pages as a folder of Markdown for other site generators, to pages/ or the "
    "folder given with --out.",
)
def build(
    models: Path | None,
    out: Path | None,
    store: str | None,
    jobs: int | None,
    scheduler: str | None,
    parity: bool | None,
    strict: bool,
    folder: bool,
) -> None:
    """Build the site of the catalog in models/.

    mkdocs.yml in the current folder configures the site; without it a default site is built.
    """
    values = {
        "models": str(models.resolve()) if models else None,
        "store": store,
        "jobs": jobs,
        "scheduler": scheduler,
        "parity": parity,
    }
    given = {name: value for name, value in values.items() if value is not None}
    if folder:
        outcome = _folder(given, (out or Path("pages")).resolve())
    else:
        outcome = _site(given, out.resolve() if out else None)
    _show(outcome)
    if (strict or outcome.strict) and outcome.summary.failures:
        sys.exit(2 if outcome.summary.prevented == len(outcome.summary.failures) else 1)


class BuildOutcome(NamedTuple):
    """A build's summary, whether mkdocs.yml makes it strict, and the page to open."""

    summary: Summary
    strict: bool
    entry: Path


def _site(options: dict[str, Any], out: Path | None) -> BuildOutcome:
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from modeldocs.site import project

    with _configuration() as file:
        config, site_plugin = project.configure(file, out=out, root=Path.cwd(), **options)
        # The plugin would stop before the site is built; here a strict build writes it.
        strict, site_plugin.config.strict = site_plugin.config.strict, False
        target = Path(config.site_dir)
        models = catalog.existing(file.resolve().parent / site_plugin.config.models)
        guard(target, models)
        output_folder.check(target)
        summary = project.build_changed(config, site_plugin)
        return BuildOutcome(summary, strict, target / "index.html")


def _folder(options: dict[str, Any], target: Path) -> BuildOutcome:
    from modeldocs.site import build, mkdocs_errors, page_writer, settings

    site = settings.read(_CONFIG) if _CONFIG.exists() else settings.Settings()
    site = msgspec.structs.replace(site, **options)
    root = Path.cwd()
    guard(target, catalog.existing(root / site.models))
    page_writer.check_folder(target)
    with mkdocs_errors.as_errors(), remote.store_at(site.store, root).in_use():
        built = build.build(root, site)
        build.write_folder(built, target)
    return BuildOutcome(built.summary, site.strict, target / "index.md")


def _show(outcome: BuildOutcome) -> None:
    """Print the failures, the counts of a build, and the page to open."""
    summary = outcome.summary
    for name, failure in summary.failures:
        click.echo(terminal.safe(f"failed: {name}: {failure.error()}"), err=True)
    counts = terminal.counts(
        (summary.models, "model"),
        (summary.ports, "port"),
        (summary.diffs, "diff"),
        (summary.records, "record"),
        (len(summary.failures), "failure"),
    )
    click.echo(f"{counts}; {summary.loaded_now} loaded now; {summary.seconds:g} s")
    if summary.prevented:
        what = "1 failure is" if summary.prevented == 1 else f"{summary.prevented} failures are"
        click.echo(f"{what} of the machine, and not stored: the next build tries again")
    click.echo(f"open {terminal.relative(outcome.entry)}")


@contextmanager
def _configuration() -> Iterator[Path]:
    """mkdocs.yml of the current folder, else a temporary one, deleted when the block ends."""
    if _CONFIG.exists():
        yield _CONFIG
        return
    here = Path.cwd()
    folders = {"models": "models", "store": ".modeldocs", "templates": "templates"}
    options = {name: str(here / folder) for name, folder in folders.items()}
    with default_config.configuration(here.name or "models", here / "site", options) as file:
        yield file


def guard(target: Path, models: Path) -> None:
    """Check that `target` is neither the catalog nor the current folder, nor around or in these.

    Raises:
        ModeldocsError: it is.
    """
    target, models = target.resolve(), models.resolve()
    if target in (models, *models.parents) or models in target.parents:
        reason = "the site would be written over the catalog"
    elif target in (Path.cwd(), *Path.cwd().parents):
        reason = "the site would be written over the current folder"
    else:
        return
    raise ModeldocsError(reason, file=target.name, fix="choose an empty folder with --out DIR")


@click.command(short_help="Serve the site, and rebuild it at every change.")
@click.option(
    "--address", default="127.0.0.1:8000", show_default=True, help="Address and port to listen on."
)
def serve(address: str) -> None:
    """Serve the site, and rebuild it whenever the catalog or a page changes.

    It needs mkdocs.yml in the current folder. `mkdocs serve` does the same. Stop with Ctrl-C.
    """
    if not _CONFIG.exists():
        raise ModeldocsError(
            "there is no mkdocs.yml in this folder", fix="create one with `modeldocs new .`"
        )
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from modeldocs.site import project

    project.configure(_CONFIG)
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address]
    sys.stdout.flush()
    os.execv(sys.executable, command)
