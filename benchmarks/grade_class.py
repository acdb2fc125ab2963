"""How fast a class is graded, compared with stock nbgrader and with the bare cells.

Makes a course with submissions of assignment 1 in a temporary folder: half of them right, the
others with one or several answers of the grader's own list of mistakes. Then measures, on the same
submissions:

* `nbgrader autograde` as it is installed, without anything of this course in its configuration;
* `python -m grading autograde`, sandbox included;
* the cells alone, executed by an interpreter that has torch imported already: what cannot be saved;
* the first reply of a sandboxed kernel, torch ready;
* time and memory for a submission in a small and in a large class.

Run `python benchmarks/grade_class.py --help`; `make bench-grading` runs it as it is.
"""

from __future__ import annotations

import argparse
import copy
import inspect
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import psutil
from rich.console import Console
from rich.table import Table

from grading import sandbox
from grading.content import exercises_of
from grading.kernels import start_kernel
from grading.release import EXERCISES_FOLDER

ASSIGNMENT = "01_simple_attention"
NOTEBOOK = "simple_attention.ipynb"
MIB = 2**20
console = Console(highlight=False)


# ---- The class ---------------------------------------------------------------------------------


def make_course(folder: Path, students: int, ours: bool = True) -> Path:
    """Make a course with submissions, the same ones for the same number."""
    folder.mkdir()
    root = EXERCISES_FOLDER.parent
    if ours:
        shutil.copy(root / "nbgrader_config.py", folder)
    else:
        (folder / "nbgrader_config.py").write_text(
            "c = get_config()\n"
            'c.CourseDirectory.course_id = "transformer"\n'
            'c.CourseDirectory.source_directory = "exercises"\n'
        )
    shutil.copytree(root / "exercises" / ASSIGNMENT, folder / "exercises" / ASSIGNMENT)
    nbgrader(folder, "generate_assignment", ASSIGNMENT)
    solved = nbformat.read(folder / "exercises" / ASSIGNMENT / NOTEBOOK, as_version=4)
    chance = random.Random(0)
    for number in range(students):
        notebook = copy.deepcopy(solved)
        for name, answer in _mistakes(number, chance).items():
            cell = next(c for c in notebook.cells if c.metadata.nbgrader.grade_id == name)
            cell.source = answer
        place = folder / "submitted" / f"student-{number:05}" / ASSIGNMENT
        shutil.copytree(folder / "release" / ASSIGNMENT, place)
        nbformat.write(notebook, place / NOTEBOOK)
    return folder


def _mistakes(number: int, chance: random.Random) -> dict[str, str]:
    """Every second submission is right; of the others some have one mistake, some three."""
    exercises = [e for e in exercises_of(ASSIGNMENT) if e.mistakes]
    found = {}
    for exercise in chance.sample(exercises, (0, 1, 0, 3)[number % 4]):
        function = chance.choice(exercise.mistakes).implementation
        try:
            source = textwrap.dedent(inspect.getsource(function))
        except (OSError, TypeError):
            continue
        if source.startswith("def "):
            name = source[4 : source.index("(")]
            found[exercise.answer_cell] = f"{source}\n\n{exercise.id} = {name}\n"
    return found


# ---- What is measured --------------------------------------------------------------------------


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    """Run a Python module in a course's folder, each library with one thread."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(EXERCISES_FOLDER.parent),
        "OMP_NUM_THREADS": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def nbgrader(folder: Path, *command: str) -> None:
    """Run nbgrader and insist that it succeeds."""
    done = run(folder, "nbgrader", *command)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def seconds(action: Callable[[], object]) -> float:
    """Measure once."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def grade_ours(folder: Path, jobs: int) -> float:
    """Grade a course anew, and insist that all are graded."""
    for name in ("autograded", ".grading"):
        shutil.rmtree(folder / name, ignore_errors=True)
    command = ("grading", "autograde", ASSIGNMENT, "--jobs", str(jobs), "--force", "--yes")
    begin = time.perf_counter()
    done = run(folder, *command)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return time.perf_counter() - begin


def grade_stock(folder: Path, students: int) -> float:
    """Grade the first students of a course with nbgrader as it is."""
    shutil.rmtree(folder / "autograded", ignore_errors=True)
    everybody = sorted((folder / "submitted").iterdir())
    aside = folder / "aside"
    aside.mkdir(exist_ok=True)
    for place in everybody[students:]:
        place.rename(aside / place.name)
    try:
        return seconds(lambda: nbgrader(folder, "autograde", ASSIGNMENT))
    finally:
        for place in aside.iterdir():
            place.rename(folder / "submitted" / place.name)


# In an interpreter that has imported torch: the code cells of every notebook, one after another.
_CELLS = """
import contextlib, io, sys, time
import nbformat, torch
torch.set_num_threads(1)
exec("from check import check", {})
total = 0.0
for path in sys.argv[1:]:
    cells = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    names = {"__name__": "__main__"}
    begin = time.perf_counter()
    for source in cells:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            exec(compile(source, "cell", "exec"), names)
    total += time.perf_counter() - begin
print(total)
"""


def cells_alone(folder: Path) -> float:
    """Execute all cells of all submissions in one process; the check cells check public cases."""
    notebooks = sorted((folder / "submitted").glob(f"*/{ASSIGNMENT}/{NOTEBOOK}"))
    done = subprocess.run(
        [sys.executable, "-c", _CELLS, *map(str, notebooks)],
        cwd=folder / "release" / ASSIGNMENT, capture_output=True, text=True, check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    return float(done.stdout)


def first_reply() -> float:
    """Start a sandboxed kernel and wait for the reply to its first cell, which uses torch."""
    begin = time.perf_counter()
    kernel = start_kernel([])
    reply = kernel.client.execute_interactive("import torch; torch.ones(2)", silent=True)
    taken = time.perf_counter() - begin
    kernel.close()
    if reply["content"]["status"] != "ok":
        sys.exit(f"The sandboxed kernel failed: {reply['content']}")
    return taken


class PeakMemory:
    """The most private memory that the command and its workers have at a time, while measured."""

    def __init__(self) -> None:
        self.writer = self.worker = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.5):
            for process in psutil.Process().children(recursive=True):
                try:
                    if "grading autograde" not in " ".join(process.cmdline()):
                        continue
                    used = process.memory_full_info().uss
                    if process.ppid() == os.getpid():
                        self.writer = max(self.writer, used)
                    else:  # forked from the writer
                        self.worker = max(self.worker, used)
                except psutil.Error:
                    continue


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=40)
    parser.add_argument("--stock", type=int, help="so many with stock nbgrader (default: all)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--classes", type=int, nargs="*", default=[10, 100], metavar="N")
    options = parser.parse_args()
    stock = min(options.stock or options.submissions, options.submissions)
    with tempfile.TemporaryDirectory() as folder:
        _compare(Path(folder), options, stock)
        _scale(Path(folder), options)


def _compare(folder: Path, options: argparse.Namespace, stock: int) -> None:
    count = options.submissions
    course = make_course(folder / "ours", count)
    other = make_course(folder / "stock", count, ours=False)
    ours, theirs, bare = [], [], []
    for _ in range(options.repeats):  # in turns, so that a busy moment hits all of them
        theirs.append(grade_stock(other, stock) / stock * count)
        ours.append(grade_ours(course, options.jobs))
        bare.append(cells_alone(course))
    sandbox.warm_parent.start()
    first_reply()
    replies = [first_reply() for _ in range(20)]
    sandbox.warm_parent.stop()
    slow, fast, limit = map(statistics.median, (theirs, ours, bare))
    guess = "" if stock == count else f" (extrapolated from {stock})"
    table = Table(
        "", "seconds", "submissions a minute", "times stock",
        title=f"{count} submissions of assignment 1, {options.jobs} workers, medians of "
        f"{options.repeats}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
    )  # fmt: skip
    for name, taken in (
        (f"stock nbgrader autograde{guess}", slow),
        ("python -m grading autograde, start included", fast),
        ("the cells alone, warm, one after another", limit),
    ):
        table.add_row(name, f"{taken:.1f}", f"{60 * count / taken:.0f}", f"{slow / taken:.1f}")
    console.print(table)
    console.print(
        f"First reply of a sandboxed kernel, torch ready: {1000 * statistics.median(replies):.0f} "
        f"ms (median of {len(replies)}; fastest {1000 * min(replies):.0f} ms)"
    )


def _scale(folder: Path, options: argparse.Namespace) -> None:
    table = Table(
        "submissions", "seconds", "seconds each", "writer, MiB", "a worker, MiB",
        title=f"A small class and a large one, {options.jobs} workers; private memory at its most",
    )  # fmt: skip
    for count in options.classes:
        course = make_course(folder / f"class-{count}", count)
        with PeakMemory() as memory:
            taken = grade_ours(course, options.jobs)
        table.add_row(
            str(count), f"{taken:.1f}", f"{taken / count:.2f}",
            f"{memory.writer / MIB:.0f}", f"{memory.worker / MIB:.0f}",
        )  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    main()
