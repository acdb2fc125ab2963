"""The gradebook in PostgreSQL, in a real server that the test starts."""

import glob
import os
import re
import shutil
import subprocess

import pytest
from nbgrader.api import Gradebook

from .conftest import ASSIGNMENT, ROOT

# What an instructor is told to write, with a server, a user and a database of their own.
PAGE = (ROOT / "chapters/instructors.md").read_text()
(LINE,) = re.findall(r"^c\.CourseDirectory\.db_url = .*", PAGE, re.MULTILINE)
PLACE = "user:password@server/gradebook"

pytest.importorskip("psycopg2")
PROGRAMS = [shutil.which("initdb"), *sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))]
INITDB = next((path for path in reversed(PROGRAMS) if path), None)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    if INITDB is None:
        pytest.skip("PostgreSQL is not installed (Debian's package postgresql)")
    folder = tmp_path_factory.mktemp("postgres", numbered=False)
    user = []
    if os.geteuid() == 0:  # the server refuses to run as root
        user = ["runuser", "-u", "postgres", "--"]
        folder = type(folder)(f"/tmp/course-postgres-{os.getpid()}")
        folder.mkdir()
        shutil.chown(folder, "postgres")
    programs = os.path.dirname(INITDB)

    def run(*command):
        done = subprocess.run(
            [*user, *command], capture_output=True, text=True, cwd=folder, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    run(INITDB, "-D", f"{folder}/data", "-A", "trust", "-U", "teacher", "--no-sync")
    # a socket in the folder and no port: nobody else can reach it
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    run(f"{programs}/pg_ctl", "-D", f"{folder}/data", "-o", options, "-l", f"{folder}/log", "start")
    try:
        yield f"teacher@/postgres?host={folder}"
    finally:
        run(f"{programs}/pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
        shutil.rmtree(folder)


def test_grades_go_to_postgresql_and_nbgrader_reads_them_there(course, solved, place):
    assert LINE.count(PLACE) == 1
    line = LINE.replace(PLACE, place)
    db_url = line.split('"')[1]
    (course.folder / "gradebook.db").unlink()
    with open(course.folder / "nbgrader_config.py", "a") as stream:
        stream.write(f"\n{line}\n")
    course.nbgrader("generate_assignment", ASSIGNMENT, "--force")
    course.hand_in("Zoë", solved)
    course.hand_in("empty", b"")
    course.hand_in("nul", solved)
    folder = course.hand_in("nul", b'{"cells": [{"cell_type": "markdown", "source": "a\\u0000"}]}')
    (folder / "timestamp.txt").write_text("2026-01-02 03:04:05 UTC")
    done = course.autograde("--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    with Gradebook(db_url, "transformer") as gradebook:
        points = {s.student_id: s.score for s in gradebook.assignment_submissions(ASSIGNMENT)}
    assert points == {"Zoë": 18, "empty": 0, "nul": 0}
    again = course.autograde()
    assert "0 graded now" in again.stdout, again.stderr
    assert not (course.folder / "gradebook.db").exists()
