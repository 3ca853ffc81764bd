"""A request of the editing page: a port, its edits in order, and what is wanted of the two."""

from __future__ import annotations

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.struct import Struct

MAX_EDITS = 200
MAX_TEXT = 2000
"""Characters of one edit."""


class EditRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A port of the catalog (`lenet/caffe`) and its edits, each an option and its value.

    `target` is the framework of a program. `name` is what a port that is saved is called, and
    `consent` the file that the reader agreed to have written.
    """

    port: str
    edits: tuple[tuple[str, str], ...] = ()
    target: str = ""
    name: str = ""
    consent: str = ""


def read(data: bytes) -> EditRequest:
    """The request in a body.

    Raises:
        ModeldocsError: it is not valid, or has more or longer edits than are taken.
    """
    try:
        request = msgspec.json.decode(data, type=EditRequest)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ModeldocsError(
            f"the request cannot be read: {error}", fix="reload the page"
        ) from None
    if len(request.edits) > MAX_EDITS:
        raise ModeldocsError(
            f"has {len(request.edits)} edits, and no more than {MAX_EDITS} are taken",
            fix="save the network as a port, and edit that",
        )
    if any(len(part) > MAX_TEXT for edit in request.edits for part in edit):
        raise ModeldocsError(
            f"has an edit of more than {MAX_TEXT:,} characters", fix="write a shorter one"
        )
    return request
