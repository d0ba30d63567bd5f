"""Let the tests of this folder import the corpus next to them, in every import mode of pytest."""

from __future__ import annotations
