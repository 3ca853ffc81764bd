"""Settings of a site: the options of the plugin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml

from modeldocs.catalog.manifest import ProgramTargets
from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct

PLUGIN = "modeldocs"


class Settings(Struct, frozen=True):
    """The plugin's options in mkdocs.yml; every path is relative to that file.

    `models` is the catalog's folder, `store` the folder of results or the URL of a remote store,
    `templates` a folder of templates that override those of modeldocs by name. `jobs` is the number
    of processes, by default one per core; `scheduler` is the address of a Dask cluster to use
    instead. Without `parity` no pair of ports is run, and pages show the parity that the store
    holds. `generate` are the targets of programs of models whose manifests name none. With `strict`
    a build fails where a port fails. `installation` is what follows `pip install` in the jobs that
    `modeldocs ci` writes, for a team with an index of its own.
    """

    models: str = "models"
    store: str = ".modeldocs"
    templates: str = "templates"
    jobs: int | None = None
    scheduler: str | None = None
    parity: bool = True
    generate: ProgramTargets = True
    strict: bool = False
    installation: str | None = None


def read(config: Path) -> Settings:
    """The options in a file such as mkdocs.yml; the defaults where it does not list the plugin.

    Raises:
        ModeldocsError: the file cannot be read or is not YAML, or an option has a wrong type.
    """
    try:
        data = yaml.load(config.read_text("utf-8"), _Tolerant)
        return msgspec.convert(_options(data), Settings)
    except (OSError, UnicodeDecodeError) as error:
        raise ModeldocsError(f"cannot be read: {error}", file=config.name) from None
    except yaml.YAMLError as error:
        raise ModeldocsError(f"is not valid YAML: {error}", file=config.name) from None
    except msgspec.ValidationError as error:
        raise ModeldocsError(f"the plugin's options: {error}", file=config.name) from None


def check(settings: Settings, config: str) -> None:
    """Check that the targets are installed that the options in that file name.

    Raises:
        ModeldocsError: one is not.
    """
    if isinstance(settings.generate, bool):
        return
    from modeldocs.generators import targets  # most sites name none

    for name in settings.generate:
        if name not in targets():
            raise ModeldocsError(
                f"the plugin's option generate: no generator for {name!r}",
                file=config,
                fix=f"use one of {', '.join(targets())}, or install the package that offers it",
            )


class _Tolerant(yaml.SafeLoader):
    """Reads values with tags that are meant for MkDocs (`!ENV`, `!!python/name`) as None."""


_Tolerant.add_multi_constructor("", lambda _loader, _tag, _node: None)


def _options(data: Any) -> dict[str, Any]:
    """The plugin's options, from a list or a mapping of plugins."""
    plugins = data.get("plugins") if isinstance(data, dict) else None
    for entry in plugins if isinstance(plugins, list) else [plugins]:
        options = entry.get(PLUGIN) if isinstance(entry, dict) else None
        if options:
            return {name: value for name, value in options.items() if value is not None}
    return {}
