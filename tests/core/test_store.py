from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from minime_core.errors import SessionFileError
from minime_core.history import History
from minime_core.messages import Message, ToolCall
from minime_core.records import Display, ErrorRecord, Record, Undo, Unknown, dump
from minime_core.store import SessionFile, find_session, header, new_session_id, read

HEADER = header("s", system="Be brief.")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SessionFile]:
    file = SessionFile(tmp_path / "sessions" / "s.jsonl")
    yield file
    file.close()


def converse(file: SessionFile) -> History:
    """Write a session with a record of each kind."""
    history = History(store=file)
    history.append(HEADER)
    history.add_question("Was ist größer? \udcff\0")
    call = ToolCall(id=history.new_call_id(), name="read_file", arguments={"path": "ä.txt"})
    history.add_answer(Message(role="assistant", text="I look.", calls=(call,), thinking="hm"))
    history.append(Undo(path="/tmp/\udcff", content=b"\0\xff\r\n", mode=0o644))
    history.append(Display(event={"type": "notice", "text": "a\nb"}))
    history.add_result(call, "line\r\nline\u2028")
    history.add_answer(Message(role="assistant", text="Done."))
    first = history.add_question("never mind")
    history.withdraw(first, "cancelled")
    history.append(ErrorRecord(text="down", provider="p"))
    history.append(Unknown(values={"kind": "of tomorrow", "x": [1]}))
    return history


def resumed(path: Path) -> tuple[History, SessionFile]:
    file = SessionFile(path)
    return History(file.resume().records, file), file


def test_a_resumed_session_has_the_same_records_and_view(file: SessionFile) -> None:
    history = converse(file)
    file.close()
    again, file_again = resumed(file.path)
    assert again.records == history.records
    assert again.view() == history.view()
    file_again.close()


def test_a_file_cut_at_any_byte_resumes_with_its_whole_records_and_is_written_on(
    file: SessionFile, tmp_path: Path
) -> None:
    records = converse(file).records
    file.close()
    data = file.path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    assert len(ends) == len(records)
    cut_path = tmp_path / "cut.jsonl"
    for size in range(len(data) + 1):
        cut_path.write_bytes(data[:size])
        whole = sum(end <= size for end in ends)
        if not whole:
            with pytest.raises(
                SessionFileError, match="no whole record: there is nothing to resume"
            ):
                SessionFile(cut_path).resume()
            assert cut_path.read_bytes() == data[:size]
            continue
        cut_file = SessionFile(cut_path)
        loaded = cut_file.resume()
        assert loaded.records == records[:whole]
        assert loaded.dropped == (size not in ends)
        history = History(loaded.records, cut_file)
        history.add_question("go on")
        cut_file.close()
        again = read(cut_path)
        assert again.records == history.records
        assert not again.dropped


def test_nothing_is_on_disk_before_the_first_question(file: SessionFile) -> None:
    file.append(HEADER)
    assert not file.path.parent.exists()
    file.append(ErrorRecord(text="x"))
    assert read(file.path).records == [HEADER, ErrorRecord(text="x")]


def test_every_record_is_on_disk_when_it_is_appended(file: SessionFile) -> None:
    history = History(store=file)
    history.append(HEADER)
    for number in range(3):
        history.append(ErrorRecord(text=str(number)))
        assert read(file.path).records == history.records


def test_only_the_user_may_read_a_session(file: SessionFile) -> None:
    converse(file)
    assert file.path.stat().st_mode & 0o077 == 0
    assert file.path.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "holds no whole record: there is nothing to resume"),
        (b"\n", "is not an mm session"),
        (b"\0\0\0\n", "is not an mm session"),
        (b"\x89PNG\r\n\x1a\n", "is not an mm session"),
        (b'{"type":"user"}\n', "is not an mm session"),
        (b'{"kind":"meta","values":{"app":"other"}}\n', "is not an mm session"),
        (dump(ErrorRecord(text="x")), "is not an mm session"),
        (b"[" * 10_000 + b"\n", "is not an mm session"),
        (
            b'{"kind":"meta","values":{"app":"mini-me","v":2}}\n{"kind":"message"}\n',
            r"was written by a newer mm \(format 2; this one reads 1\): upgrade mini-me",
        ),
        (
            b'{"kind":"meta","values":{"app":"mini-me","v":"two"}}\n',
            r"was written by a newer mm \(format two; this one reads 1\)",
        ),
        (dump(HEADER) + b"{}\n" + dump(ErrorRecord(text="x")), "line 2 is damaged: not a record"),
        (dump(HEADER) + b"\n", "line 2 is damaged"),
        (dump(HEADER) + b'{"kind":"message"}\n', "line 2 is damaged: message is missing"),
        (dump(HEADER) + b"\0" * 4096 + b"\n", "line 2 is damaged"),
    ],
)
def test_what_is_no_session_is_told_in_one_line_and_left_alone(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    file = SessionFile(path)
    with pytest.raises(SessionFileError, match=reason) as caught:
        file.resume()
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


def test_a_file_that_could_not_be_resumed_can_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    file = SessionFile(path)
    with pytest.raises(SessionFileError):
        file.resume()
    path.write_bytes(dump(HEADER))
    again = SessionFile(path)
    assert again.resume().records == [HEADER]
    again.close()


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SessionFileError, match=r"cannot open .*s\.jsonl: No such file"):
        SessionFile(tmp_path / "s.jsonl").resume()


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("wb") as sparse:
        sparse.truncate((1 << 30) + 1)
    with pytest.raises(SessionFileError, match="larger than a session can be"):
        read(path)


HOLD = """
import sys
from pathlib import Path
from minime_core.store import SessionFile
file = SessionFile(Path(sys.argv[1]))
file.resume()
print("open", flush=True)
sys.stdin.read()
"""


def test_a_session_that_another_process_has_open_is_refused_in_one_line(file: SessionFile) -> None:
    converse(file)
    file.close()
    before = file.path.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, file.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(SessionFileError, match="session s is open in another mm") as caught:
            file.resume()
        other.communicate()
    assert "\n" not in str(caught.value)
    assert file.path.read_bytes() == before
    history, again = resumed(file.path)
    history.add_question("and now?")
    again.close()
    assert read(file.path).records == history.records


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from minime_core.errors import SessionFileError
from minime_core.records import ErrorRecord
from minime_core.store import SessionFile, header
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = SessionFile(Path(sys.argv[1]))
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
def refused(record):
    try:
        file.append(record)
    except SessionFileError as error:
        print(error)
limit(10)
file.append(header("s"))
refused(ErrorRecord(text="does not fit"))
limit(1000)
file.append(ErrorRecord(text="first"))
refused(ErrorRecord(text="x" * 2000))
file.append(ErrorRecord(text="second"))
"""


def test_a_full_disk_costs_the_record_but_not_the_session(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"cannot write {path}: File too large\n" * 2
    expected: list[Record] = [header("s"), ErrorRecord(text="first"), ErrorRecord(text="second")]
    assert read(path).records == expected


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    file = SessionFile(tmp_path / "taken" / "s.jsonl")
    file.append(HEADER)
    with pytest.raises(SessionFileError, match=r"cannot open .*: (Not a directory|File exists)"):
        file.append(ErrorRecord(text="x"))


def test_the_lock_does_not_outlive_a_closed_file(file: SessionFile) -> None:
    converse(file)
    file.close()
    _, again = resumed(file.path)
    again.close()
    _, once_more = resumed(file.path)
    once_more.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("20260101-000000-aaaaaa", "20260102-000000-bbbbbb", "20260102-000000-bcbcbc"):
        (tmp_path / f"{name}.jsonl").write_bytes(dump(HEADER))
    return tmp_path


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (None, "20260102-000000-bcbcbc"),
        ("20260101", "20260101-000000-aaaaaa"),
        ("20260102-000000-bb", "20260102-000000-bbbbbb"),
    ],
)
def test_a_session_is_found_by_the_beginning_of_its_id(
    folder: Path, wanted: str | None, found: str
) -> None:
    assert find_session(folder, wanted).stem == found


def test_a_session_is_found_by_its_path(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "20260101-000000-aaaaaa.jsonl"
    assert find_session(folder / "elsewhere", str(path)) == path


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ("20260102", "several sessions begin with '20260102'"),
        ("x", "no session begins with 'x'"),
        ("../20260101", "no session begins with"),
        ("\0", "no session begins with"),
    ],
)
def test_a_session_that_is_not_found_is_told(folder: Path, wanted: str, reason: str) -> None:
    with pytest.raises(SessionFileError, match=reason):
        find_session(folder, wanted)


def test_the_newest_session_is_one_that_was_written_to(folder: Path) -> None:
    (folder / "20270101-000000-ffffff.jsonl").touch()
    (folder / "20270102-000000-ffffff.jsonl").symlink_to("nowhere")
    (folder / "20270103-000000-ffffff.jsonl").mkdir()
    assert find_session(folder, None).stem == "20260102-000000-bcbcbc"


def test_without_a_session_there_is_nothing_to_continue(tmp_path: Path) -> None:
    with pytest.raises(SessionFileError, match="no session to continue in"):
        find_session(tmp_path / "missing", None)


def test_session_ids_differ_and_make_file_names() -> None:
    ids = {new_session_id() for _ in range(50)}
    assert len(ids) == 50
    assert all(os.path.basename(i) == i and len(i) == 22 for i in ids)
