"""How much of each prompt the server had in its cache, as a drawing."""

from __future__ import annotations

from collections.abc import Iterator

from minime_commands.session_export.story import Story

WIDTH, HEIGHT = 800, 120
"""In units of the drawing, which fills the page's width."""
MAX_BARS = 400
"""The last ones are drawn."""


def cache_chart(story: Story) -> Iterator[str]:
    """Yield a section with one bar for each request; nothing when the server did not count."""
    usages = [step.usage for turn in story.turns for step in turn.steps]
    counted = [
        (u.prompt_tokens, min(u.cached_tokens or 0, u.prompt_tokens))
        for u in usages
        if u.prompt_tokens
    ]
    if not counted:
        return
    most = max(total for total, _ in counted)
    total, cached = (sum(column) for column in zip(*counted, strict=True))
    share = f"{100 * cached / total:.0f} %"
    yield '<section class="chart"><h2>Tokens of each prompt</h2>'
    yield (
        f"<p>{len(counted)} requests, {total:,} tokens, {share} of them from the cache; "
        f"the longest had {most:,}.</p>"
    )
    yield f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img">'
    bars = counted[-MAX_BARS:]
    step = WIDTH / len(bars)
    for number, (prompt, hit) in enumerate(bars):
        place = f'x="{number * step:.2f}" width="{max(step * 0.8, 0.5):.2f}"'
        top, known = HEIGHT * prompt / most, HEIGHT * hit / most
        yield f"<g><title>{prompt:,} tokens, {hit:,} from the cache</title>"
        yield f'<rect class="new" {place} y="{HEIGHT - top:.2f}" height="{top:.2f}"></rect>'
        yield f'<rect class="cached" {place} y="{HEIGHT - known:.2f}" height="{known:.2f}"></rect>'
        yield "</g>"
    yield '</svg><p class="facts">upper part: read anew · lower part: from the cache</p></section>'
