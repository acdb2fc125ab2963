"""The code itself: its style, its types, and who imports whom."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("target", ["style", "types"])
def test_make_has_nothing_to_say_against_the_code(target):
    alone = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--silent", target], cwd=ROOT, env=alone, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
