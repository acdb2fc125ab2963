"""What a run writes beside its work is gone when it has ended, however it ended."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from grading.content.release import EXERCISES_FOLDER
from grading.running import temporary

KILLED = """
import os, signal, tempfile
from pathlib import Path
from grading.running.temporary import folder, run_folder
with run_folder():
    Path(tempfile.mkdtemp(dir=folder()), "work.ipynb").write_text("{}")
    print(folder(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_folders_lie_in_one_that_ends_with_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert temporary.folder() is None
    with temporary.run_folder():
        assert Path(temporary.folder()).parent == tmp_path
        (Path(temporary.folder()) / "submission-x").mkdir()
    assert temporary.folder() is None
    assert os.listdir(tmp_path) == []


def test_the_next_run_removes_what_a_killed_one_left_and_nothing_else(tmp_path, monkeypatch):
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path),
        "PYTHONPATH": str(EXERCISES_FOLDER.parent),
    }
    done = subprocess.run([sys.executable, "-c", KILLED], env=environment, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    left = Path(done.stdout.decode().strip())
    assert list(left.glob("*/work.ipynb"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary.run_folder():
        assert not left.exists()
        at_work = Path(temporary.folder())
        with temporary.run_folder():  # another run, while the first is at work
            assert at_work.exists()
