"""The MkDocs plugin, and the whole build that the command line starts: the only mkdocs here.

It loads the catalog before MkDocs empties the site's folder, gives MkDocs the pages as generated
files, and fills their slots after Markdown has run. ProperDocs loads it by the same entry point.
"""

from __future__ import annotations

import logging
import time
from itertools import chain
from pathlib import Path
from typing import Any

from mkdocs.config import base, load_config
from mkdocs.config import config_options as option
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel

from modeldocs import catalog, tasks
from modeldocs.errors import ModeldocsError
from modeldocs.site import addresses, complaints, tree
from modeldocs.site.page import fill
from modeldocs.site.pages import pages
from modeldocs.site.progress import shown_progress
from modeldocs.site.templating import Templates
from modeldocs.tasks.results import Results, Summary, summarise
from modeldocs.tasks.store import Store

log = logging.getLogger("mkdocs.plugins.modeldocs")

STYLE, SCRIPT = "assets/modeldocs.css", "assets/modeldocs.js"


class Options(base.Config):  # type: ignore[no-untyped-call]
    """The plugin's options in mkdocs.yml; every path is relative to that file."""

    models = option.Type(str, default="models")
    """The catalog's folder."""
    store = option.Type(str, default=".modeldocs")
    """Where results are kept."""
    templates = option.Type(str, default="templates")
    """Templates of one's own, each in place of the one of the same name."""
    jobs = option.Optional(option.Type(int))
    """Processes to load with; one a core by default."""
    parity = option.Type(bool, default=True)
    """Run every pair of ports with the same weights; else show what the store holds of it."""
    strict = option.Type(bool, default=False)
    """Stop with an error if anything could not be loaded."""


class ModeldocsPlugin(BasePlugin[Options]):  # type: ignore[no-untyped-call]
    """Adds the catalog's pages to a MkDocs site."""

    summary: Summary | None = None
    _folder: Path
    _late: Path
    _paths: list[str]

    def on_startup(self, **_: Any) -> None:
        """Being asked keeps one plugin object through every rebuild of `mkdocs serve`."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Load, compare and draw; write the pages where MkDocs will read them."""
        found, results = self.load(config)
        self._folder = results.store.folder / "pages"
        self._late = results.store.folder / "late"
        own_home = (Path(config.docs_dir) / addresses.HOME).exists()
        home = "models/index.md" if own_home else addresses.HOME
        made = pages(found, results, self.templates(config), home)
        self._paths = tree.write_slotted(chain(made, tree.asset_pages()), self._folder, self._late)
        for asset, listed in ((STYLE, config.extra_css), (SCRIPT, config.extra_javascript)):
            if asset not in listed:
                listed.append(asset)
        return config

    def load(self, config: MkDocsConfig) -> tuple[catalog.Catalog, Results]:
        """The catalog and its results, as the options say; the summary is kept."""
        started = time.monotonic()
        try:
            found = catalog.read(_root(config) / self.config.models)
        except ModeldocsError as error:
            raise PluginError(str(error)) from None
        place = Store(_root(config) / self.config.store)
        with shown_progress() as progress:
            results = tasks.build(
                found,
                place,
                jobs=self.config.jobs,
                progress=progress,
                run_pairs=self.config.parity,
            )
        self.summary = summarise(found, results, time.monotonic() - started)
        return found, results

    def templates(self, config: MkDocsConfig) -> Templates:
        """The templates, the site's own first."""
        return Templates([_root(config) / self.config.templates])

    def on_pre_build(self, **_: Any) -> None:
        """Tell failures where MkDocs tells its own."""
        assert self.summary is not None
        for name, failure in self.summary.failures:
            log.info("modeldocs: %s: %s", name, failure.error())
        if self.config.strict and self.summary.failures:
            raise PluginError(f"{len(self.summary.failures)} failures, and the build is strict")

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the pages; those of models stay out of the navigation, the catalog leads to them."""
        for path in self._paths:
            present = files.get_file_from_path(path)
            if present is not None:
                files.remove(present)
            made = File.generated(config, path, abs_src_path=str(self._folder / path))
            if path != addresses.HOME and path.endswith(".md"):
                made.inclusion = InclusionLevel.NOT_IN_NAV
            files.append(made)
        return files

    def on_post_page(self, output: str, *, page: Any, **_: Any) -> str:
        """Fill the slots."""
        return fill(output, tree.read_late(self._late, page.file.src_uri))

    def on_serve(self, server: Any, *, config: MkDocsConfig, **_: Any) -> Any:
        """Watch the catalog and the templates."""
        root = _root(config)
        for folder in (root / self.config.models, root / self.config.templates):
            if folder.is_dir():
                server.watch(str(folder))
        return server


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path or "mkdocs.yml").resolve().parent


def configure(
    config_file: Path, *, out: Path | None = None, **options: Any
) -> tuple[MkDocsConfig, ModeldocsPlugin]:
    """The configuration in a file, with the command line's options put over the plugin's.

    Raises:
        ModeldocsError: the configuration lacks the plugin, or has another mistake.
    """
    with complaints.told(config_file.name):
        config = load_config(str(config_file), **({"site_dir": str(out)} if out else {}))
    plugin = config.plugins.get("modeldocs")
    if not isinstance(plugin, ModeldocsPlugin):
        raise ModeldocsError(
            "does not list the plugin",
            file=config_file.name,
            mend="add `- modeldocs` under `plugins:`",
        )
    for name, value in options.items():
        if value is not None:
            plugin.config[name] = value
    return config, plugin


def build_site(config: MkDocsConfig, plugin: ModeldocsPlugin) -> Summary:
    """Build the site that `configure` described, as `mkdocs build` does.

    Raises:
        ModeldocsError: there is no catalog, or MkDocs gave up.
    """
    from mkdocs.commands.build import build as mkdocs_build

    with complaints.told():
        config.plugins.on_startup(command="build", dirty=False)
        try:
            mkdocs_build(config)
        finally:
            config.plugins.on_shutdown()
    assert plugin.summary is not None
    return plugin.summary


def write_folder(config: MkDocsConfig, plugin: ModeldocsPlugin, out: Path) -> Summary:
    """Write the pages as a plain folder instead, for a generator that has no plugins.

    Raises:
        ModeldocsError: there is no catalog, or a template of its own cannot be filled.
    """
    with complaints.told():
        found, results = plugin.load(config)
        templates = plugin.templates(config)
        tree.write_tree(pages(found, results, templates), out)
    assert plugin.summary is not None
    return plugin.summary
