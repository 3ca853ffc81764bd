"""What a server and the process of a comparison exchange: a plan, an outcome, names of files."""

from __future__ import annotations

from modeldocs.errors import Failure
from modeldocs.isolation import Limits
from modeldocs.struct import Struct

START = b"start\n"
PLAN, STAGE, OUTCOME = "plan.json", "stage.txt", "outcome.json"
REPORT, DIFF = "report.html", "diff.json"


class StoredPort(Struct, frozen=True, tag="port"):
    """A port that the site has loaded: its graph as JSON, and its ONNX in normal form."""

    name: str
    graph: bytes
    normal: bytes
    limits: Limits = Limits()


class OwnFile(Struct, frozen=True, tag="file"):
    """A file of the reader's own; its settings are those of `modeldocs diff`."""

    name: str
    path: str
    trusted: bool = False
    framework: str = ""
    callable: str = ""
    args: str = ""
    inputs: tuple[str, ...] = ()


class Plan(Struct, frozen=True):
    """The two sides to compare, and whether both are run with the same weights."""

    a: StoredPort | OwnFile
    b: StoredPort | OwnFile
    parity: bool = False


class ComparisonOutcome(Struct, frozen=True):
    """The end of a comparison: its verdict, or the failure; and what each side printed."""

    failure: Failure | None = None
    step: str = ""
    word: str = ""
    printed: tuple[str, str] = ("", "")
