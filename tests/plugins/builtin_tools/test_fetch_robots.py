"""What a site lets programs read, by RFC 9309."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_builtin_tools.web.robots import Robots, Rule


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        # From section 2.2.3 of the RFC and its examples.
        ("/example/page/disallowed.gif", "/example/page/disallowed.gif", True),
        ("/fish", "/fish.html", True),
        ("/fish", "/Fish", False),
        ("/fish/", "/fish", False),
        ("/*.php", "/folder/any.php.file", True),
        ("/*.php$", "/folder/any.php.file", False),
        ("/*.php$", "/filename.php", True),
        ("/fish*.php", "/fishheads/catfish.php?x", True),
        ("/fish$", "/fish", True),
        ("/fish$", "/fishes", False),
        ("/*a$", "/aa", True),
        ("/a*b*c$", "/abc", True),
        ("/a*bc*c$", "/abc", False),
        ("*", "/anything", True),
        ("/a*", "/a", True),
    ],
)
def test_patterns_fit_as_the_rfc_says(pattern: str, path: str, fits: bool) -> None:
    assert Rule(pattern, True).fits(path) == fits


def robots(*lines: str) -> Robots:
    return Robots("\n".join(lines), "mini-me")


def test_without_rules_all_may_be_read() -> None:
    assert robots().allows("/x")
    assert robots("User-agent: *", "Disallow:").allows("/x")
    assert robots("<html>not found</html>").allows("/x")


def test_the_longest_rule_counts_and_allowing_wins_a_tie() -> None:
    rules = robots("User-agent: *", "Disallow: /a", "Allow: /a/b", "Disallow: /c", "Allow: /c")
    assert not rules.allows("/a/x")
    assert rules.allows("/a/b/x")
    assert rules.allows("/c")


def test_rules_for_us_by_name_replace_those_for_everybody() -> None:
    rules = robots(
        "user-agent: *",
        "disallow: /",
        "",
        "User-Agent: other",
        "USER-AGENT: Mini-Me  # us",
        "Disallow: /private",
    )
    assert rules.allows("/x")
    assert not rules.allows("/private")


def test_groups_with_our_name_are_joined() -> None:
    rules = robots(
        "User-agent: mini-me",
        "Disallow: /a",
        "User-agent: x",
        "Disallow: /",
        "User-agent: mini-me",
        "Disallow: /b",
    )
    assert [rules.allows(path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_other_lines_do_not_end_a_group() -> None:
    rules = robots("Sitemap: /s.xml", "User-agent: *", "Crawl-delay: 3", "Disallow: /a", "nonsense")
    assert not rules.allows("/a")


@pytest.mark.parametrize("path", ["/caf%C3%A9", "/caf%c3%a9", "/café"])
@pytest.mark.parametrize("rule", ["/caf%C3%A9", "/café"])
def test_escaped_and_plain_characters_are_the_same(rule: str, path: str) -> None:
    assert not robots("User-agent: *", f"Disallow: {rule}").allows(path)


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert not robots("\N{BYTE ORDER MARK}User-agent: *", "Disallow: /").allows("/")


def reference(pattern: str, path: str) -> bool:
    """Match by going back, as the words of the RFC suggest."""
    if pattern in ("", "$"):
        return pattern == "" or path == ""
    if pattern[0] == "*":
        return any(reference(pattern[1:], path[start:]) for start in range(len(path) + 1))
    return path[:1] == pattern[0] and reference(pattern[1:], path[1:])


@given(st.text("ab*", max_size=6), st.booleans(), st.text("ab", max_size=8))
def test_the_linear_match_is_the_one_by_trial(pattern: str, is_anchored: bool, path: str) -> None:
    pattern += "$" * is_anchored
    assert Rule(pattern, True).fits(path) == reference(pattern, path)


@given(st.text(), st.text())
def test_any_file_and_path_have_an_answer(text: str, path: str) -> None:
    assert Robots(text, "mini-me").allows(path) in (True, False)


def test_a_pattern_made_to_take_for_ever_does_not() -> None:
    rules = robots("User-agent: *", f"Disallow: /{'*a' * 10_000}b$")
    assert rules.allows("/" + "a" * 100_000)
