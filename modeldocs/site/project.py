"""A MkDocs project: its configuration, and the build of its site for the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from modeldocs.errors import ModeldocsError
from modeldocs.site import mkdocs_errors
from modeldocs.site.incremental import mkdocs_inputs, stored_pages, whole_site
from modeldocs.site.plugin import ModeldocsPlugin
from modeldocs.tasks import store
from modeldocs.tasks.results import Summary


def configure(
    config_file: Path, *, out: Path | None = None, root: Path | None = None, **options: Any
) -> tuple[MkDocsConfig, ModeldocsPlugin]:
    """The configuration in a file and its plugin; `options` override those of the plugin.

    `root` is the project's folder, by default the file's.

    Raises:
        ModeldocsError: the configuration is invalid, or does not list the plugin.
    """
    with mkdocs_errors.as_errors(config_file.name):
        config = load_config(str(config_file), **({"site_dir": str(out)} if out else {}))
    plugin = config.plugins.get("modeldocs")
    if not isinstance(plugin, ModeldocsPlugin):
        raise ModeldocsError(
            "does not list the plugin",
            file=config_file.name,
            fix="add `- modeldocs` under `plugins:`",
        )
    # MkDocs keeps one plugin object for all configurations of a process.
    plugin.ready, plugin.root = None, root
    for name, value in options.items():
        if value is not None:
            plugin.config[name] = value
    return config, plugin


def build_site(config: MkDocsConfig, plugin: ModeldocsPlugin) -> Summary:
    """Build the site that `configure` described, as `mkdocs build` does.

    Raises:
        ModeldocsError: there is no catalog, or MkDocs stopped with an error.
    """
    from mkdocs.commands.build import build as mkdocs_build

    with mkdocs_errors.as_errors():
        config.plugins.on_startup(command="build", dirty=False)
        try:
            mkdocs_build(config)
        finally:
            config.plugins.on_shutdown()
    assert plugin.summary is not None
    return plugin.summary


def build_changed(config: MkDocsConfig, plugin: ModeldocsPlugin) -> Summary:
    """Build the site that `configure` described, unless it is there as that would make it.

    Raises:
        ModeldocsError: as `build_site`.
    """
    with mkdocs_errors.as_errors():
        plugin.ready = built = plugin.build(config)
    target, held = Path(config.site_dir), built.results.store
    around, pages = mkdocs_inputs.of_site(config), stored_pages.key(built, plugin.home(config))
    key = store.key(around, pages) if around is not None else ""
    if key and stored_pages.is_there(held, pages) and whole_site.is_finished(held, target, key):
        plugin.release()
        return built.summary
    summary = build_site(config, plugin)
    if key:
        whole_site.note(held, target, key)
    return summary
