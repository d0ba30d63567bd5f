from __future__ import annotations

from minime_core.turn import Stash, StashKey, Turn

COUNT: StashKey[int] = StashKey()
NAMES: StashKey[list[str]] = StashKey()


def test_a_stash_keeps_the_default_that_was_asked_for_first() -> None:
    stash = Stash()
    stash.get(NAMES, []).append("a")
    assert stash.get(NAMES, []) == ["a"]


def test_keys_are_apart_even_when_they_look_alike() -> None:
    stash = Stash()
    stash.set(COUNT, 1)
    assert stash.get(StashKey[int](), 0) == 0
    assert stash.get(COUNT, 0) == 1


def test_turns_do_not_share_what_they_keep() -> None:
    one, two = (Turn(question="q", first=0) for _ in range(2))
    one.stash.set(COUNT, 1)
    assert two.stash.get(COUNT, 0) == 0
    assert one.outputs is not two.outputs
