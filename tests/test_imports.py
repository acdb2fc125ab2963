"""Every module of the project can be imported: what another Python or library breaks shows here."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERMIN = [str(Path(sys.executable).with_name("vermin")), "--target=3.10-"]
# The folders that hold modules, and what stands before the name of a module of theirs.
FOLDERS = {
    "solutions": "solutions.",
    "grading": "grading.",
    "models": "models.",
    "benchmarks": "benchmarks.",
    "chapters/figures": "figures.",
    "chapters/_ext": "_ext.",
}
# The sandbox's parent runs alone, beside the modules that it imports by their short names.
ALONE = {"grading.running.sandbox.parent"}


def modules(folder: str) -> list[str]:
    """Return the modules below a folder, by the names under which they are imported."""
    found = []
    for file in sorted((ROOT / folder).rglob("*.py")):
        parts = file.relative_to(ROOT / folder).with_suffix("").parts
        name = FOLDERS[folder] + ".".join(parts)
        found.append(name.removesuffix(".__init__"))
    return [name for name in found if not name.endswith("__main__") and name not in ALONE]


@pytest.mark.parametrize("folder", FOLDERS)
def test_all_modules_can_be_imported(folder):
    names = modules(folder)
    assert len(names) >= 4
    lines = "\n".join(f"import {name}" for name in names)
    path = os.pathsep.join(map(str, (ROOT, ROOT / "chapters")))
    done = subprocess.run(
        [sys.executable, "-W", "error::SyntaxWarning", "-c", lines],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_students_get_runs_on_python_3_10():
    """As the page for students promises: neither grammar nor libraries of a newer one."""
    released = sorted(map(str, ROOT.glob("exercises/*/check.py")))
    assert len(released) == len(list(ROOT.glob("exercises/[0-9]*"))) > 10
    told = subprocess.run(
        [*VERMIN, "--violations", "--no-tips", *released],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout
    assert f"Analyzing {len(released)} files" in told.stdout


def test_the_versions_are_the_same_wherever_they_are_said():
    first, last = "3.11", "3.14"
    after = "3.15"
    said = {
        "pyproject.toml": f'requires-python = ">={first},<{after}"',
        "README.md": f"Python {first} to {last}",
        "chapters/students.md": f"Python 3.10 to {last}",
        ".ci/system": f"Python {first} to {last}",
        ".ci/newest": f"sys.version_info < ({after.replace('.', ', ')})",
        ".github/workflows/test.yml": f'python-version: "{last}"',
        ".github/workflows/weekly.yml": f'python-version: "{last}"',
    }
    missing = [name for name, words in said.items() if words not in (ROOT / name).read_text()]
    assert not missing
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    minor = range(int(first[2:]), int(last[2:]) + 1)
    assert project["classifiers"] == [f"Programming Language :: Python :: 3.{m}" for m in minor]


def test_a_newer_name_would_be_seen(tmp_path):
    (tmp_path / "check.py").write_text("from typing import Required\n")
    asked = [*VERMIN, str(tmp_path / "check.py")]
    assert subprocess.run(asked, capture_output=True, check=False).returncode == 1
