"""Pictures of the main pages for README and guide: `make screenshots`.

Reads the site that `make site` wrote.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from .pages import SITE, chromium, served

IMAGES = Path("site_src/images")


@dataclass(frozen=True)
class Shot:
    """A page; its picture begins at the selector `scroll`, else at its top."""

    name: str
    path: str
    scroll: str = ""


SHOTS = (
    Shot("home", "index.html"),
    Shot("model", "models/resnet50/index.html"),
    Shot("port", "models/resnet50/ports/pytorch/index.html"),
    Shot("side-by-side", "models/resnet50/diffs/pytorch-vs-caffe/index.html", "#side-by-side"),
    Shot("benchmarks", "benchmarks/index.html"),
    Shot("profile", "models/resnet50/benchmarks/index.html", "#profiles"),
)


def main() -> None:
    """Write each picture, and print its file."""
    if not (SITE / "index.html").exists():
        sys.exit(f"{SITE}/ is not there; `make site` builds it")
    console = Console()
    with served(SITE) as address, chromium() as browser:
        for shot in SHOTS:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{address}/{shot.path}", wait_until="load")
            if shot.scroll:
                page.locator(shot.scroll).evaluate("element => element.scrollIntoView()")
            page.wait_for_timeout(500)
            file = IMAGES / f"{shot.name}.png"
            page.screenshot(path=file)
            page.close()
            console.print(file)


if __name__ == "__main__":
    main()
