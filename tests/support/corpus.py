"""Edits as models garble them, made from real source files, with the result that is right.

A case cuts a block out of a file and changes something in it: that is the exact edit, and its
result is what is expected. Then the block, before and after the change alike, is disturbed in one
or two of the ways that the engine tolerates.
"""

from __future__ import annotations

import random
import site
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

PROJECT = Path(__file__).parents[2]
MAX_FILE_LINES = 1_500
MIN_FILE_LINES = 30

Lines = list[str]
Disturbance = Callable[[Lines, random.Random], "Lines | None"]
"""Gives the lines as a model might send them, or None if it cannot disturb these lines.

It is called twice with the same random state, for `old` and for `new`.
"""


@dataclass(frozen=True)
class Case:
    """One garbled edit.

    `before` and `after` are what surrounds the block in the file, and must stay.
    """

    name: str
    text: str
    old: str
    new: str
    expected: str
    before: str
    after: str
    disturbances: tuple[str, ...]


@cache
def sources() -> list[tuple[str, str]]:
    """Return name and text of real files in several languages and styles of indentation."""
    library = Path(sysconfig.get_paths()["stdlib"])
    installed = [Path(folder) for folder in site.getsitepackages()]
    found = [
        *library.glob("*.py"),
        *library.glob("asyncio/*.py"),
        *library.glob("config-*/Makefile"),
    ]
    found += Path(sysconfig.get_paths()["include"]).glob("*.h")
    found += PROJECT.glob("minime_core/**/*.py")
    for folder in installed:
        for pattern in ("rich/*.py", "click/*.py", "hypothesis/**/*.py", "*/py.typed", "**/*.h"):
            found += sorted(folder.glob(pattern))[:80]
        for pattern in ("**/*.js", "**/*.html", "**/*.css", "**/*.toml", "**/*.pyi", "**/*.md"):
            found += sorted(folder.glob(pattern))[:40]
    texts = []
    for path in sorted(found):
        text = _read(path)
        if text is not None:
            texts.append((path.name, text))
    return texts


def _read(path: Path) -> str | None:
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    lines = text.split("\n")
    if "\r" in text or len(lines) < MIN_FILE_LINES or max(map(len, lines)) > 2_000:
        return None
    return "\n".join(lines[:MAX_FILE_LINES])


# How the file itself may look.


def _tabs(line: str) -> str:
    body = line.lstrip(" ")
    levels, rest = divmod(len(line) - len(body), 4)
    return "\t" * levels + " " * rest + body


def _two_spaces(line: str) -> str:
    body = line.lstrip(" ")
    levels, rest = divmod(len(line) - len(body), 4)
    return "  " * levels + " " * rest + body


def _trailing_space(line: str) -> str:
    return line + "  " if len(line) % 7 == 3 else line


def _styled(text: str, rng: random.Random) -> str:
    style = rng.choice(("as it is",) * 4 + ("tabs", "two spaces", "trailing", "no final newline"))
    if style == "no final newline":
        return text.rstrip("\n")
    change = {"tabs": _tabs, "two spaces": _two_spaces, "trailing": _trailing_space}.get(style)
    return text if change is None else "\n".join(change(line) for line in text.split("\n"))


# What the edit wants.


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _solid(lines: Lines) -> list[int]:
    return [at for at, line in enumerate(lines) if line.strip(" \t")]


def _unit(lines: Lines) -> str | None:
    """Return one level of indentation, None if the lines do not agree on one."""
    indents = [_indent(lines[at]) for at in _solid(lines)]
    steps = Counter(b.removeprefix(a) for a, b in pairwise(indents) if b != a and b.startswith(a))
    if any("\t" in indent for indent in indents) and any(" " in indent for indent in indents):
        return None
    usual = Counter({step: steps[step] for step in ("\t", "  ", "    ", "        ")})
    unit, seen = usual.most_common(1)[0]
    return unit if seen >= 4 and seen >= 0.8 * sum(steps.values()) else None


def _changed(lines: Lines, unit: str | None, rng: random.Random) -> Lines:
    """Change, add or delete a line, as an edit does."""
    at = rng.choice(_solid(lines))
    line = lines[at]
    body = line.strip(" \t")
    action = rng.choice(("word", "word", "line", "before", "after", "nested", "delete"))
    if action == "delete" and len(_solid(lines)) > 2:
        return lines[:at] + lines[at + 1 :]
    if action == "before":
        return [*lines[:at], _indent(line) + "added_before(1)", *lines[at:]]
    if action == "after" and not body.endswith((":", "{", "(", "[", ",", "\\")):
        return [*lines[: at + 1], _indent(line) + "added_after(2)", *lines[at + 1 :]]
    if action == "nested" and unit:
        nested = [_indent(line) + "while waiting():", _indent(line) + unit + "nap(3)"]
        return [*lines[:at], *nested, *lines[at:]]
    if action == "line":
        return [*lines[:at], line.replace(body, "replaced = True"), *lines[at + 1 :]]
    return [*lines[:at], line.replace(body, "x" + body + "y"), *lines[at + 1 :]]


# How the model garbles it.


def _shift(lines: Lines, rng: random.Random) -> Lines | None:
    """Indent the block more or less deeply, as a whole."""
    margin = min(len(_indent(lines[at])) for at in _solid(lines))
    if any("\t" in _indent(line) for line in lines):
        if rng.random() < 0.5:
            return None
        return [("\t" + line if line.strip() else line) for line in lines]
    step = rng.choice((-4, -2, -1, 1, 2, 3, 4))
    if step > 0:
        return [(" " * step + line if line.strip() else line) for line in lines]
    cut = min(-step, margin)
    return [line[cut:] if line.strip() else line for line in lines]


def _spaces_for_tabs(lines: Lines, rng: random.Random) -> Lines | None:
    width = rng.choice((2, 4, 8))
    if not any(_indent(line).strip(" ") for line in lines):
        return None
    return [_indent(line).replace("\t", " " * width) + line.lstrip(" \t") for line in lines]


def _tabs_for_spaces(lines: Lines, rng: random.Random) -> Lines | None:
    if any("\t" in _indent(line) for line in lines):
        return None
    return [_tabs(line) for line in lines]


def _other_unit(lines: Lines, rng: random.Random) -> Lines | None:
    if any(len(_indent(line)) % 4 or "\t" in _indent(line) for line in lines):
        return None
    return [_two_spaces(line) for line in lines]


def _added_trailing(lines: Lines, rng: random.Random) -> Lines | None:
    space = rng.choice((" ", "  ", "\t"))
    if rng.random() < 0.5:
        return [line + space for line in lines]
    return [line + space if "(" in line else line for line in lines]


def _lost_trailing(lines: Lines, rng: random.Random) -> Lines | None:
    return [line.rstrip(" \t") for line in lines]


def _blank_before(lines: Lines, rng: random.Random) -> Lines | None:
    return ["", *lines]


def _blank_after(lines: Lines, rng: random.Random) -> Lines | None:
    return [*lines, ""]


def _cut_first_indent(lines: Lines, rng: random.Random) -> Lines | None:
    first = _solid(lines)[0]
    return [line.lstrip(" \t") if at == first else line for at, line in enumerate(lines)]


def _has_tabs(lines: Lines) -> bool:
    return any("\t" in _indent(line) for line in lines)


def _head(lines: Lines) -> tuple[int, str]:
    first = _solid(lines)[0]
    return first, _indent(lines[first])


def _numbered(lines: Lines, first: int, form: str) -> Lines:
    return [form.format(at, line) for at, line in enumerate(lines, first)]


GROUPS: tuple[dict[str, Disturbance], ...] = (
    {
        "shifted": _shift,
        "spaces for tabs": _spaces_for_tabs,
        "tabs for spaces": _tabs_for_spaces,
        "other unit": _other_unit,
        "first indentation cut": _cut_first_indent,
    },
    {"trailing added": _added_trailing, "trailing lost": _lost_trailing},
    {"blank before": _blank_before, "blank after": _blank_after},
)
"""What can be done to lines, in the order in which it is done; one of a group at most."""

MARKED = ("numbered", "diff markers")
NUMBER_FORMS = ("{:>5}→{}", "{}: {}", "{:>5}\t{}", "{:>3} | {}", "{}:{}")

WHOLE = ("CRLF in old", "CRLF in file", "byte order mark")
"""What can be done to the text as a whole."""


def _garbled(
    old: Lines, new: Lines, names: tuple[str, ...], rng: random.Random
) -> tuple[Lines, Lines] | None:
    for group in GROUPS:
        for name, disturb in group.items():
            if name in names:
                seed = rng.random()
                if _has_tabs(old) != _has_tabs(new):
                    return None
                sent_old = disturb(old, random.Random(seed))
                sent_new = disturb(new, random.Random(seed))
                if sent_old is None or sent_new is None or sent_old == old:
                    return None
                if name == "first indentation cut" and _head(old) != _head(new):
                    return None
                old, new = sent_old, sent_new
    return old, new


def _choose(rng: random.Random) -> tuple[str, ...]:
    kinds: list[tuple[str, ...]] = [*map(tuple, GROUPS), MARKED, WHOLE]
    chosen = rng.sample(kinds, rng.choice((1, 2)))
    return tuple(sorted(rng.choice(kind) for kind in chosen))


def _block(lines: Lines, rng: random.Random) -> tuple[int, int]:
    size = rng.choice((1, 1, 2, 3, 4, 6, 10, 25))
    first = rng.randrange(0, max(1, len(lines) - size))
    return first, min(len(lines), first + size)


def _squeezed(lines: Lines) -> str:
    return "\n" + "\n".join(line.strip(" \t") for line in lines) + "\n"


def _occurrences(text: str, part: str) -> int:
    """Count the places of `part`, up to two."""
    at = text.find(part)
    return 0 if at < 0 else 1 if text.find(part, at + 1) < 0 else 2


def _is_ambiguous(lines: Lines, old: Lines, garbled: Lines, names: tuple[str, ...]) -> bool:
    """Tell whether the block is twice in the file, as far as the garbled block can show."""
    if not lines[-1]:
        lines = lines[:-1]  # no blank line, but the end of the last one
    if _occurrences(_squeezed(lines), _squeezed(garbled)) < 2:
        return False
    if {"blank before", "blank after", "first indentation cut"} & set(names):
        return False  # what is left may well be there only once
    whole = [[line.rstrip() for line in side] for side in (["", *lines, ""], ["", *garbled, ""])]
    if _occurrences("\n".join(whole[0]), "\n".join(whole[1])) == 1:
        return False  # garbled into another block that really is there
    twice = _occurrences("\n".join(["", *lines, ""]), "\n".join(["", *old, ""])) > 1
    return twice or bool(GROUPS[0].keys() & set(names))


def cases(count: int, seed: int, *, unique: bool = True) -> Iterator[Case]:
    """Yield `count` cases.

    :param unique: the block is unique in its file, white space apart; else it is there twice, or
        it is there in another indentation too and the indentation is garbled
    """
    rng = random.Random(seed)
    files = sources()
    while count:
        name, text = rng.choice(files)
        text = _styled(text, rng)
        case = _case(name, text, unique, rng)
        if case is not None:
            count -= 1
            yield case


def _case(name: str, text: str, unique: bool, rng: random.Random) -> Case | None:
    lines = text.split("\n")
    first, stop = _block(lines, rng)
    old = lines[first:stop]
    if not _solid(old) or len("".join(old).strip()) < 6:
        return None
    bare = old[_solid(old)[0] : _solid(old)[-1] + 1]
    places = _occurrences(_squeezed(lines), _squeezed(bare))
    if unique:
        literal = bare[0].strip(" \t") if len(bare) == 1 else "\n".join(bare)
        if places > 1 or _occurrences(text, literal) > 1:
            return None
    elif places == 1:
        return None
    new = _changed(old, _unit(lines), rng)
    names = _choose(rng)
    garbled = _garbled(old, new, names, rng)
    if garbled is None:
        return None
    if not unique and not _is_ambiguous(lines, old, garbled[0], names):
        return None
    if "trailing lost" in names and "\n".join(garbled[0]) in text:
        return None  # literally there, so that this is another exact edit
    if "numbered" in names:
        form = rng.choice(NUMBER_FORMS)
        number = first + 1 - ("blank before" in names)
        garbled = _numbered(garbled[0], number, form), _numbered(garbled[1], number, form)
    if "diff markers" in names:
        garbled = ["-" + line for line in garbled[0]], ["+" + line for line in garbled[1]]
    ending = "\n" if rng.random() < 0.5 and stop < len(lines) else ""
    before = "\n".join([*lines[:first], ""])
    after = "\n".join(["", *lines[stop:]]) if stop < len(lines) else ""
    expected = before + "\n".join(new) + after
    sent_old, sent_new = ("\n".join(side) + ending for side in garbled)
    if "CRLF in old" in names:
        sent_old, sent_new = sent_old.replace("\n", "\r\n"), sent_new.replace("\n", "\r\n")
    if "CRLF in file" in names:
        text, expected, before, after = (
            part.replace("\n", "\r\n") for part in (text, expected, before, after)
        )
    if "byte order mark" in names:
        sent_old, sent_new = "\ufeff" + sent_old, "\ufeff" + sent_new
    return Case(name, text, sent_old, sent_new, expected, before, after, names)
