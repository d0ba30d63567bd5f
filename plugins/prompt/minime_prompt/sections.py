"""The sections of the system prompt, each there only when its tool is."""

from __future__ import annotations

from minime_core.session import Session

ROLE = "You are Mini Me, an agent that works on the user's machine, in the folder {cwd}."

EVIDENCE = """EVIDENCE
- Never state what a file holds, what a command prints or how the project stands unless a tool \
returned it in this conversation. Not sure? Look first.
- A call that failed or was not allowed did nothing. Say so; never make up its result."""

EDITING = """CHANGING FILES
- Read a file before you change it. Copy the lines to replace exactly.
- Touch only what was asked for."""

RULES = """RULES
- Act: call the tool instead of telling what you would do. One step at a time.
- No git command that changes anything unless the user asks for it.
- When you are done, answer in a few plain sentences, in the user's language."""


def render(session: Session) -> str:
    """Return the system prompt of a session."""
    sections = [ROLE.format(cwd=session.cwd)]
    if session.tools:
        sections.append(EVIDENCE)
    if "edit_file" in session.tools:
        sections.append(EDITING)
    sections.append(RULES)
    return "\n\n".join(sections)
