"""The notebooks that instructors have, solutions included, earn all points: with hidden cases, in a
sandboxed kernel, where what is asked arrives as it was drawn.
"""

import json
from pathlib import Path

import pytest

from grading.commands import main

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(ROOT.glob("exercises/[0-9]*/*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.parent.name)
def test_a_source_notebook_earns_all_points(notebook, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert main(["try", notebook.parent.name, str(notebook), "--json"]) == 0
    verdicts = json.loads(capsys.readouterr().out)["exercises"]
    assert len(verdicts) >= 3
    lost = [v["exercise"] for v in verdicts if v["points"] != v["max_points"]]
    assert not lost
