"""How fast a class is graded, compared with stock nbgrader and with the bare cells.

Makes a course with submissions of assignment 1 in a temporary folder: half of them right, the
others with one or three answers of the grader's own list of mistakes. Then measures, on the same
submissions:

* `nbgrader autograde` as it is installed, without anything of this course in its configuration;
* `python -m grading autograde`, sandbox included;
* the cells alone, executed by an interpreter that has torch imported already: what cannot be saved;
* the first reply of a sandboxed kernel, torch ready;
* time and memory in a small and in a large class, what one more submission takes of the processor,
  and what that makes for 30,000;
* the other assignments, beside assignment 1.

`make bench-grading` prints all of it, in about twenty minutes on two cores. To see that all runs:

    python -m benchmarks.grade_class --submissions 4 --stock 1 --repeats 1 --classes 1 4 --others
"""

from __future__ import annotations

import argparse
import ast
import builtins
import copy
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import nbformat
import psutil
from rich.console import Console
from rich.table import Table

from grading.content import assignments, exercises_of
from grading.content.release import EXERCISES_FOLDER
from grading.exercise.edits import edited
from grading.running import sandbox
from grading.running.launch import start_kernel
from models.recipe import whole_number

ASSIGNMENT = "01_simple_attention"
IMPORTS = (
    "import math\nimport re\n\n\n"  # of every wrong answer; what else it uses, the notebook has
)
MIB = 2**20
MANY = 30_000  # submissions: a large course, by its eleven assignments
console = Console(highlight=False)


# ---- The class ---------------------------------------------------------------------------------


def make_course(
    folder: Path, students: int, ours: bool = True, assignment: str = ASSIGNMENT
) -> Path:
    """Make a course with submissions, the same ones for the same number."""
    empty = folder.parent / f"{assignment}-{'ours' if ours else 'stock'}-empty"
    if not empty.exists():
        _release(empty, ours, assignment)
    shutil.copytree(empty, folder)
    name = f"{assignment[3:]}.ipynb"
    solved = nbformat.read(folder / "exercises" / assignment / name, as_version=4)
    chance, known = random.Random(0), names_in(solved)
    for number in range(students):
        notebook = copy.deepcopy(solved)
        cells = {
            c.metadata.nbgrader.grade_id: c for c in notebook.cells if "nbgrader" in c.metadata
        }
        for cell, answer in wrong_answers(assignment, number, chance, known).items():
            cells[cell].source = answer
        place = folder / "submitted" / f"student-{number:05}" / assignment
        shutil.copytree(folder / "release" / assignment, place)
        nbformat.write(notebook, place / name)
    return folder


def _release(folder: Path, ours: bool, assignment: str) -> None:
    """Make a course that has released an assignment."""
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
    shutil.copytree(root / "exercises" / assignment, folder / "exercises" / assignment)
    nbgrader(folder, "generate_assignment", assignment)


def names_in(notebook: nbformat.NotebookNode) -> set[str]:
    """What a wrong answer may use: Python's own names, its imports, and those of the notebook."""
    sources = [IMPORTS, *(cell.source for cell in notebook.cells if cell.cell_type == "code")]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return {*dir(builtins), *(name.asname or name.name for each in imports for name in each.names)}


def wrong_answers(
    assignment: str, number: int, chance: random.Random, known: set[str]
) -> dict[str, str]:
    """Every second submission is right; of the others some have one mistake, some three.

    Args:
        assignment: its exercises are asked for mistakes.
        number: of the submission.
        chance: chooses.
        known: the names that an answer may use.

    Returns:
        For each cell that is wrong what stands there: the reference, edited as a mistake says.
    """
    exercises = exercises_of(assignment)
    found = {}
    for exercise in chance.sample(exercises, (0, 1, 0, 3)[number % 4]):
        sources = (
            edited(exercise.source, mistake.mutation)
            for mistake in exercise.mistakes
            if not callable(mistake.mutation)
        )
        found[exercise.answer_cell] = IMPORTS + chance.choice(
            [s for s in sources if used_by(s) <= known]
        )
    return found


def used_by(source: str) -> set[str]:
    """The names that code uses and does not define."""
    nodes = list(ast.walk(ast.parse(source)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    made |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    made |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    return {node.id for node in names} - made


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


class Spent(NamedTuple):
    """Seconds on the clock, and of all processors together."""

    seconds: float
    processor: float


def grade_ours(folder: Path, jobs: int, assignment: str = ASSIGNMENT) -> Spent:
    """Grade a course anew, and insist that all are graded."""
    for name in ("autograded", ".grading"):
        shutil.rmtree(folder / name, ignore_errors=True)
    command = ("grading", "autograde", assignment, "--jobs", str(jobs), "--force", "--yes")
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(folder, *command)
    taken, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return Spent(taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


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
    notebooks = sorted((folder / "submitted").glob(f"*/{ASSIGNMENT}/*.ipynb"))
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


class Watched:
    """What the command and its workers take, while measured.

    Attributes:
        writer: the most private memory of the command itself, which writes the grades.
        worker: that of a worker.
        writing: seconds of processor time that the command itself has taken.
    """

    def __init__(self) -> None:
        self.writer = self.worker = 0
        self.writing = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Watched:
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
                        times = process.cpu_times()
                        self.writing = times.user + times.system
                    else:  # forked from the writer
                        self.worker = max(self.worker, used)
                except psutil.Error:
                    continue


def main() -> None:
    """Measure and print the tables."""
    others = [name for name in assignments() if name != ASSIGNMENT]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=whole_number, default=40)
    parser.add_argument("--stock", type=whole_number, help="with stock nbgrader (default: all)")
    parser.add_argument("--jobs", type=whole_number, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeats", type=whole_number, default=3)
    parser.add_argument(
        "--classes",
        type=whole_number,
        nargs="*",
        default=[10, 1000],
        metavar="N",
        help="their sizes",
    )
    parser.add_argument(
        "--others", nargs="*", choices=others, default=others, metavar="NAME", help="assignments"
    )
    options = parser.parse_args()
    stock = min(options.stock or options.submissions, options.submissions)
    with tempfile.TemporaryDirectory() as folder:
        first = _compare(Path(folder), options, stock)
        if options.classes:
            _scale(Path(folder), options)
        if options.others:
            _others(Path(folder), options, first)


def _compare(folder: Path, options: argparse.Namespace, stock: int) -> float:
    """Print the first table, and return the processor seconds that ours takes."""
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
    fast, processor = (statistics.median(column) for column in zip(*ours, strict=True))
    slow, limit = map(statistics.median, (theirs, bare))
    guess = "" if stock == count else f" (extrapolated from {stock})"
    table = Table(
        "", "seconds", "submissions a minute", "times as fast as stock",
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
    return processor


class Class(NamedTuple):
    """What grading a class took."""

    count: int
    seconds: float
    processor: float
    writing: float


def _scale(folder: Path, options: argparse.Namespace) -> None:
    table = Table(
        "submissions", "seconds", "processor seconds", "the writer's", "writer, MiB", "worker, MiB",
        title=f"Classes of assignment 1, {options.jobs} workers; private memory at its most",
    )  # fmt: skip
    classes = []
    for count in sorted(options.classes):
        course = make_course(folder / f"class-{count}", count)
        with Watched() as watched:
            spent = grade_ours(course, options.jobs)
        classes.append(Class(count, *spent, watched.writing))
        table.add_row(
            str(count), f"{spent.seconds:.1f}", f"{spent.processor:.1f}", f"{watched.writing:.1f}",
            f"{watched.writer / MIB:.0f}", f"{watched.worker / MIB:.0f}",
        )  # fmt: skip
    console.print(table)
    small, large = classes[0], classes[-1]
    if large.count > small.count:
        _of_many(small, large)


def _of_many(small: Class, large: Class) -> None:
    """Print what starting up takes, what each submission takes, and what that makes for many."""
    more = large.count - small.count
    seconds, processor, writing = (
        (a - b) / more for a, b in zip(large[1:], small[1:], strict=True)
    )
    console.print(
        f"Starting up takes {small.seconds - small.count * seconds:.1f} s. Each submission takes "
        f"{seconds:.2f} s, {processor:.2f} s of processor time, {writing:.2f} s of it the writer's."
    )
    on = {cores: max(processor / cores, writing) * MANY / 60 for cores in (4, 8)}
    console.print(
        f"{MANY:,} submissions: {MANY * processor / 3600:.1f} hours of processor time; "
        + ", ".join(f"{minutes:.0f} minutes on {cores} cores" for cores, minutes in on.items())
        + f"; the writer alone {MANY * writing / 60:.0f} minutes"
    )


def _others(folder: Path, options: argparse.Namespace, first: float) -> None:
    count = options.submissions
    table = Table(
        "assignment", "seconds", "processor seconds", "times assignment 1",
        title=f"{count} submissions each, {options.jobs} workers, start included",
    )  # fmt: skip
    for name in options.others:
        course = make_course(folder / name, count, assignment=name)
        took = grade_ours(course, options.jobs, name)
        times = took.processor / first
        table.add_row(name, f"{took.seconds:.1f}", f"{took.processor:.1f}", f"{times:.1f}")
    console.print(table)


if __name__ == "__main__":
    main()
