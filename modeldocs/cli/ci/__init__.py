"""`modeldocs ci`: workflow files of GitHub and GitLab, and the steps that they run."""

from __future__ import annotations

import click

from modeldocs.cli.lazy import LazyGroup

_PLACES = {
    "github": "modeldocs.cli.ci.workflows:github",
    "gitlab": "modeldocs.cli.ci.workflows:gitlab",
    "comment": "modeldocs.cli.ci.steps:comment",
    "publish": "modeldocs.cli.ci.steps:publish",
}


@click.group(cls=LazyGroup, places=_PLACES, short_help="Previews and publishing by GitHub, GitLab.")
def ci() -> None:
    """Write workflow files for previews and publishing, and run their steps."""
