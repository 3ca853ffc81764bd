"""The MkDocs plugin.

The plugin builds the catalog before MkDocs empties the site's folder, adds the pages to MkDocs as
generated files, and fills their slots after Markdown was rendered. ProperDocs loads it by the same
entry point.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from mkdocs.config import base
from mkdocs.config import config_options as option
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation

from modeldocs import gc_tuning
from modeldocs.errors import ModeldocsError
from modeldocs.site import addresses, embedded, not_found_page, offline, output_folder, page_writer
from modeldocs.site.build import Built, build
from modeldocs.site.default_config import PAGE_EXTENSIONS
from modeldocs.site.incremental import mkdocs_inputs, stored_pages, template_cache
from modeldocs.site.incremental.rendering import Rendering
from modeldocs.site.line_breaks import keep_whole
from modeldocs.site.page import fill, lift_bar
from modeldocs.site.pages import prepare
from modeldocs.site.search import files as search_files
from modeldocs.site.serving import catalog_ports
from modeldocs.site.serving.background import Background
from modeldocs.site.serving.editing import source as edit_source
from modeldocs.site.serving.install import Installed, install
from modeldocs.site.settings import Settings
from modeldocs.tasks import lock
from modeldocs.tasks.remote import store_at
from modeldocs.tasks.results import Summary
from modeldocs.tasks.session import TaskSession
from modeldocs.tasks.store import Store

log = logging.getLogger("mkdocs.plugins.modeldocs")

T = TypeVar("T")

_DEFAULTS = Settings()

_READERS = ("mike",)
"""Commands that read the configuration, and let MkDocs build the site in a process of its own."""


class PluginOptions(base.Config):  # type: ignore[no-untyped-call]
    """`Settings` as options that MkDocs validates."""

    models = option.Type(str, default=_DEFAULTS.models)
    store = option.Type(str, default=_DEFAULTS.store)
    templates = option.Type(str, default=_DEFAULTS.templates)
    jobs = option.Optional(option.Type(int))
    scheduler = option.Optional(option.Type(str))
    parity = option.Type(bool, default=_DEFAULTS.parity)
    generate = option.Type((bool, list), default=_DEFAULTS.generate)
    strict = option.Type(bool, default=_DEFAULTS.strict)
    installation = option.Optional(option.Type(str))


def _as_plugin_error(check: Callable[[Path], None], site: Path) -> None:
    """Check the site's folder; MkDocs prints errors of its own kind alone."""
    try:
        check(site)
    except ModeldocsError as error:
        raise PluginError(str(error)) from error


def _own(hook: Callable[..., T]) -> Callable[..., T]:
    """Add the time that a hook takes to our share of the build, which the log tells."""

    @functools.wraps(hook)
    def timed(plugin: ModeldocsPlugin, *args: Any, **named: Any) -> T:
        start = time.monotonic()
        try:
            return hook(plugin, *args, **named)
        finally:
            plugin.seconds += time.monotonic() - start

    return timed


class ModeldocsPlugin(BasePlugin[PluginOptions]):  # type: ignore[no-untyped-call]
    """Adds the catalog's pages to a MkDocs site."""

    summary: Summary | None = None
    ready: Built | None = None
    """What to make a site of, where that was built already."""
    seconds = 0.0
    """Seconds of the build so far, without what MkDocs does."""
    root: Path | None = None
    """The project's folder, where that is not the configuration's."""
    _built: Built
    _held: ExitStack
    _only_read = False
    _installed: Installed | None = None
    _folder: Path
    _late: Path
    _paths: tuple[str, ...]
    _rendering: Rendering
    _before: Rendering | None = None
    _navigation: Navigation
    _dirty = False
    _session: TaskSession | None = None
    _background: Background | None = None
    _served = False
    _serves = False
    """Whether the site is in a temporary folder of MkDocs."""

    def __init__(self) -> None:
        super().__init__()
        self._held = ExitStack()
        self._written = stored_pages.WrittenCache()
        self._embedded: dict[str, dict[str, str]] = {}

    def on_startup(self, *, command: str, dirty: bool = False) -> None:
        """Note who builds, and how; MkDocs keeps a plugin with this method for all of `serve`."""
        self._only_read = command in _READERS
        self._dirty, self._serves = dirty, command == "serve"
        gc_tuning.collect_rarely()
        if command == "serve" and self.config.scheduler is None:
            self._session = TaskSession(self.config.jobs)
            self._background = Background(self.config.jobs, self._build_again)

    @_own
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Build the catalog, and write its pages where MkDocs reads them."""
        if self._only_read:
            return config
        self.seconds = 0.0
        config.markdown_extensions += [
            one for one in PAGE_EXTENSIONS if one not in config.markdown_extensions
        ]
        if not self._serves:
            _as_plugin_error(output_folder.check, Path(config.site_dir))
        if self.ready is None:
            self.release()
        built = self._built = self.build(config)
        if self._background is not None:
            self._background.adopt(built.results)
        self.summary = built.summary
        loaded = self.summary.loaded_now
        log.info(f"modeldocs: {loaded} loaded now, {self.summary.seconds:g} s")
        self._folder, self._late = built.place.pages, built.place.late
        self._embedded.clear()
        self._hold_pages(built.place)
        memory = self._written if self._session is not None else stored_pages.WrittenCache()
        made = stored_pages.write(built, self.home(config), memory)
        self._paths = made.paths
        key = None if self._dirty else mkdocs_inputs.of_page(config, type(config).__module__)
        self._rendering = Rendering(built.place, config, made.state, key, self._before)
        self._before = self._rendering if self._serves else None
        for asset, assets in (
            (page_writer.STYLE, config.extra_css),
            (page_writer.SCRIPT, config.extra_javascript),
        ):
            if asset not in assets:
                assets.append(asset)
        polyfills = config.extra.setdefault("polyfills", [])  # what Material loads first
        if page_writer.HEAD_SCRIPT not in polyfills:
            polyfills.append(page_writer.HEAD_SCRIPT)
        return config

    def home(self, config: MkDocsConfig) -> str:
        """The path of the catalog's page: another where the site has a home page of its own."""
        own_home = (Path(config.docs_dir) / addresses.HOME).exists()
        return "models/index.md" if own_home else addresses.HOME

    def _hold_pages(self, store: Store) -> None:
        """Wait until no other build reads or writes pages in the store, and keep others waiting."""
        store.claim()
        file = store.folder / lock.PAGES
        if not self._held.enter_context(lock.held(file, wait=False)):
            log.info("modeldocs: waiting for another build with the same store")
            self._held.enter_context(lock.held(file))

    def _root(self, config: MkDocsConfig) -> Path:
        """The folder that paths of the options are relative to."""
        return self.root or Path(config.config_file_path or "mkdocs.yml").resolve().parent

    def release(self) -> None:
        """Let others write pages to the store, and prune it."""
        self._held.close()

    def build(self, config: MkDocsConfig) -> Built:
        """Build the catalog, unless that is done already; the store is in use from now on."""
        if self.ready is not None:
            return self.ready
        settings = Settings(**{name: self.config[name] for name in Settings.__struct_fields__})
        root = self._root(config)
        try:
            if (root / settings.models).is_dir():
                self._held.enter_context(store_at(settings.store, root).in_use())
            return build(root, settings, log, self._session)
        except ModeldocsError as error:
            raise PluginError(str(error)) from error

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Log the failures; stop a strict build that has any. MkDocs empties the site next."""
        assert self.summary is not None
        for name, failure in self.summary.failures:
            log.info("modeldocs: %s: %s", name, failure.error())
        if self.config.strict and self.summary.failures:
            count, prevented = len(self.summary.failures), self.summary.prevented
            of = f" ({prevented} of the machine: build again)" if prevented else ""
            raise PluginError(
                f"{count} failure{'' if count == 1 else 's'}{of}, and the build is strict"
            )
        if not self._serves:
            _as_plugin_error(output_folder.begin, Path(config.site_dir))
        self._rendering.put_aside(Path(config.site_dir))

    @_own
    def on_files(self, files: Files, **_: Any) -> Files:
        """Add the pages."""
        self._rendering.add(files, self._folder, self._paths)
        return files

    def on_nav(self, nav: Navigation, **_: Any) -> None:
        """Note the navigation, whose titles are known later."""
        self._navigation = nav

    def on_env(self, env: Any, *, config: MkDocsConfig, **_: Any) -> None:
        """Look at the navigation, whose titles are known now; MkDocs writes the site next."""
        template_cache.keep(env)
        self._rendering.check_navigation(self._navigation)
        site = Path(config.site_dir)
        self._rendering.take_back(site)
        if not self._serves:
            output_folder.announce(site, self._rendering.planned(config))

    @_own
    def on_template_context(self, context: Any, **_: Any) -> Any:
        """Let templates such as the site map see all pages."""
        context["pages"] = self._rendering.pages()
        return context

    @event_priority(100)  # before plugins that would take our calls for theirs
    def on_page_markdown(self, markdown: str, *, page: Any, **_: Any) -> str:
        """Put what a page of the project calls of the catalog into its place."""
        file = page.file
        if "{{" not in markdown or file.generated_by is not None:
            return markdown
        found = embedded.embed(markdown, self._built, file.src_uri, file.dest_uri)
        for failure in found.failures:
            log.warning(str(failure.error()))
        self._embedded[file.src_uri] = found.late
        return found.text

    @_own
    def on_page_content(self, html: str, **_: Any) -> str:
        """Keep numbers of a page's prose on one line, as those of slots are."""
        return keep_whole(html)

    @_own
    def on_post_page(self, output: str, *, page: Any, **_: Any) -> str:
        """Fill the slots of a rendered page, whose links then lead to files."""
        self._rendering.note(page)
        path = page.file.src_uri
        late = self._embedded.get(path) or page_writer.read_late(self._late, path)
        return lift_bar(fill(offline.link_files(output), late))

    def on_post_template(
        self, output: str, *, template_name: str, config: MkDocsConfig, **_: Any
    ) -> str:
        """The page for addresses that do not exist, unless the site has one of its own."""
        own = config.theme.custom_dir and Path(config.theme.custom_dir, template_name).exists()
        if template_name != not_found_page.FILE or own:
            return output
        return not_found_page.page(
            self._built.templates, config.site_name, config.site_url, self._paths
        )

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Complete the files of the search, which other plugins have written; run what is left."""
        self._finish(Path(config.site_dir))
        rendered, every = self._rendering.counts()
        log.info(
            f"modeldocs: {self.seconds:.2f} s of its own; {rendered} of {every} pages rendered"
        )
        self.release()
        if self._served:
            self._run_postponed()

    @_own
    def _finish(self, site: Path) -> None:
        self._rendering.finish(site)
        search_files.adapt_worker(site)
        if not self._serves:
            output_folder.end(site)

    def on_build_error(self, **_: Any) -> None:
        """Let others use the store."""
        self.release()

    def on_serve(self, server: Any, *, config: MkDocsConfig, **_: Any) -> Any:
        """Watch the catalog and the templates; on a loopback address also compare and edit."""
        root = self._root(config)
        for folder in (root / self.config.models, root / self.config.templates):
            if folder.is_dir():
                server.watch(str(folder))
        self._installed = install(
            server,
            lambda name: catalog_ports.find(self._built, name),
            lambda name: edit_source.find(self._built, name),
        )
        if self._background is not None:
            self._again.touch()
            server.watch(str(self._again))
            self._served = True
            gc_tuning.spare_what_is_there()
            prepared = threading.Thread(target=prepare, args=(self._built.templates,), daemon=True)
            prepared.start()
            self._run_postponed()
        return server

    @property
    def _again(self) -> Path:
        """The file at whose change the server builds again."""
        return self._built.place.folder / "again"

    def _build_again(self) -> None:
        self._again.touch()

    def _run_postponed(self) -> None:
        """Run the pairs that the build has postponed, now that the site is there."""
        if self._session is not None and self._background is not None:
            self._session.rest(self._built.catalog, self._built.results)
            self._background.start(self._built.results.place)

    def on_shutdown(self, **_: Any) -> None:
        """End what `serve` still runs, delete the files of comparisons, and let others build."""
        if self._background is not None:
            self._background.close()
        if self._session is not None:
            self._session.close()
        if self._installed is not None:
            self._installed.close()
        self.release()
