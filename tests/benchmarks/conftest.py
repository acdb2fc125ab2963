"""The benchmarks are modules that are found from the root of the repository only."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
