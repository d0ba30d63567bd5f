"""The first words of a conversation: which model answers and why, and where to go from there."""

from __future__ import annotations

from collections.abc import Sequence

from minime_core.messages import Message
from minime_core.session import Session
from minime_terminal import figures
from minime_terminal.markdown.layout import Layout
from minime_terminal.painter import Painter


def greeting(session: Session, painter: Painter) -> list[str]:
    """Return two rows: who answers with what, and why; more rows on a narrow screen."""
    ref, profile = session.ref, f"profile {session.profile.name}"
    who: list[str | tuple[str, str]] = [("Mini Me", "bold cyan"), (ref.model, "bold")]
    if session.window:
        who.append(f"window {figures.tokens(session.window)}{_origin(session)}")
    first = painter.strung(*who, profile)
    fits = len(first) == 1
    why = ref.why or ref.provider
    if why == "configured":
        why = f"configured: {ref.provider} {ref.base_url}".rstrip()
    policy = session.settings.policy
    about = [why, *([] if fits else [profile]), *([policy] if policy != "ask" else [])]
    second = painter.strung(*about, "/help shows more", style="dim")
    shorter = painter.strung(*about, "/help", style="dim")
    return [
        *(first if fits else painter.strung(*who)),
        *(shorter if len(shorter) < len(second) else second),
    ]


def _origin(session: Session) -> str:
    """Return who told the window, as a clause."""
    origin = "context_window" if session.settings.context_window else session.info.window_origin
    return f" by {origin}" if origin else ""


def recap(session: Session, painter: Painter) -> list[str]:
    """Return the last question of a resumed session and its answer; nothing for a new one."""
    view = session.history.view()
    last = max((n for n, message in enumerate(view) if message.role == "user"), default=None)
    if last is None:
        return []
    count = sum(message.role == "user" for message in view)
    head = f"({figures.counted(count, 'question')} so far; the last one:)"
    rows = [
        painter.row((head, "dim")),
        painter.row(("> ", "cyan"), view[last].text),
    ]
    answer = _answer(view[last + 1 :])
    return [*rows, "", *(Layout(painter).rows(painter.clean(answer)) if answer else []), ""]


def _answer(messages: Sequence[Message]) -> str:
    texts = [m.text for m in messages if m.role == "assistant" and m.text.strip()]
    return texts[-1] if texts else ""
