"""Let the tests of this folder import the corpus next to them, in every import mode of pytest."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
