"""Chapters are run in their own folder, where `import figures` finds the plotting module."""

import sys
from pathlib import Path

CHAPTERS = Path(__file__).parents[2] / "chapters"
sys.path.insert(0, str(CHAPTERS))
