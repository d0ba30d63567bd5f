"""The content blocks of a prompt as the text that the model reads."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from acp import RequestError
from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from minime_acp.jsonrpc import INVALID_PARAMS
from minime_core.bounds import bound


def prompt_images(blocks: Iterable[Any]) -> tuple[str, ...]:
    """Return the pictures among the blocks as `data:` addresses.

    Raises RequestError for one that is broken.
    """
    pictures = [block for block in blocks if isinstance(block, ImageContentBlock)]
    for picture in pictures:
        try:
            b64decode(picture.data, validate=True)
        except ValueError as error:
            raise RequestError(INVALID_PARAMS, "the data of an image is no base64") from error
        if not re.fullmatch(r"image/[\w.+-]+", picture.mime_type):
            raise RequestError(INVALID_PARAMS, f"{picture.mime_type!r} is no image")
    return tuple(f"data:{picture.mime_type};base64,{picture.data}" for picture in pictures)


def prompt_text(blocks: Iterable[Any], limit: int, *, sees_images: bool = False) -> str:
    """Return what the blocks say. Files are named, for the tools to read; what was sent is quoted.

    limit: most characters that are quoted of one resource.
    sees_images: whether pictures go to the model beside the text.

    Raises RequestError for audio, and when there is nothing.
    """
    inline: list[str] = []
    quoted: list[str] = []
    for block in blocks:
        if isinstance(block, TextContentBlock):
            inline.append(block.text)
        elif isinstance(block, ResourceContentBlock):
            inline.append(_attached(block.uri, block.name))
        elif isinstance(block, EmbeddedResourceContentBlock):
            inline.append(_attached(block.resource.uri))
            quoted.extend(_quoted(block, limit))
        elif isinstance(block, ImageContentBlock):
            name = block.uri or block.mime_type
            what = "attached" if sees_images else "left out"
            why = "" if sees_images else ", which this model cannot see"
            quoted.append(f"[{what}: an image ({name}){why}]")
        elif isinstance(block, AudioContentBlock):
            raise RequestError(INVALID_PARAMS, "audio is not taken")
    text = "\n\n".join(["".join(inline), *quoted])
    if not text.strip():
        raise RequestError(INVALID_PARAMS, "the prompt is empty")
    return text


def file_path(uri: str) -> Path | None:
    """Return the path that a `file:` address stands for, None for any other."""
    parts = urlsplit(uri)
    return Path(unquote(parts.path)) if parts.scheme == "file" and parts.path else None


def _attached(uri: str, name: str = "") -> str:
    try:
        path = file_path(uri)
        kind = "folder" if path is not None and path.is_dir() else "file"
    except (OSError, ValueError):  # no address, or no path of this system
        path, kind = None, "file"
    if path is not None:
        return f"[attached {kind}: {path}]"
    return f"[attached: {name + ', ' if name and name not in uri else ''}{uri}]"


def _quoted(block: EmbeddedResourceContentBlock, limit: int) -> Iterator[str]:
    resource = block.resource
    if isinstance(resource, TextResourceContents):
        text = bound(resource.text, limit, "read the file for the rest")
        longest = max(map(len, re.findall("`{3,}", text)), default=2)
        fence = "`" * (longest + 1)
        yield f"{resource.uri}:\n{fence}\n{text}\n{fence}"
        return
    try:
        size = f"{len(b64decode(resource.blob, validate=True))} bytes"
    except binascii.Error:
        size = "broken"
    kind = resource.mime_type or "binary"
    yield f"[left out: {resource.uri}, {size}, {kind}]"
