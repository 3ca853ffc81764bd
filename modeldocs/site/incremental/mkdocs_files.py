"""Files that MkDocs puts into the site without copying or rendering them anew."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from modeldocs.site.incremental import stored_html
from modeldocs.site.incremental.stored_html import RenderedPage


class LinkedFile(File):
    """A file of ours; in the site it is the same file as in the store, so that it is there once."""

    is_there = False
    """Whether the site has it still from the build before."""

    def copy_file(self, dirty: bool = False) -> None:  # noqa: ARG002
        """Put it into the site."""
        assert self.abs_src_path is not None
        if not self.is_there:
            stored_html.link(self.abs_src_path, self.abs_dest_path)


class KeptFile(File):
    """A page that is not rendered; MkDocs copies its HTML and resolves links to it."""

    def __init__(
        self, generated: File, config: MkDocsConfig, kept: RenderedPage, html: str
    ) -> None:
        super().__init__(
            generated.src_uri,
            None,
            generated.dest_dir,
            generated.use_directory_urls,
            dest_uri=generated.dest_uri,
            inclusion=generated.inclusion,
        )
        self.generated_by, self.abs_src_path = generated.generated_by, generated.abs_src_path
        self.config, self.kept, self.html = config, kept, html
        self.is_kept = True
        self._page: Page | None = None

    @property
    def page(self) -> Page:
        """The page as far as others need it: its address, and what can be linked to."""
        page = self._page
        if page is None:
            page = Page(None, self, self.config)  # which sets it
            page.present_anchor_ids = set(self.kept.anchors)
        return page

    @page.setter
    def page(self, page: Page) -> None:
        self._page = page

    def forget_page(self) -> None:
        """Let go of the page, which holds the file: else only the garbage collector frees both."""
        self._page = None

    def is_documentation_page(self) -> bool:
        """Whether MkDocs renders it."""
        return not self.is_kept

    def copy_file(self, dirty: bool = False) -> None:  # noqa: ARG002
        """Put the HTML into the site."""
        stored_html.link(self.html, self.abs_dest_path)
