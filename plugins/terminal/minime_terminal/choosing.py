"""Let the user choose a model from those that can be had."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from minime_core.models import ModelRef
from minime_terminal.painter import Painter
from minime_terminal.reader import Interrupted, Reader
from minime_terminal.screen import Screen


async def choose_model(
    refs: Sequence[ModelRef], *, screen: Screen, painter: Painter, reader: Reader
) -> ModelRef | None:
    """Show `refs` with numbers and return the chosen one, None when the user chooses none."""
    rows: list[str] = []
    for number, ref in enumerate(refs, start=1):
        text = Text.assemble(f"{number:>3}. ", (painter.clean(name_of(ref)), "bold"))
        text.append(f"  {painter.clean(ref.why)}", "dim")
        rows += painter.rows(text)
    screen.draw(rows)
    while True:
        try:
            said = (await reader.answer(f"Which one? (1-{len(refs)}, or its name) ")).strip()
        except (Interrupted, EOFError):
            return None
        if not said:
            return None
        if (chosen := pick(refs, said)) is not None:
            return chosen
        screen.draw(painter.rows(Text(painter.clean(f"there is no {said}"), "yellow")))


def pick(refs: Sequence[ModelRef], said: str) -> ModelRef | None:
    """Return the one of `refs` with that number, that name, or a name that alone holds it."""
    exact = [ref for ref in refs if ref.model == said]
    if said.isdecimal() and not exact:
        return refs[int(said) - 1] if 0 < int(said) <= len(refs) else None
    near = [ref for ref in refs if said.lower() in ref.model.lower()]
    if exact:
        return exact[0]
    return near[0] if len(near) == 1 else None


def name_of(ref: ModelRef) -> str:
    """Return the name that a model is shown with."""
    return ref.model or f"(the model of {ref.provider})"
