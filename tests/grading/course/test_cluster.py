"""The same command on a Dask cluster whose workers die and join while it runs."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from importlib.util import find_spec

import psutil
import pytest

from .conftest import ASSIGNMENT, INSECURE, ROOT
from .test_once import STUDENTS, everybody_once, ledger, until

# Each process that looks for tests would import it.
pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="requirements-cluster.txt is not installed"
)


@contextlib.contextmanager
def running(*command: str):
    """A process of Dask, and what it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + command[0], *command[1:]],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def worker(address: str):
    # without a nanny, so that a killed one stays away
    return running(
        "dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
        "--memory-limit", "0",
    )  # fmt: skip


def test_a_killed_worker_costs_nothing_and_a_new_one_is_used(course, solved):
    for student in STUDENTS:
        course.hand_in(student, solved)
    with running(
        "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"
    ) as scheduler:
        line = next(line for line in scheduler.stderr if "Scheduler at:" in line)
        address = re.search(r"tcp://\S+", line)[0]
        with worker(address) as first, worker(address) as second:
            process = course.start_autograde("--scheduler", address)
            until(lambda: ledger(course) or process.poll() is not None)
            helpers = psutil.Process(first.pid).children(recursive=True)
            os.kill(first.pid, signal.SIGKILL)
            with worker(address):
                os.kill(second.pid, signal.SIGTERM)
                out, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
        everybody_once(course)
        assert "Not graded" not in out
        assert psutil.wait_procs(helpers, timeout=60)[1] == []


def test_without_a_scheduler_the_command_says_how_to_start_one(course, solved, monkeypatch, capsys):
    from grading.commands import main
    from grading.course import cluster
    from grading.limits import PatienceLimits

    course.hand_in("ada", solved)
    monkeypatch.chdir(course.folder)
    monkeypatch.setattr(PatienceLimits, "connect_seconds", 1)
    command = ["autograde", ASSIGNMENT, *INSECURE, "--scheduler"]
    assert main([*command, "tcp://127.0.0.1:9"]) == 1
    assert "No Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err
    monkeypatch.setattr(cluster, "distributed", None)
    assert main([*command, "tcp://127.0.0.1:9"]) == 1
    assert "pip install -r requirements-cluster.txt" in capsys.readouterr().err
