"""One skill: a Markdown file with a header, read with care since anybody may have written it."""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from minime_skills.identifiers import is_identifier

MAX_BYTES = 256 << 10
"""Most bytes of a skill's file: no window holds more."""
MAX_HEADER = 16 << 10
"""Most characters of a header."""
MAX_KEYWORDS = 8
"""Most keywords that the model is shown: the catalogue is paid for with each request."""
MAX_DESCRIPTION = 200
"""Most characters of a description that the model is shown, for the same reason."""

_NAME = re.compile(r"\w[\w .+-]{0,63}")
_FIELDS = ("name", "description", "keywords")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a skill that its author should mend."""

    path: Path
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill as its file has it.

    path: the Markdown file.
    body: what the model reads when it loads the skill.
    keywords: all of them; the first `MAX_KEYWORDS` are shown.
    problems: what is wrong with the file, but does not keep the skill from being used.
    """

    name: str
    path: Path
    description: str = ""
    keywords: tuple[str, ...] = ()
    body: str = ""
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    @property
    def folder(self) -> Path | None:
        """The folder that belongs to this skill alone; None for a flat file."""
        return self.path.parent if self.path.name == "SKILL.md" else None

    @property
    def entry(self) -> str:
        """The skill's line in the catalogue: name, description, keywords."""
        description = self.description
        if len(description) > MAX_DESCRIPTION:
            description = description[: MAX_DESCRIPTION - 1].rsplit(" ", 1)[0] + "…"
        entry = f"{self.name}: {description}" if description else self.name
        shown = ", ".join(self.keywords[:MAX_KEYWORDS])
        return f"{entry} ({shown})" if shown else entry


def read_skill(path: Path) -> Skill | Problem:
    """Return the skill in the file `path`, or why it cannot be used."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return Problem(path, "is no file; it is left out")
        if status.st_size > MAX_BYTES:
            size = f"{status.st_size} bytes, more than {MAX_BYTES}"
            return Problem(path, f"has {size}; it is left out")
        # With utf-8-sig, a byte order mark does not hide the header.
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        return Problem(path, f"cannot be read: {error.strerror}; it is left out")
    except UnicodeDecodeError:
        return Problem(path, "is not UTF-8 text; it is left out")
    return _parse(path, text)


def _parse(path: Path, text: str) -> Skill:
    notes: list[str] = []
    header, body = _split(text, notes)
    fields = {key: value for key, value in _fields(header, notes).items() if key in _FIELDS}
    default = path.parent.name if path.name == "SKILL.md" else path.stem
    name = _line(fields.get("name")) or default
    if not _NAME.fullmatch(name):
        notes.append(f"the name {name!r:.80} cannot be used; it is called {default!r:.80}")
        name = default
    skill = Skill(
        name=name,
        path=path,
        description=_line(fields.get("description")),
        keywords=_keywords(fields.get("keywords")),
        body=body.strip(),
    )
    notes += _remarks(skill)
    return replace(skill, problems=tuple(Problem(path, note) for note in notes))


def _split(text: str, notes: list[str]) -> tuple[str, str]:
    """Return header and body; a file without a header is all body."""
    if not re.match(r"---[ \t]*\n", text):
        return "", text
    _, _, rest = text.partition("\n")
    end = re.search(r"^---[ \t]*$\n?", rest, re.MULTILINE)
    if end is None:
        notes.append("the header that `---` begins has no end")
        return "", text
    if end.start() > MAX_HEADER:
        notes.append(f"the header has more than {MAX_HEADER} characters")
        return "", rest[end.end() :]
    return rest[: end.start()], rest[end.end() :]


def _fields(header: str, notes: list[str]) -> dict[str, Any]:
    """Return what a header says. It is YAML, but a colon too many shall not spoil it."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        values = yaml.load(header, Loader=loader)
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
        notes.append("the header is not YAML; it is read line by line")
        pairs = (line.partition(":") for line in header.splitlines() if ":" in line)
        return {key.strip(): value.strip() for key, _, value in pairs}
    if values is None:
        return {}
    if not isinstance(values, dict):
        notes.append("the header has no `name: value` lines")
        return {}
    return {str(key): value for key, value in values.items()}


def _line(value: Any) -> str:
    """Return text or a number as one line that can be shown; anything else is nothing."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    text = " ".join(str(value).split())
    return "".join(c for c in text if c.isprintable())


def _keywords(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else _line(value).split(",")
    return tuple(word for item in items if (word := _line(item)))


def _remarks(skill: Skill) -> list[str]:
    """Return what makes a skill hard to find or to follow."""
    remarks = []
    if not skill.description:
        remarks.append("it has no description: the model sees the name alone and picks blindly")
    if len(skill.description) > MAX_DESCRIPTION:
        remarks.append(
            f"the description has {len(skill.description)} characters; the model is shown the "
            f"first {MAX_DESCRIPTION}"
        )
    if len(skill.keywords) > MAX_KEYWORDS:
        dropped = ", ".join(skill.keywords[MAX_KEYWORDS:])
        remarks.append(f"only {MAX_KEYWORDS} keywords are shown; these are not: {dropped:.200}")
    if is_identifier(skill.name):
        remarks.append(
            f"code is full of things named {skill.name!r}: requests about those will load the skill"
        )
    if not skill.body:
        remarks.append("it says nothing")
    return remarks
