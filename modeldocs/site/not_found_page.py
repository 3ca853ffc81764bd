"""The page that a server shows for an address that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlparse

from modeldocs.site import addresses, page_writer
from modeldocs.site.templating import Templates

FILE = "404.html"


def page(templates: Templates, name: str, url: str | None, paths: Iterable[str]) -> str:
    """A page with a search for the words of the address, and a link to the catalog.

    It stands for any address, so that it needs no other file, and finds by the site's own folders
    in which folder of a server it is. `name` is the site's, `url` its address where that is known,
    `paths` those of its pages.
    """
    folders = {path.partition("/")[0] for path in paths if "/" in path}
    at_root = addresses.HOME in paths
    return templates.environment.get_template(f"{FILE}.j2").render(
        name=name,
        root=f"{urlparse(url or '').path.rstrip('/')}/",
        catalog="index.html" if at_root else "models/index.html",
        folders=sorted(folders),
        style=page_writer.STYLE,
    )
