"""Pages as Markdown or plain text."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from minime_builtin_tools.edit import NotText, decode

from .download import Page
from .failure import Code, FetchFailed

PATIENCE = 30.0
"""Seconds that a conversion may take, all in all."""
_HTML = ("text/html", "application/xhtml+xml")
_PLAIN = (
    "application/json",
    "application/javascript",
    "application/toml",
    "application/xml",
    "application/yaml",
    "application/x-yaml",
)
_UNKNOWN = ("", "application/octet-stream", "binary/octet-stream")


async def to_text(page: Page) -> str:
    """Return the text of a page, without what surrounds it. Raises FetchFailed."""
    kind = _kind(page)
    text = _plain(page) if kind == "text" else await _converted(page, kind)
    if not text.strip():
        reason = "the page has no text; it may be made by scripts, or be a picture"
        raise FetchFailed(Code.CANNOT_CONVERT, reason)
    return text.strip() + "\n"


def _kind(page: Page) -> str:
    """Return `html`, `pdf` or `text`."""
    media_type, start = page.media_type, page.body[:1024].lstrip().lower()
    if media_type == "application/pdf" or start.startswith(b"%pdf-"):
        return "pdf"
    if media_type in _HTML or (
        media_type in _UNKNOWN and start.startswith((b"<!doctype html", b"<html"))
    ):
        return "html"
    if media_type.startswith("text/") or media_type.endswith(("+json", "+xml")):
        return "text"
    if media_type in (*_PLAIN, *_UNKNOWN):
        return "text"
    size = f"{len(page.body):,} bytes"
    raise FetchFailed(Code.CANNOT_CONVERT, f"it is {media_type[:80]}, {size}, not a page of text")


def _plain(page: Page) -> str:
    try:
        return page.body.decode(page.charset, "replace")
    except (LookupError, ValueError):
        pass  # The server named none, or none that there is.
    try:
        return decode(page.body).text
    except NotText as kind:
        raise FetchFailed(Code.CANNOT_CONVERT, f"it is no text but {kind}") from kind


async def _converted(page: Page, kind: str) -> str:
    """Convert in a process that is ended when it takes too long."""
    data = page.body
    if kind == "html" and page.charset:
        # What the server says counts more than what the page says of itself.
        data = _plain(page).encode("utf-8", "replace")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        str(Path(__file__).with_name("worker.py")),
        kind,
        str(page.address),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            output, _ = await process.communicate(data)
    except TimeoutError as error:
        reason = f"converting it takes longer than {PATIENCE:.0f} s"
        raise FetchFailed(Code.CANNOT_CONVERT, reason) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        name = "PDF" if kind == "pdf" else "page"
        raise FetchFailed(Code.CANNOT_CONVERT, f"the {name} is damaged or too large to be read")
    return output.decode("utf-8", "replace")
