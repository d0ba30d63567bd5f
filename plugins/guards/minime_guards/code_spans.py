"""Whether a place in Markdown is inside code."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\n|`+|~+|[^\n`~\s][^\n`~]*")


class CodeSpans:
    """Reads text piece by piece. A run of backticks must not be cut.

    is_blank: whether the line has nothing but white space so far.
    """

    def __init__(self) -> None:
        self.is_blank = True
        self._fence = ""
        self._may_close = False
        self._span = 0

    @property
    def is_code(self) -> bool:
        """Whether what follows is inside a fenced block or an inline span."""
        return bool(self._fence or self._span)

    def read(self, text: str) -> None:
        """Go on behind `text`."""
        for token in _TOKEN.findall(text):
            if token == "\n":
                self._end_line()
            elif token[0] in "`~" and len(token) >= 3 and self.is_blank:
                self._fence_run(token)
            elif token[0] == "`" and not self._fence:
                self._span = 0 if self._span == len(token) else self._span or len(token)
                self.is_blank = False
            else:
                # A closing fence has nothing behind it.
                self.is_blank = self._may_close = False

    def _fence_run(self, run: str) -> None:
        self.is_blank = False
        if not self._fence:
            self._fence = run
        else:
            self._may_close = run.startswith(self._fence)

    def _end_line(self) -> None:
        if self._may_close:
            self._fence = ""
        self._may_close = False
        self.is_blank = True
        # A span may run over a line end, but an odd backtick in prose must not hide all the rest.
        self._span = 0
