"""The rendering of the catalog's pages by MkDocs: only of those that show something else now.

Of a page that the last build rendered from the same, MkDocs gets a file to copy, and the site gets
the page's entries in the search index and its line in the site map from here.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import msgspec
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from modeldocs.mark import MarkedWriter
from modeldocs.site import addresses
from modeldocs.site.incremental import set_aside, stored_html
from modeldocs.site.incremental.mkdocs_files import KeptFile, LinkedFile
from modeldocs.site.incremental.stored_html import Rendered, RenderedPage
from modeldocs.site.incremental.whole_site import FileState, State
from modeldocs.site.search import files as search_files
from modeldocs.tasks import store
from modeldocs.tasks.store import Store

_MODELS = f"{addresses.MODELS}/"
_LINK = re.compile(r'\b(?:href|src)="([^"]*)"')


class Rendering:
    """The catalog's pages in one build of MkDocs.

    `state` has the states of the files in the store that they are rendered from; without a `key`,
    see `mkdocs_inputs.of_page`, all are rendered. `before` is an earlier build of this process.
    """

    def __init__(
        self,
        store: Store,
        config: MkDocsConfig,
        state: State,
        key: str | None,
        before: Rendering | None = None,
    ) -> None:
        self.store, self.config, self.state, self.key = store, config, state, key
        self.is_finished = False
        self.ours: dict[str, File] = {}
        """Our files by path; they are taken from the build before, since making them takes time."""
        self.present: set[str] = set()
        """The paths in the site that the build before has left in the folder of models."""
        self.left: State = {}
        """The states that the files of the store had then."""
        if before is not None and key is not None and before._place() == self._place():
            self.ours = before.ours
            if before.is_finished:
                self.present, self.left = before.present, before.state
        self.last = _last(store, key, before)
        self.shown = {addresses.HOME, *_paths(config.nav)}
        """Pages in the navigation, which needs their titles: they are always rendered."""
        self.kept: list[KeptFile] = []
        self.fresh: dict[File, RenderedPage] = {}
        self.files = Files([])
        self.known: set[str] = set()
        """The addresses of all files of the site."""
        self.navigation = ""
        self.now: Rendered | None = None
        self.noted: FileState | None = None
        """What is kept for the next build, and the state of the file that says so."""

    def _place(self) -> tuple[str | None, Path, str]:
        """What the files are made with, where they lie, and where they go."""
        return self.key, self.store.folder, self.config.site_dir

    def add(self, files: Files, folder: Path, paths: Iterable[str]) -> None:
        """Add the pages, which lie in `folder`."""
        self.files = files
        ours = [self._file(str(folder), path) for path in paths]
        for file in ours:
            if file.src_uri in files.src_uris:
                files.remove(files.src_uris[file.src_uri])
        self.known = {_address(file.url) for file in (*files, *ours)}
        for file in ours:
            files.append(self._kept(file) or file)

    def _file(self, folder: str, path: str) -> File:
        """The file of one of our pages; all but the home page stay out of the navigation.

        Where other plugins may write into the site, it is a copy of the store's.
        """
        file = self.ours.get(path)
        if file is not None:
            file.page = None
            return file
        kind = File if self.key is None else LinkedFile
        file = self.ours[path] = kind.generated(self.config, path, abs_src_path=f"{folder}/{path}")
        if path != addresses.HOME and file.is_documentation_page():
            file.inclusion = InclusionLevel.NOT_IN_NAV
        return file

    def _kept(self, file: File) -> KeptFile | None:
        """The file of a page that need not be rendered; None of another."""
        if self.last is None or file.src_uri in self.shown or not file.is_documentation_page():
            return None
        sources = stored_html.sources(self.state, file.src_uri)
        page = stored_html.usable(self.store, self.last, file.dest_uri, sources, self.known)
        if page is None:
            return None
        kept = KeptFile(file, self.config, page, stored_html.file(self.store, file.dest_uri))
        self.kept.append(kept)
        return kept

    def put_aside(self, site: Path) -> None:
        """Keep MkDocs from deleting what stays as it is."""
        if self.present:
            set_aside.put(site)

    def take_back(self, site: Path) -> None:
        """Put back what MkDocs was kept from deleting, and delete what does not stay."""
        linked = {file.dest_uri for file in self.files if _is_linked(file)}
        if self.present:
            set_aside.take_back(site, self.present - linked)
        for file in self.files:
            if isinstance(file, LinkedFile):
                place = f"pages/{file.src_uri}"
                same = self.left.get(place) == self.state.get(place)
                file.is_there = same and file.dest_uri in self.present
        self.present = {file.dest_uri for file in self.files if file.dest_uri.startswith(_MODELS)}

    def planned(self, config: MkDocsConfig) -> Iterator[str]:
        """The paths in the site of all that MkDocs and the search write."""
        yield from (file.dest_uri for file in self.files)
        yield from (*config.theme.static_templates, *map(str, config.extra_templates))
        yield from search_files.WRITTEN
        yield "sitemap.xml.gz"

    def check_navigation(self, navigation: Navigation) -> None:
        """Render all pages if the navigation has changed, which each of them shows.

        The pages in it have their titles only after their Markdown was read.
        """
        self.navigation = store.key([_described(item) for item in navigation.items])
        if self.last is None or self.last.navigation == self.navigation:
            return
        for file in self.kept:
            file.is_kept = False
            _read(Page(None, file, self.config), self.config, self.files)
        self.kept = []

    def pages(self) -> list[File]:
        """The files of all pages of the site, in the order of a build that renders all."""
        pages = {file.src_uri for file in self.files.documentation_pages()}
        pages.update(file.src_uri for file in self.kept)
        return [file for file in self.files if file.src_uri in pages]

    def counts(self) -> tuple[int, int]:
        """The numbers of pages of the site that were rendered, and of all."""
        every = len(self.pages())
        return every - len(self.kept), every

    def note(self, page: Page) -> None:
        """Note a page that was rendered, if it can be kept."""
        file = page.file
        if file.src_uri in self.shown or file.generated_by is None or not _stands_alone(page):
            return
        links = {_address(urljoin(f"/{page.url}", link)) for link in _links(page)}
        if links <= self.known:
            self.fresh[file] = RenderedPage(
                sources=stored_html.sources(self.state, file.src_uri),
                links=tuple(sorted(links)),
                anchors=tuple(sorted(page.present_anchor_ids or ())),
            )

    def finish(self, site: Path) -> None:
        """Complete the search, and keep what was rendered now."""
        kept = {_place(file): file.kept.entries for file in self.kept}
        entries = search_files.link_files(site, kept, map(_place, self.pages()))
        for one in self.kept:
            one.forget_page()
        self.is_finished = True
        if self.key is None:
            return
        pages = {file.dest_uri: file.kept for file in self.kept}
        writer = MarkedWriter(self.store.folder)
        for file, page in self.fresh.items():
            state = stored_html.keep(self.store, writer, file.dest_uri, file.abs_dest_path)
            if state is not None:
                found = tuple(entries.get(_place(file), ()))
                pages[file.dest_uri] = msgspec.structs.replace(page, html=state, entries=found)
        self.now = Rendered(key=self.key, navigation=self.navigation, pages=pages)
        stored_html.note(self.store, self.now, self.last)
        self.noted = stored_html.noted(self.store)


def _last(store: Store, key: str | None, before: Rendering | None) -> Rendered | None:
    """What the last build kept, which need not be read if that was `before`."""
    if key is None:
        return None
    if before is not None and before.now is not None and before.noted == stored_html.noted(store):
        return before.now if before.now.key == key else None
    return stored_html.read(store, key)


def _is_linked(file: File) -> bool:
    """Whether the file in the site is one of the store, and no page that is rendered now."""
    return isinstance(file, LinkedFile | KeptFile) and not file.is_documentation_page()


def _read(page: Page, config: MkDocsConfig, files: Files) -> None:
    """Read the Markdown of a page, as MkDocs does."""
    page = config.plugins.on_pre_page(page, config=config, files=files)
    page.read_source(config)
    page.markdown = config.plugins.on_page_markdown(
        page.markdown or "", page=page, config=config, files=files
    )
    page.render(config, files)
    page.content = config.plugins.on_page_content(
        page.content or "", page=page, config=config, files=files
    )


def _paths(nav: Any) -> Iterator[str]:
    """The paths in a configured navigation."""
    if isinstance(nav, str):
        yield nav.lstrip("/")
    elif isinstance(nav, list | dict):
        for item in nav.values() if isinstance(nav, dict) else nav:
            yield from _paths(item)


def _described(item: Any) -> list[Any]:
    """What pages show of an item of the navigation and of those in it."""
    inner = [_described(child) for child in item.children or ()]
    meta = getattr(item, "meta", None)
    return [type(item).__name__, item.title, getattr(item, "url", None), repr(meta), inner]


def _stands_alone(page: Page) -> bool:
    """Whether what MkDocs says of a page's links depends on no other page and no other site."""
    anchors = page.links_to_anchors
    if anchors is None or anchors.keys() - {page.file}:
        return False
    own = anchors.get(page.file, {}).keys() <= (page.present_anchor_ids or set())
    return own and not any(link.startswith("/") for link in _links(page))


def _links(page: Page) -> Iterator[str]:
    """The links and images of a page but those to other sites and to places on itself."""
    for link in map(html.unescape, _LINK.findall(page.content or "")):
        scheme, host, path, *_ = urlsplit(link)
        if path and not scheme and not host:
            yield path


@functools.lru_cache(1 << 17)
def _address(url: str) -> str:
    """An address in the site without escapes: `models/a/` of `/models/a/` and of `./models/a/`."""
    return unquote(url).removeprefix(".").removeprefix("/")


def _place(file: File) -> str:
    """The path by which the search index names the page of a file."""
    return search_files.path_of(file.url.removeprefix("./"))
