"""What of an answer an earlier attempt has brought."""

from __future__ import annotations

from minime_core.turn import StashKey

BEGINNING: StashKey[str] = StashKey()
"""In a turn's stash while an answer is continued: the text that the user has already.

A layer further in that judges an answer's text judges it together with this.
"""
