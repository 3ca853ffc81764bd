"""The command line: `modeldocs`.

Exit codes: 0 success, 1 a check that the user asked for failed, 2 the command could not be done.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import click

from modeldocs import __version__, gc_tuning, lazy_import
from modeldocs.cli import terminal
from modeldocs.cli.lazy import LazyGroup
from modeldocs.errors import ModeldocsError, first_line

_PLACES = {
    "new": "modeldocs.cli.new:new",
    "build": "modeldocs.cli.build:build",
    "serve": "modeldocs.cli.build:serve",
    "load": "modeldocs.cli.load:load",
    "draw": "modeldocs.cli.draw:draw",
    "diff": "modeldocs.cli.diff:diff",
    "verify": "modeldocs.cli.verify:verify",
    "generate": "modeldocs.cli.generate:generate",
    "edit": "modeldocs.cli.edit:edit",
    "convert": "modeldocs.cli.convert:convert",
    "history": "modeldocs.cli.history:history",
    "preview": "modeldocs.cli.preview:preview",
    "ci": "modeldocs.cli.ci:ci",
    "bench": "modeldocs.cli.bench:bench",
    "store": "modeldocs.cli.store:store",
    "env": "modeldocs.cli.env:env",
    "doctor": "modeldocs.cli.doctor:doctor",
}


class _CommandGroup(LazyGroup):
    """Prints errors without a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        lazy_import.defer_symbolic()
        gc_tuning.collect_rarely()
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ModeldocsError as error:
            click.echo(f"modeldocs: {terminal.safe(str(error))}", err=True)
        except BrokenPipeError:
            raise
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            click.echo(f"modeldocs: {place}{error.strerror or error}", err=True)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            click.echo(f"modeldocs: {terminal.safe(_defect(error))}", err=True)
        sys.exit(2)


def _defect(error: Exception) -> str:
    """The message for an unexpected exception: its place in modeldocs, and what to report."""
    message = first_line(error)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(__file__).parents[1] in Path(frame.filename).parents]
    last = ours[-1] if ours else frames[-1]
    return (
        f"failed with {type(error).__name__}{': ' if message else ''}{message}\n"
        f"  fix: this is a defect of modeldocs {__version__} (in {Path(last.filename).name}:"
        f"{last.lineno}); report it with the command and the file"
    )


@click.group(
    cls=_CommandGroup, places=_PLACES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="modeldocs")
def main() -> None:
    """Reports on neural networks: layers, differences between ports, speed."""
