"""Print how many tokens the text on stdin is for Qwen 2 and 3.

It needs an environment with tiktoken, and dashscope for the vocabulary that it ships.
"""

from __future__ import annotations

import base64
import sys
import sysconfig
from pathlib import Path

import tiktoken  # type: ignore[import-not-found, unused-ignore]

# How Qwen cuts text before merging: the `Split` of `tokenizer.json` in the models' repositories.
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def main() -> None:
    file = Path(sysconfig.get_path("purelib"), "dashscope", "resources", "qwen.tiktoken")
    pairs = (line.split() for line in file.read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    qwen = tiktoken.Encoding("qwen", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    print(len(qwen.encode(sys.stdin.read(), disallowed_special=())))


main()
