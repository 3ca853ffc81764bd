"""The files of a preview: its data, the comment, and the site."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from modeldocs import mark
from modeldocs.mark import MarkedWriter
from modeldocs.site import addresses, default_config, output_folder
from modeldocs.site.build import Built
from modeldocs.site.preview import comment, document, hosts, pages, untrusted
from modeldocs.site.preview.document import Preview
from modeldocs.site.preview.sides import Sides
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import Summary, summarise
from modeldocs.tasks.store import Store

KIND = "preview"
_FIX = "choose an empty folder with --out DIR, or empty it yourself"

DATA, COMMENT, SITE = "diff.json", "comment.md", "site"
_NAV = [
    {"Changes": pages.HOME},
    {"Catalog": addresses.HOME},
    {"Compare": f"{addresses.COMPARE}/index.md"},
    {"Benchmarks": f"{addresses.BENCHMARKS}/index.md"},
    {"Proofs": f"{addresses.PROOFS}/index.md"},
]


def check(out: Path) -> None:
    """Check that a preview may be written to a folder.

    Raises:
        ModeldocsError: the folder, or a file in the place of one of ours, is somebody else's.
    """
    mark.check(out, KIND, _FIX)
    output_folder.check(out / SITE)
    writer = MarkedWriter(out)
    for name in (DATA, COMMENT):
        writer.check(name)


def begin(out: Path) -> None:
    """Mark a folder as that of a preview, before its site is written.

    Raises:
        ModeldocsError: as `check`.
    """
    mark.claim(out, KIND, _FIX)


def write(preview: Preview, out: Path, link: str) -> None:
    """Write `diff.json` and `comment.md`; where nothing changed there is no comment.

    Raises:
        ModeldocsError: as `check`.
    """
    writer = MarkedWriter(out)
    writer.write(DATA, document.encode(preview))
    text = comment.comment(preview, link, hosts.source_link(os.environ))
    if text:
        writer.write(COMMENT, text.encode())
    else:
        mark.remove(out, KIND, [COMMENT])


def write_site(
    preview: Preview, sides: Sides, target: Path, *, name: str, literal: bool
) -> Summary:
    """Write the site; with `literal` notes of models are shown as text.

    It has templates and a configuration of modeldocs, not those of the project: both are code.

    Raises:
        ModeldocsError: MkDocs stopped with an error.
    """
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from modeldocs.site import project

    catalog, results = sides.site
    templates = Templates()
    with tempfile.TemporaryDirectory(prefix="modeldocs-pages-") as folder:
        built = Built(
            catalog=untrusted.as_text(catalog) if literal else catalog,
            results=results,
            summary=summarise(catalog, results, 0.0),
            templates=templates,
            place=Store(Path(folder)),
            more=tuple(pages.pages(preview, sides, templates)),
        )
        options = {"models": catalog.root, "store": results.place.store}
        with default_config.configuration(f"{name}: preview", target, options, _NAV) as file:
            config, site_plugin = project.configure(file)
            site_plugin.ready = built
            return project.build_site(config, site_plugin)
