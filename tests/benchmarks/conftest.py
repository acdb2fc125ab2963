"""The benchmarks are run as `python -m benchmarks.NAME`, from the root of the repository."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
