"""Convert a document on stdin to text on stdout: `worker.py html|pdf ADDRESS`.

A process of its own, since a document of a stranger may make a parser crash, loop or take all
memory. It imports nothing of this package, so that it can be run as a file.
"""

from __future__ import annotations

import sys

MAX_MEMORY = 1 << 30
"""Bytes of address space."""
MAX_SECONDS = 20
"""CPU seconds."""
MAX_TEXT = 4 << 20
"""Characters that are handed back."""
MAX_PAGES = 500
"""Pages of a PDF that are read."""

SHORT = 250
"""Characters of an article below which it may be none."""


def main() -> None:
    """Run. The exit code is 1 when the document cannot be read."""
    kind, address = sys.argv[1:]
    _limit()
    data = sys.stdin.buffer.read()
    text = _from_pdf(data) if kind == "pdf" else _from_html(data, address)
    sys.stdout.buffer.write(text[:MAX_TEXT].encode("utf-8", "replace"))


def _limit() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    if sys.platform != "darwin":
        # macOS has the limit and refuses to set it.
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _from_html(data: bytes, address: str) -> str:
    article = _extract(data, address, least=1)
    if len(article) >= SHORT:
        return article
    # A list of links has no article; then all text of the page counts.
    whole = _extract(data, address, least=SHORT)
    return whole if len(whole) > 2 * len(article) else article


def _extract(data: bytes, address: str, *, least: int) -> str:
    """Return the article in a page; all of its text when that has fewer characters than `least`."""
    from copy import deepcopy

    import trafilatura
    from trafilatura.settings import DEFAULT_CONFIG

    config = deepcopy(DEFAULT_CONFIG)
    config["DEFAULT"]["MIN_EXTRACTED_SIZE"] = str(least)
    text = trafilatura.extract(
        data,
        url=address,
        output_format="markdown",
        include_comments=False,
        include_formatting=True,
        include_links=True,
        include_tables=True,
        favor_recall=True,
        config=config,
    )
    return text or ""


def _from_pdf(data: bytes) -> str:
    import io

    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(data))
    pages = [page.extract_text() for page in reader.pages[:MAX_PAGES]]
    return "\n\n".join(text for page in pages if (text := page.strip()))


if __name__ == "__main__":
    main()
