"""What the built book holds beside its pages, made by another process while Sphinx makes these.

The weights and numbers of the models that pages show take as long to make as all pages, and neither
notebooks nor pages keep all cores busy. So they are made in the background, and put into the book
when the pages stand.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing import Process
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError

BEFORE_NOTEBOOKS = 400  # while their libraries are imported, for example, other cores are idle


@dataclass(frozen=True)
class Task:
    """A folder below ``_static`` of the built book that is made and not copied."""

    make: Callable[[Path], None]  # fills the folder that it is given; a function of a module
    last: str  # the file that it writes last
    sources: tuple[Path, ...]
    wanted: Callable[[], bool]  # asked when Sphinx knows the pages


TASKS: dict[str, Task] = {}


def add_task(app: Sphinx, folder: str, task: Task) -> None:
    """Have a folder below ``_static`` made, unless it is there and newer than all its sources."""
    TASKS[folder] = task
    app.setup_extension(__name__)


def out_of_date(made: Path, *sources: Path) -> bool:
    """True if a file is not there, or not newer than all that it is made from."""
    return not made.exists() or made.stat().st_mtime <= max(s.stat().st_mtime for s in sources)


def begin(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Start the process, if there is something to make."""
    if app.builder.format != "html":
        return
    static, made = Path(app.outdir, "_static"), Path(app.doctreedir, "made")
    due = {
        folder: each.make
        for folder, each in TASKS.items()
        if each.wanted() and out_of_date(static / folder / each.last, *each.sources)
    }
    if due:
        process = Process(target=fill, args=(made, due), daemon=True)
        process.start()
        app.connect("build-finished", partial(deliver, process, made, static))


def fill(made: Path, due: dict[str, Callable[[Path], None]]) -> None:
    """Make the folders, one after the other: they import the same libraries."""
    import torch  # a second, which a build with nothing to make saves

    torch.set_num_threads(1)
    shutil.rmtree(made, ignore_errors=True)
    for folder, make in due.items():
        (made / folder).mkdir(parents=True)
        make(made / folder)


def deliver(
    process: Process, made: Path, static: Path, app: Sphinx, failure: Exception | None
) -> None:
    """Put what was made into the book, or say that it was not.

    Raises:
        SphinxError: if the process failed; it has printed how.
    """
    if failure is not None:
        process.terminate()
        return
    process.join()
    if process.exitcode:
        raise SphinxError("The numbers and weights that pages show could not be made; see above.")
    shutil.copytree(made, static, dirs_exist_ok=True)
    shutil.rmtree(made)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-before-read-docs", begin, priority=BEFORE_NOTEBOOKS)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
