"""`modeldocs ci comment|publish`: steps of workflows that have a token, and trust no change."""

from __future__ import annotations

import os
from pathlib import Path

import click

from modeldocs.cli import options
from modeldocs.errors import ModeldocsError
from modeldocs.git import Repository
from modeldocs.site import publishing
from modeldocs.site.preview import comment as comments
from modeldocs.site.preview import document, hosts
from modeldocs.site.publishing import PublishedFolder


@click.command(short_help="Print the comment on a preview's diff.json.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--link", type=options.ADDRESS, default="", help="Address of the preview's site.")
def comment(file: Path, link: str) -> None:
    """Print the Markdown of the comment on FILE, a preview's diff.json; nothing if nothing changed.

    FILE may come from a job that ran the change's code: it is checked against its schema, and all
    text in it is escaped.
    """
    if file.is_symlink() or not file.is_file():
        raise ModeldocsError("is no plain file", file=str(file), fix="pass a preview's diff.json")
    if file.stat().st_size > document.MAX_BYTES:
        raise ModeldocsError("is too large", file=str(file), fix="pass a preview's diff.json")
    found = document.decode(file.read_bytes(), file=str(file))
    click.echo(comments.comment(found, link, hosts.source_link(os.environ)), nl=False)


@click.command(short_help="Put a built site on a branch.")
@click.argument("site", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--to", "folder", default="", metavar="PATH", help="Folder on the branch.")
@click.option("--branch", default="gh-pages", show_default=True, help="The branch of the sites.")
@click.option("--remote", default="origin", show_default=True, help="The repository, by name.")
@click.option(
    "--keep",
    multiple=True,
    default=("previews",),
    show_default=True,
    help="Folder that a site at the root leaves alone; can be given several times.",
)
@click.option("--remove", is_flag=True, help="Remove what is at --to.")
def publish(
    site: Path | None, folder: str, branch: str, remote: str, keep: tuple[str, ...], remove: bool
) -> None:
    """Push SITE to a branch, as its root or into the folder --to; the rest of the branch stays.

    The branch keeps one commit of modeldocs, so that old sites take no space, on top of those of
    others. Only files that it published are replaced.
    """
    if (site is None) != remove or (remove and not folder):
        raise ModeldocsError(
            "nothing to publish", fix="pass a built site, or --remove with the --to of a preview"
        )
    place = PublishedFolder(remote=remote, branch=branch, folder=folder, kept=keep)
    commit = publishing.publish(Repository.around(Path.cwd()), site, place)
    where = f"{branch}:{folder or '/'}"
    done = "removed from" if remove else "published to"
    click.echo(f"{done} {where} ({commit[:12]})" if commit else f"{where} is as it was")
