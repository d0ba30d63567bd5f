"""What the system prompt says: sections of short lines, each there only where it helps.

Small models get the lines without which things go wrong: a longer prompt costs them more tool calls
that they cannot finish than it brings. Large ones do not need to be told to act.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from minime_prompt.settings import Size

ROLE = "You are Mini Me, an agent on the user's machine. You work with tools, in the folder {cwd}."
ROLE_WITHOUT_TOOLS = "You are Mini Me. You have no tools here: say what you cannot do without them."


@dataclass(frozen=True, slots=True)
class Line:
    """One line; `sizes` are the first letters of the classes of models that get it."""

    text: str
    sizes: str = "sml"
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A section, there only when the session has its `tool`; "" stands for any tool."""

    title: str
    lines: tuple[Line, ...]
    tool: str = ""

    def render(self, tools: Collection[str], size: Size) -> str:
        """Return the section for a session with these tools; "" when nothing of it applies."""
        if not tools or (self.tool and self.tool not in tools):
            return ""
        lines = [
            line.text
            for line in self.lines
            if size[0] in line.sizes and (not line.tool or line.tool in tools)
        ]
        return "\n".join([self.title, *lines]) if lines else ""


SECTIONS = (
    Section(
        "EVIDENCE",
        (
            Line(
                "- Never state what a file holds, what a command prints or how the repository "
                "stands unless a tool call in this answer returned it. Not seen is not known: look."
            ),
            Line(
                "- A call that failed or was refused did nothing. Say so; do not guess its result."
            ),
            Line("- A request may have several parts. Do each of them, in order.", "ml"),
        ),
    ),
    Section(
        "SKILLS",
        (
            Line(
                "`read_skill` lists procedures for the work that is done here. Compare every "
                "request with that list, also one that only describes a situation, and call "
                "`read_skill` FIRST, before any other tool. Then carry out its steps in order."
            ),
        ),
        tool="read_skill",
    ),
    Section(
        "FILES",
        (
            Line("- Read a file before you change it, and copy `old` from what you read."),
            Line("- edit_file changes a file, write_file makes a new one. bash runs and searches."),
            Line(
                "- When an edit is refused, read the file again and correct `old`. Do not force "
                "it through with write_file.",
                "ml",
            ),
            Line(
                "- Read the diff that comes back. After a change of code run the smallest check "
                "that covers it.",
                "ml",
                tool="bash",
            ),
        ),
        tool="edit_file",
    ),
    Section(
        "RULES",
        (
            Line("- Touch only what was asked for. Everything else stays as it is."),
            Line("- Run no git command, and move, rename or delete nothing, unless the user asks."),
            Line("- Do not announce a step: call the tool. One step at a time.", "sm"),
            Line("- Read `PROGRAM --help` before you guess its options.", "ml", tool="bash"),
            Line("- When done, answer in a few plain sentences, in the user's language."),
        ),
    ),
    Section(
        "BACKGROUND JOBS",
        (
            Line(
                "What serves, watches or takes long must not block the answer: "
                "`nohup CMD > /tmp/NAME.log 2>&1 & echo $!`, both streams in the file. Wait by "
                "reading the log. Stop what you started before you finish, or name it.",
                "ml",
            ),
        ),
        tool="bash",
    ),
)
