from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.errors import ConfigError
from minime_core.messages import ToolCall
from minime_core.permission import Answer, Ask, Choice, Permission, Question, Rule, refuse
from minime_core.settings import Policy
from minime_core.tools import Effect, Tool, ToolContext, ToolResult


async def _nothing(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
    return ToolResult(text="")


def tool(name: str, *effects: Effect) -> Tool:
    return Tool(name=name, description="", schema={}, run=_nothing, effects=frozenset(effects))


BASH = tool("bash", "read", "write", "execute", "network")
READ = tool("read_file", "read")
WRITE = tool("write_file", "read", "write")
FETCH = tool("fetch", "network")
PLAN = tool("plan")


class User:
    """Somebody who answers, and remembers what was asked."""

    def __init__(self, *choices: Choice) -> None:
        self._choices = list(choices)
        self.asked: list[str] = []

    async def __call__(self, question: Question) -> Answer:
        self.asked.append(question.subject)
        return Answer(choice=self._choices.pop(0))


def refusal(permission: Permission, tool: Tool, subject: str, ask: Ask = refuse) -> str | None:
    question = Question(
        call=ToolCall(name=tool.name, arguments={}), tool=tool, title="", subject=subject
    )
    return asyncio.run(permission.decide(question, ask)).refusal


def runs(
    tool: Tool,
    subject: str = "",
    *,
    policy: Policy = "ask",
    allow: tuple[str, ...] = (),
    deny: tuple[str, ...] = (),
    cwd: Path = Path("/project"),
) -> bool:
    """Return whether a call runs when nobody is there to be asked."""
    return refusal(Permission(policy, allow, deny, cwd), tool, subject) is None


# Policies


@pytest.mark.parametrize(
    ("policy", "allowed"),
    [
        ("ask", {READ.name, PLAN.name}),
        ("read-only", {READ.name, PLAN.name}),
        ("yolo", {BASH.name, READ.name, WRITE.name, FETCH.name, PLAN.name}),
    ],
)
def test_what_runs_without_a_question_depends_on_the_effects(
    policy: Policy, allowed: set[str]
) -> None:
    tools = (BASH, READ, WRITE, FETCH, PLAN)
    assert {t.name for t in tools if runs(t, "x", policy=policy)} == allowed


def test_a_session_that_may_only_read_asks_nobody_and_knows_no_rule() -> None:
    user = User()
    permission = Permission("read-only", ["*", "bash(ls)"], [])
    assert "this session may only read" in (refusal(permission, BASH, "ls", user) or "")
    assert user.asked == []


@pytest.mark.parametrize("policy", ["ask", "read-only", "yolo"])
def test_a_denied_call_never_runs_and_is_not_asked_for(policy: Policy) -> None:
    user = User()
    permission = Permission(policy, ["*"], ["read_file(secret*)"], Path("/project"))
    assert "a rule of the user forbids it" in (refusal(permission, READ, "secret", user) or "")
    assert refusal(permission, READ, "public", user) is None
    assert user.asked == []


def test_a_refusal_tells_the_model_that_nothing_ran() -> None:
    text = refusal(Permission("ask", [], []), BASH, "pwd") or ""
    assert text.startswith("[bash: not allowed, nobody is there to allow it. ")
    assert text.endswith("]")
    for part in ("did NOT run", "result is unknown", "not guess", "not repeat"):
        assert part in text


# Answers


def test_yes_once_is_for_one_call() -> None:
    user, permission = User("once", "no"), Permission("ask", [], [])
    assert refusal(permission, BASH, "ls", user) is None
    assert "the user said no" in (refusal(permission, BASH, "ls", user) or "")
    assert user.asked == ["ls", "ls"]


def test_always_is_for_the_tool_until_the_session_ends() -> None:
    user, permission = User("always", "no"), Permission("ask", [], ["bash(rm *)"])
    assert refusal(permission, BASH, "ls", user) is None
    assert refusal(permission, BASH, "make", user) is None
    assert refusal(permission, BASH, "rm x", user) is not None
    assert refusal(permission, WRITE, "a", user) is not None
    assert user.asked == ["ls", "a"]


def test_never_is_for_the_tool_until_the_session_ends() -> None:
    user, permission = User("never"), Permission("ask", ["bash(ls)"], [])
    assert refusal(permission, BASH, "make", user) is not None
    assert "forbids this tool" in (refusal(permission, BASH, "ls", user) or "")
    assert user.asked == ["make"]


def test_an_answer_may_say_why() -> None:
    async def user(question: Question) -> Answer:
        return Answer(choice="no", why="use the Makefile")

    text = refusal(Permission("ask", [], []), BASH, "gcc", user) or ""
    assert "not allowed, use the Makefile." in text


# Rules


@pytest.mark.parametrize(
    ("rule", "tool", "pattern"),
    [
        ("bash", "bash", None),
        ("*", "*", None),
        (" bash(git *) ", "bash", "git *"),
        ("bash()", "bash", ""),
        ("bash(a(b)c)", "bash", "a(b)c"),
        ("mcp-x_*(a\nb)", "mcp-x_*", "a\nb"),
    ],
)
def test_rules_are_read(rule: str, tool: str, pattern: str | None) -> None:
    assert Rule.parse(rule) == Rule(tool, pattern)


@pytest.mark.parametrize("rule", ["", "bash(", "bash)", "bash (ls)", "bash(ls) x", "ba sh", "(ls)"])
def test_what_is_no_rule_is_told(rule: str) -> None:
    with pytest.raises(ConfigError, match="is neither `tool` nor"):
        Permission("ask", [rule], [])
    with pytest.raises(ConfigError, match="is neither `tool` nor"):
        Permission("ask", [], [rule])


@pytest.mark.parametrize("allow", ["*", "bash", "ba*", "bash(*)", "bash(git *)", "bash(git st*)"])
def test_a_rule_allows_what_it_names(allow: str) -> None:
    assert runs(BASH, "git status --short", allow=(allow,))


@pytest.mark.parametrize(
    "allow", ["write_file", "bash(git)", "bash(git s)", "bash()", "bash(GIT *)"]
)
def test_a_rule_allows_nothing_else(allow: str) -> None:
    assert not runs(BASH, "git status --short", allow=(allow,))


HOSTILE = [
    "git log; rm -rf .",
    "git log && rm -rf .",
    "git log || rm -rf .",
    "git log | sh",
    "git log & rm -rf .",
    "git log &",
    "git log\nrm -rf .",
    "git log\r\nrm -rf .",
    "git log `rm -rf .`",
    "git log $(rm -rf .)",
    'git log "$(rm -rf .)"',
    "git log ${x:-$(rm -rf .)}",
    "git log ${IFS}x",
    "git log <(rm -rf .)",
    "git log >(rm -rf .)",
    "git log > ~/.bashrc",
    "git log >> x",
    "git log >| x",
    "git log 2>x",
    "git log &> x",
    "git log < /etc/passwd",
    "git log << EOF\nx\nEOF",
    "git log <<< x",
    "git log \\\n; rm -rf .",
    "git log ';' ; rm",
    "git log ';' rm",
    "git log '\n' rm",
    "git log $'\\n'; rm",
    "git log |& sh",
    "git log; #",
]


@pytest.mark.parametrize("command", HOSTILE)
def test_the_star_of_an_allowed_command_is_for_no_shell_operator(command: str) -> None:
    assert not runs(BASH, command, allow=("bash(git *)", "bash(git*)", "bash(*)"))


@given(st.sampled_from(";&|<>`\n\r"), st.text(max_size=5), st.text(max_size=5))
def test_an_operator_is_found_anywhere(operator: str, before: str, after: str) -> None:
    assert not runs(BASH, f"git {before}{operator}{after}", allow=("bash(git *)",))


def test_a_command_with_operators_can_be_allowed_word_for_word() -> None:
    assert runs(BASH, "make | tail -5", allow=("bash(make | tail -5)",))
    assert not runs(BASH, "make | tail -50", allow=("bash(make | tail -5*)",))


def test_a_tool_that_is_allowed_without_a_pattern_may_use_operators() -> None:
    assert runs(BASH, "make | tail", allow=("bash",))


@pytest.mark.parametrize(
    ("pattern", "subject", "fits"),
    [
        ("ls [ab]", "ls a", False),
        ("ls [ab]", "ls [ab]", True),
        ("ls ?", "ls a", False),
        ("ls ?", "ls ?", True),
        ("ls *]", "ls [a]", True),
        ("a*b*c", "a--b--c", True),
        ("a*b*c", "a--b--c-", False),
        ("ls \\*", "ls \\x", True),
    ],
)
def test_only_the_star_stands_for_something_else(pattern: str, subject: str, fits: bool) -> None:
    assert runs(BASH, subject, allow=(f"bash({pattern})",)) is fits


DENIED = [
    "rm -rf /",
    "  rm -rf /",
    "ls; rm -rf /",
    "ls;rm -rf /",
    "ls &&\trm -rf /",
    "false || rm -rf /",
    "ls & rm -rf / &",
    "ls\nrm -rf /",
    "ls | rm -rf /",
    "ls | xargs rm -rf",
    "echo $(rm -rf /)",
    'echo "$(rm -rf /)"',
    "echo `rm -rf /`",
    "cat <(rm -rf /)",
    "ls > >(rm -rf /)",
    "(rm -rf /)",
    "((rm -rf /))",
    "{ rm -rf /; }",
    "! rm -rf /",
    "if true; then rm -rf /; fi",
    "while rm -rf /; do :; done",
    "for f in *; do rm -rf $f; done",
    "sudo rm -rf /",
    "sudo -n -E rm -rf /",
    "env -i X=1 rm -rf /",
    "X=1 Y='a' rm -rf /",
    "time nice nohup rm -rf / &",
    "command rm -rf /",
    "exec rm -rf /",
    "eval rm -rf /",
    "eval 'rm -rf /'",
    "/bin/rm -rf /",
    "ls; /usr/bin/rm -rf /",
    "./rm -rf /",
    "'rm' -rf /",
    '"rm" -rf /',
    "r'm' -rf /",
    "r\\m -rf /",
    "\\rm -rf /",
    "rm\\\n -rf /",
    "ls; rm ${HOME}",
    "ls; rm $(pwd)",
    "ls; rm `pwd`",
    "ls; rm <(x)",
    "ls; rm >/dev/null x",
]


@pytest.mark.parametrize("command", DENIED)
def test_a_denied_command_is_found_wherever_it_stands(command: str) -> None:
    assert not runs(BASH, command, policy="yolo", deny=("bash(rm *)",))


@pytest.mark.parametrize(
    "command",
    ["ls", "git rm x", "rmdir x", "echo rm x", "make", "grep 'rm x' y", "ls rm", "trim a; ls"],
)
def test_other_commands_are_not_denied(command: str) -> None:
    assert runs(BASH, command, policy="yolo", deny=("bash(rm *)",))


@pytest.mark.parametrize(
    "command", ["reboot", "ls; reboot", "ls; reboot ; x", "(reboot)", "{ reboot; }", "sudo reboot"]
)
def test_a_denied_command_without_a_star_is_found_too(command: str) -> None:
    assert not runs(BASH, command, policy="yolo", deny=("bash(reboot)",))
    other = command.replace("reboot", "rebooted")
    assert runs(BASH, other, policy="yolo", deny=("bash(reboot)",))


@given(st.text(), st.text())
def test_any_command_and_any_pattern_can_be_compared(command: str, pattern: str) -> None:
    rule = Rule("bash", pattern)
    allowed = rule.allows(BASH, command, Path("/"))
    assert rule.denies(BASH, command, Path("/")) or not allowed


def test_a_very_long_command_is_judged() -> None:
    for command in (
        "rm;" * 50_000,
        "a=" * 100_000,
        "\\" * 100_000,
        "sudo " * 50_000,
        "(" * 100_000,
    ):
        assert not runs(BASH, command + "\nrm x", policy="yolo", deny=("bash(rm *)",))
        assert not runs(BASH, command + ";", allow=("bash(*a*b*c*)",))


# Paths


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "out").symlink_to(tmp_path)
    (project / "link.py").symlink_to(tmp_path / "elsewhere.py")
    return project


@pytest.mark.parametrize(
    "path",
    ["src/a.py", "./src/a.py", "src//a.py", "src/./a.py", "src/../src/a.py", "{project}/src/a.py"],
)
def test_a_path_is_matched_however_it_is_written(path: str, project: Path) -> None:
    path = path.format(project=project)
    for pattern in ("src/*", "./src/*", "*.py", f"{project}/*"):
        assert runs(WRITE, path, allow=(f"write_file({pattern})",), cwd=project)
        assert not runs(WRITE, path, policy="yolo", deny=(f"write_file({pattern})",), cwd=project)


@pytest.mark.parametrize(
    "path",
    ["src/../../x", "src/../x", "../src/x", "/src/x", "out/x", "src/../out/x", "src", "", "src/.."],
)
def test_no_path_leads_out_of_what_is_allowed(path: str, project: Path) -> None:
    allow = ("write_file(src/*)", "write_file(./src/*)", f"write_file({project}/src/*)")
    assert not runs(WRITE, path, allow=allow, cwd=project)


@pytest.mark.parametrize("path", ["link.py", "./link.py", "src/../link.py"])
def test_a_link_counts_as_what_it_leads_to(path: str, project: Path) -> None:
    deny = f"write_file({project.parent}/elsewhere*)"
    assert not runs(WRITE, path, policy="yolo", deny=(deny,), cwd=project)


@pytest.mark.parametrize(
    "path", ["~/.ssh/id", "{home}/.ssh/id", "../home/.ssh/id", "~/x/../.ssh/id"]
)
def test_the_home_of_the_user_has_its_short_name(path: str, project: Path, home: Path) -> None:
    path = path.format(home=home)
    assert not runs(READ, path, deny=("read_file(~/.ssh/*)",), cwd=project)
    assert not runs(READ, path, deny=(f"read_file({home}/.ssh/*)",), cwd=project)


def test_brackets_in_a_path_are_themselves(project: Path) -> None:
    deny = ("write_file(src/[id]/*)",)
    assert not runs(WRITE, "src/[id]/page.tsx", policy="yolo", deny=deny, cwd=project)
    assert runs(WRITE, "src/i/page.tsx", policy="yolo", deny=deny, cwd=project)


@pytest.mark.parametrize(
    "path", ["x" * 10_000, "../" * 2000, os.fsdecode(b"\xff"), "~nobody/x", "a\nb"]
)
def test_any_path_can_be_judged(path: str, project: Path) -> None:
    assert not runs(WRITE, path, allow=("write_file(src/*)",), cwd=project)
    assert runs(WRITE, path, policy="yolo", deny=("write_file(src/*)",), cwd=project)


def test_addresses_are_matched_as_they_are() -> None:
    allow = ("fetch(https://docs.python.org/*)",)
    assert runs(FETCH, "https://docs.python.org/3/", allow=allow)
    assert not runs(FETCH, "https://evil.org/https://docs.python.org/", allow=allow)
