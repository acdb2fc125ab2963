"""The notebooks that instructors have, solutions included, earn all points: with hidden cases, in a
sandboxed kernel, where what is asked arrives as it was drawn.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(ROOT.glob("exercises/[0-9]*/*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.parent.name)
def test_a_source_notebook_earns_all_points(notebook):
    command = [sys.executable, "-m", "grading", "try", notebook.parent.name, notebook, "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    verdicts = json.loads(done.stdout)["exercises"]
    assert len(verdicts) >= 3
    lost = [v["exercise"] for v in verdicts if v["points"] != v["max_points"]]
    assert not lost
