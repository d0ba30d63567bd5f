"""Skills in a real session: the tool, its results, the notation, and what is warned of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minime_core import hookimpl
from minime_core.assembly import Options, open_session
from minime_core.bundled import bundled
from minime_core.config import Config, Layer
from minime_core.errors import ConfigError
from minime_core.events import Event, Notice, ToolDone
from minime_core.frontends import Suggestion
from minime_core.plugins import PluginHost, PluginInfo
from minime_core.session import Session
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text, tool_call
from minime_skills.skill import MAX_KEYWORDS


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


class Chat:
    """One session with skills; `ask` returns what happened."""

    def __init__(self, cwd: Path, server: FaultServer, *plugins: object, **skills: Any) -> None:
        self.cwd = cwd
        self.server = server
        self.plugins = plugins
        self.skills = skills

    def ask(self, question: str = "hi") -> list[Event]:
        return asyncio.run(self._ask(question))

    async def _ask(self, question: str) -> list[Event]:
        infos = [
            PluginInfo(name=n, module=f"minime_{n}") for n in ("providers", "prompt", "skills")
        ]
        host = PluginHost(infos, warn=pytest.fail)
        host.load()
        for number, plugin in enumerate(self.plugins):
            host.register(plugin, f"plugin{number}")
        values = {"provider": "llamacpp", "base_url": self.server.base_url, "skills": self.skills}
        config = Config([Layer("test", values)], {info.name for info in infos})
        options = Options(cwd=self.cwd, flags={}, is_stored=False)
        session = await open_session(options, host, config)
        try:
            async with session.run(question) as events:
                return [event async for event in events]
        finally:
            await session.aclose()

    @property
    def body(self) -> Any:
        return self.server.chat_requests[0].json

    @property
    def results(self) -> list[str]:
        last = self.server.chat_requests[-1].json["messages"]
        return [message["content"] for message in last if message["role"] == "tool"]


def write(folder: Path, name: str, header: str = "description: d", body: str = "Do it.") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"---\n{header}\n---\n{body}\n")


def notices(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


def description(chat: Chat) -> str:
    (tool,) = [tool["function"] for tool in chat.body["tools"]]
    assert tool["name"] == "read_skill"
    return str(tool["description"])


def test_a_project_without_skills_pays_nothing(project: Path, server: FaultServer) -> None:
    server.enqueue(text("Hello."))
    chat = Chat(project, server)
    assert notices(chat.ask()) == []
    assert "tools" not in chat.body
    assert "SKILLS" not in chat.body["messages"][0]["content"]
    assert "read_skill" not in json.dumps(chat.body)


def test_the_catalogue_is_in_the_tools_description(project: Path, server: FaultServer) -> None:
    write(project / ".mm/skills", "ship-it.md", "description: Ship it.\nkeywords: push, livrer")
    write(project / ".mm/skills", "ask-it/SKILL.md", "description: Ask it.")
    server.enqueue(text("Hello."))
    chat = Chat(project, server)
    chat.ask()
    assert description(chat).endswith("\nask-it: Ask it.\nship-it: Ship it. (push, livrer)")
    assert "SKILLS\n" in chat.body["messages"][0]["content"]


def test_a_skill_is_loaded_with_the_list_of_its_files(project: Path, server: FaultServer) -> None:
    folder = project / ".mm/skills/ship-it"
    write(folder, "SKILL.md", body="1. Ship it.")
    write(folder, "scripts/ship.sh")
    write(folder, "table.csv")
    (folder / "circle").symlink_to(folder)
    server.enqueue(tool_call("read_skill", {"name": '"Ship-It" '}), text("Done."))
    chat = Chat(project, server)
    events = chat.ask()
    assert chat.results == [
        f"1. Ship it.\n\n[files of this skill, in {folder}: table.csv, scripts/ship.sh]"
    ]
    assert [event.ok for event in events if isinstance(event, ToolDone)] == [True]


@pytest.mark.parametrize(
    "name", ["unknown", "../../secret", "/etc/passwd", ".mm/skills/ship-it.md"]
)
def test_what_is_no_name_reads_no_file(name: str, project: Path, server: FaultServer) -> None:
    write(project / ".mm/skills", "ship-it.md")
    (project / "secret").write_text("secret")
    server.enqueue(tool_call("read_skill", {"name": name}), text("Done."))
    chat = Chat(project, server)
    events = chat.ask()
    assert chat.results == [f"[read_skill: no skill named {name!r}; there are: ship-it]"]
    assert [event.ok for event in events if isinstance(event, ToolDone)] == [False]


@pytest.mark.parametrize("sign", ["$", "/"])
def test_a_skill_that_the_user_calls_is_spelt_out(
    sign: str, project: Path, server: FaultServer
) -> None:
    write(project / ".mm/skills", "ship-it.md")
    server.enqueue(text("Shipped."))
    chat = Chat(project, server)
    chat.ask(f"{sign}ship-it to Bob")
    assert chat.body["messages"][-1]["content"] == (
        "[skill ship-it: call read_skill for it now, then carry out its steps.] Parameters: to Bob"
    )


def test_without_skills_a_question_stays_as_it_is(project: Path, server: FaultServer) -> None:
    server.enqueue(text("Hello."))
    chat = Chat(project, server)
    chat.ask("$ship-it")
    assert chat.body["messages"][-1]["content"] == "$ship-it"


def test_faults_of_skills_are_said_at_the_start(project: Path, server: FaultServer) -> None:
    words = ", ".join(f"w{number}" for number in range(MAX_KEYWORDS + 1))
    write(project / ".mm/skills", "ship-it.md", "keywords: " + words)
    write(project / ".mm/skills", "ship-it/SKILL.md")
    server.enqueue(text("Hello."))
    said = notices(Chat(project, server).ask())
    file = project / ".mm/skills/ship-it.md"
    assert said == [
        f"skill {file}: it has no description: the model sees the name alone and picks blindly",
        f"skill {file}: only 8 keywords are shown; these are not: w8",
        f"skill {file.with_suffix('')}/SKILL.md: the name 'ship-it' is taken by {file}",
    ]


def test_skills_of_which_none_can_be_used_are_said_too(project: Path, server: FaultServer) -> None:
    write(project / ".mm/skills", "x.md")
    (project / ".mm/skills/x.md").write_bytes(b"\xff\xfe")
    server.enqueue(text("Hello."))
    chat = Chat(project, server)
    assert notices(chat.ask()) == [
        f"skill {project}/.mm/skills/x.md: is not UTF-8 text; it is left out"
    ]
    assert "tools" not in chat.body


def test_skills_come_from_the_project_the_settings_the_user_and_plugins(
    project: Path, home: Path, server: FaultServer, tmp_path: Path
) -> None:
    class Plugin:
        @hookimpl
        def mm_register_skills(self) -> list[Path]:
            return [tmp_path / "plugin"]

    write(project / ".mm/skills", "of-project.md")
    write(project / ".other/skills", "of-settings/SKILL.md")
    write(home / "shared", "of-home.md")
    write(home / ".config/mini-me/skills", "of-user.md")
    write(tmp_path / "plugin", "of-plugin.md")
    server.enqueue(text("Hello."))
    chat = Chat(
        project, server, Plugin(), folders=[".other/skills", "~/shared"], enabled=["bg-jobs"]
    )
    chat.ask()
    names = [line.partition(":")[0] for line in description(chat).splitlines()[1:]]
    assert names == ["bg-jobs", "of-home", "of-plugin", "of-project", "of-settings", "of-user"]


def test_ones_own_skill_replaces_a_shipped_one(project: Path, server: FaultServer) -> None:
    write(project / ".mm/skills", "bg-jobs.md", "description: mine")
    server.enqueue(text("Hello."))
    chat = Chat(project, server, enabled=["bg-jobs"])
    assert notices(chat.ask()) == []
    assert description(chat).endswith("\nbg-jobs: mine")


def test_a_shipped_skill_that_there_is_not_is_said_with_the_nearest(
    project: Path, server: FaultServer
) -> None:
    with pytest.raises(ConfigError, match=r"no skill 'bg-job' is shipped; did you mean bg-jobs\?"):
        Chat(project, server, enabled=["bg-job"]).ask()


def test_the_prompt_with_four_tools_and_eight_skills_stays_small(
    project: Path, server: FaultServer
) -> None:
    names = sorted(path.parent.name for path in bundled("skills").glob("*/SKILL.md"))
    server.enqueue(text("Hello."))
    chat = Chat(project, server, enabled=names[:8])
    chat.ask()
    # With the four tools, of which the tests of the prompt hold the size, within 1,600 tokens.
    assert len(json.dumps(chat.body["tools"], ensure_ascii=False, separators=(",", ":"))) <= 1800


def test_skills_are_suggested_and_listed_in_a_conversation(
    project: Path, server: FaultServer
) -> None:
    write(project / ".mm/skills", "ship-it.md", "name: Ship It\ndescription: Ship it.")

    class Frontend:
        @hookimpl
        def mm_session_start(self, session: Session) -> None:
            self.session = session

    frontend = Frontend()
    server.enqueue(text("Hello."))
    Chat(project, server, frontend).ask()
    host = frontend.session.host
    suggested = [s for _, s in host.collect("mm_suggestions", session=frontend.session)]
    assert suggested == [Suggestion(text="$Ship-It", summary="Ship it.")]
    ((_, command),) = host.collect("mm_slash_commands", session=frontend.session)
    assert command.name == "skills"
    assert asyncio.run(command.run(frontend.session, "")) == "Ship It: Ship it."
