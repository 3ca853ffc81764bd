"""Pages of the site with what only this server has: a mark for their scripts, or a link."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from modeldocs.site.serving import answers
from modeldocs.site.serving.answers import Application, Environ


def marked(
    site: Application, environ: Environ, start_response: Any, state: object
) -> Iterable[bytes]:
    """A page with a mark for its script, such as the token of this server."""
    text = html.escape(msgspec.json.encode(state).decode())
    mark = f'<meta name="modeldocs-server" content="{text}">'.encode()

    def with_mark(content: bytes) -> bytes:
        head, end, rest = content.partition(b"</head>")
        return head + mark + end + rest if end else mark + content

    return changed(site, environ, start_response, with_mark)


def changed(
    site: Application,
    environ: Environ,
    start_response: Any,
    change: Callable[[bytes], bytes],
) -> Iterable[bytes]:
    """A page of the site that is changed on its way, and may not be framed or stored."""
    began: list[Any] = []
    answer = site(environ, lambda *arguments: began.extend(arguments))
    try:
        content = b"".join(answer)
    finally:
        if hasattr(answer, "close"):
            answer.close()
    status, headers, *_ = began
    if status.startswith("200"):
        content = change(content)
        kept = [pair for pair in headers if pair[0].lower() != "content-length"]
        headers = [*kept, ("Content-Length", str(len(content))), *answers.UNFRAMED]
    start_response(status, headers)
    return [content]
