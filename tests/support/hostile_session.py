"""A session in which everything that somebody wrote tries to leave the page it is shown on."""

from __future__ import annotations

from collections.abc import Iterator

from minime_core.messages import Message, Timings, ToolCall, Usage
from minime_core.records import ErrorRecord, MessageRecord, Meta, Record, Undo

ATTACKS = (
    "<script>document.title='ran'</script>",
    "</pre></script></style></title><img src=x onerror=\"document.title='ran'\">",
    "<svg onload=\"document.title='ran'\"></svg>",
    "[link](javascript:document.title='ran') [data](data:text/html,<script>1</script>)",
    "![picture](http://127.0.0.1:9/x.png) <http://127.0.0.1:9/auto>",
    "[ref]\n\n[ref]: javascript:alert(1) \"onmouseover='x'\"",
    '<a href="javascript:alert(1)" style="position:fixed">x</a><iframe src="//x"></iframe>',
    "&lt;script&gt; &#x3c;script&#x3e;",
    "\u202edlrow olleh\u202c \x1b]52;c;aGk=\x07\x1b[2J \ud800",
    "]]><!--<script>-->",
    "```html\"onclick=\"x\n</code></pre><script>document.title='ran'</script>\n```",
    "| a | b |\n|---|---|\n| <script>1</script> | `</td>` |",
)


def hostile_records() -> Iterator[Record]:
    """Yield the records: each attack in each place that a page shows."""
    yield Meta(values={"app": "mini-me", "v": 1, "id": ATTACKS[0], "model": ATTACKS[1]})
    for number, attack in enumerate(ATTACKS):
        call = ToolCall(
            id=f"{number:09d}",
            name=attack,
            arguments={"path": attack, attack: attack, "edits": [{"old": attack, "new": "safe"}]},
        )
        yield MessageRecord(message=Message(role="user", text=attack), at=1e9 + number)
        yield MessageRecord(
            message=Message(role="assistant", text=attack, thinking=attack, calls=(call,)),
            usage=Usage(prompt_tokens=100 + number, completion_tokens=7, cached_tokens=90),
            timings=Timings(generated_tokens=7, generation_ms=70.0),
            at=1e9 + number + 1,
        )
        yield Undo(path=attack, content=attack.encode(errors="replace"), mode=0o644)
        yield MessageRecord(message=Message(role="tool", text=attack, call_id=call.id))
        yield MessageRecord(message=Message(role="assistant", text=attack * 50))
        yield ErrorRecord(text=attack, model=attack)
