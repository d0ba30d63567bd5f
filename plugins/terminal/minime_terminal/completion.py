"""What Tab offers: `/` commands and `$` words at the beginning, `@` files anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from minime_terminal.file_names import FileNames

MAX_FILES = 50
"""Most files that are offered."""

_FILE = re.compile(r"""(?:^|(?<=[\s([{"']))@(?:"([^"\n]*)|([^\s"]*))$""")


class Completions(Completer):
    """Completes the input line.

    folder: whose files `@` names.
    """

    def __init__(self, folder: Path) -> None:
        self._words: Mapping[str, str] = {}
        self._files = FileNames(folder)

    def offer(self, words: Mapping[str, str]) -> None:
        """Offer `words` at the beginning, each with one line that explains it."""
        self._words = words

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        before = document.text_before_cursor
        if before[:1] in ("/", "$") and not re.search(r"\s", before):
            yield from self._of_words(before)
        elif match := _FILE.search(before):
            quoted, plain = match.groups()
            yield from self._of_files(plain if quoted is None else quoted, len(match[0]))

    def _of_words(self, start: str) -> Iterator[Completion]:
        wanted = start.lower()
        for word, summary in self._words.items():
            if word.lower().startswith(wanted):
                yield Completion(f"{word} ", -len(start), display=word, display_meta=summary)

    def _of_files(self, start: str, length: int) -> Iterator[Completion]:
        for name in self._files.matching(start, MAX_FILES):
            text = f'@"{name}"' if re.search(r"\s", name) else f"@{name}"
            yield Completion(text, -length, display=name)
