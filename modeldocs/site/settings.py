"""What a site is built from: the options of the plugin, wherever they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml

from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct

PLUGIN = "modeldocs"


class Settings(Struct, frozen=True):
    """The plugin's options in mkdocs.yml; every path is relative to that file.

    `models` is the catalog's folder, `store` where results are kept, `templates` a folder of
    templates that take the place of those of the same name. `jobs` is the number of processes to
    load with, by default one a core. Without `parity` no pair of ports is run, and pages show what
    the store holds. `strict` makes a failure of a port a failure of the build.
    """

    models: str = "models"
    store: str = ".modeldocs"
    templates: str = "templates"
    jobs: int | None = None
    parity: bool = True
    strict: bool = False


def read(config: Path) -> Settings:
    """The options in a file such as mkdocs.yml; the defaults where it does not list the plugin.

    Raises:
        ModeldocsError: it cannot be read, is not YAML, or an option has a value of another type.
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


class _Tolerant(yaml.SafeLoader):
    """Reads tags that are meant for MkDocs (`!ENV`, `!!python/name`) as nothing."""


_Tolerant.add_multi_constructor("", lambda _loader, _tag, _node: None)


def _options(data: Any) -> dict[str, Any]:
    """The plugin's own options, of a list of plugins or a mapping of them."""
    plugins = data.get("plugins") if isinstance(data, dict) else None
    listed = plugins if isinstance(plugins, list) else [plugins]
    for entry in listed:
        given = entry.get(PLUGIN) if isinstance(entry, dict) else None
        if given:
            return {name: value for name, value in given.items() if value is not None}
    return {}
