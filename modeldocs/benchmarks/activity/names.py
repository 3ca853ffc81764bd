"""What the name of an event on a device tells: the direction of a copy, and collectives."""

from __future__ import annotations

import re

from modeldocs.benchmarks.measurements import CopyKind

_COLLECTIVE = re.compile(r"(?:^|[\s:])(?:nccl|rccl|msccl)[a-z0-9_]*", re.I)
_TEMPLATE = re.compile(r"[<(]")
_END = "(host|device|array|peer|[hdap])"
_COPY = re.compile(f"{_END}(?:to|2){_END}")
_SIGNS = re.compile(r"[^a-z0-9]")
_KINDS: dict[str, CopyKind] = {
    "hh": "HtoH",
    "hd": "HtoD",
    "ha": "HtoD",
    "dh": "DtoH",
    "ah": "DtoH",
    "dd": "DtoD",
    "da": "DtoD",
    "ad": "DtoD",
    "aa": "DtoD",
    "pp": "P2P",
}


def is_collective(kernel: str) -> bool:
    """Whether a kernel of that name belongs to a library of collectives (NCCL, RCCL, MSCCL)."""
    return _COLLECTIVE.search(_TEMPLATE.split(kernel, maxsplit=1)[0]) is not None


def copy_kind(name: str) -> CopyKind | None:
    """The direction that the name of a copy tells: `Memcpy HtoD (Pageable -> Device)`.

    Names of CUDA, of ROCm (`CopyDeviceToHost`) and of Nsight Systems (`Host-to-Device`) are known.
    Arrays lie in device memory.
    """
    letters = _SIGNS.sub("", name.split("(")[0].lower())
    found = _COPY.search(letters)
    return _KINDS.get(found[1][0] + found[2][0]) if found else None
