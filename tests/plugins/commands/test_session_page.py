"""The page of a session holds what was said, and nothing of it is more than text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hostile_session import ATTACKS, hostile_records
from minime_commands.session_export.page import MAX_TEXT, as_page
from minime_commands.session_export.story import Step, Story, Turn, tell
from minime_core.messages import Message, ToolCall, Usage
from minime_core.records import UNDONE, Edit, MessageRecord, Meta, Record, Rewrite

ELEMENTS = set(
    """html head meta title style body header h1 main section div pre p details summary span i svg g
    rect a code em strong s ul ol li blockquote hr br table thead tbody tr th td h2 h3 h4 h5 h6
    """.split()  # noqa: SIM905
)
ATTRIBUTES = set(
    """lang charset http-equiv content name class href title viewbox preserveaspectratio role x y
    width height start align style""".split()  # noqa: SIM905
)


class Page(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in ("meta", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def check(page: str) -> Page:
    """Hold a page to what is allowed, and return it. Raises AssertionError."""
    found = Page(page)
    assert found.open == []
    assert set(found.elements) <= ELEMENTS
    assert {name for name, _ in found.attributes} <= ATTRIBUTES
    for name, value in found.attributes:
        if name == "href":
            assert re.match("(https?://|mailto:)", value, re.IGNORECASE), value
        if name == "style":
            assert re.fullmatch("text-align:(left|right|center)", value)
    assert found.elements.count("style") == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page)
    return found


def question(text: str) -> MessageRecord:
    return MessageRecord(message=Message(role="user", text=text))


def answer(text: str, *calls: ToolCall, usage: Usage | None = None) -> MessageRecord:
    return MessageRecord(message=Message(role="assistant", text=text, calls=calls), usage=usage)


def test_what_is_hostile_is_shown_and_does_nothing() -> None:
    page = check(as_page(tell("id", [*hostile_records()])))
    assert "document.title='ran'" in page.text
    assert page.text.count("<svg onload=") > 5
    assert len([name for name, _ in page.attributes if name == "class"]) > 5 * len(ATTACKS)


def test_a_policy_forbids_all_but_the_style_of_the_page() -> None:
    page = check(as_page(tell("id", [])))
    (policy,) = [value for _, value in page.attributes if value.startswith("default-src")]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


@given(st.text(), st.text(), st.text(), st.text())
def test_any_text_stays_text(asked: str, said: str, argument: str, result: str) -> None:
    step = Step(text=said, tool=argument, arguments={"content": argument}, result=result)
    records: list[Record] = [question(asked), answer(said)]
    check(as_page(tell("id", records)))
    shown = check(as_page(Story(id="id", turns=[Turn(question="q", steps=[step])])).translate(BAD))
    assert shown.elements.count("details") == 1 or not argument


BAD = dict.fromkeys((*range(9), *range(11, 32), 127, *range(8234, 8239)), 65533)
BAD |= dict.fromkeys((*range(8294, 8298), *range(55296, 57344)), 65533)


def conversation() -> Iterator[Record]:
    yield Meta(values={"model": "qwen"})
    yield question("Change it.")
    edits = [{"old": "a\nb\n", "new": "a\nc\n"}]
    call = ToolCall(id="000000001", name="edit_file", arguments={"path": "x", "edits": edits})
    yield answer("I **will**.", call, usage=Usage(prompt_tokens=200, cached_tokens=150))
    yield MessageRecord(message=Message(role="tool", text="edited", call_id="000000001"))
    yield answer("Done: [see](https://example.org/a).")


def test_a_conversation_has_its_diff_its_markdown_and_its_chart() -> None:
    source = as_page(tell("id", [*conversation()]))
    page = check(source)
    assert '<span class="removed">-b\n</span><span class="added">+c\n</span>' in source
    assert "<strong>will</strong>" in source
    assert ("href", "https://example.org/a") in page.attributes
    assert "1 requests, 200 tokens, 75 % of them from the cache" in page.text
    assert page.elements.count("rect") == 2
    assert "Change it." in page.text
    assert "qwen" in page.text


def test_a_turn_that_was_taken_back_is_left_out_and_told() -> None:
    taken_back: list[Record] = [
        question("Secret?"),
        answer("Psst."),
        Rewrite(why=UNDONE, edits=(Edit(first=6, last=7),)),
    ]
    # The records of the conversation are 0 to 4.
    story = tell("id", [*conversation(), Meta(values={}), *taken_back])
    page = check(as_page(story))
    assert story.taken_back == 1
    assert "Psst" not in page.text
    assert "Secret" not in page.text
    assert "1 taken back" in page.text


def test_what_is_huge_is_cut_with_a_note() -> None:
    source = as_page(tell("id", [question("q"), answer("x" * 10_000_000)]))
    assert len(source) < 2 * MAX_TEXT
    assert "9,900,000 more characters" in check(source).text
