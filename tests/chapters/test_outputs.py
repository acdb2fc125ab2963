"""What the chapters printed when the book was built is what is stored in them, as nbval judges.

`pytest --nbval` runs a chapter and compares. The build has just run them all, with the same code
and packages, and kept what they printed; so nbval is given this recording in place of a kernel.
"""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from jupyter_cache import get_cache
from nbclient import NotebookClient
from nbval.plugin import IPyNbFile, NbCellError

from _ext.notebooks.execution import cache_folder

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted((ROOT / "chapters").glob("*_*.ipynb"))
SANITIZERS = ROOT / "chapters" / "nbval.cfg"


class Recording:
    """Answers nbval as a kernel would, with what the cells have printed already."""

    def __init__(self, notebook):
        self.cells = (cell for cell in notebook.cells if cell.cell_type == "code")
        self.messages = iter(())

    def is_alive(self):
        return True

    def execute_cell_input(self, source, allow_stdin):
        executed = next(cell for cell in self.cells if cell.source == source)
        ended = nbformat.from_dict({"output_type": "status", "execution_state": "idle"})
        self.messages = (
            {"msg_type": each.output_type, "parent_header": {"msg_id": source}, "content": each}
            for each in [*executed.outputs, ended]
        )
        return source

    def await_reply(self, msg_id, timeout):
        pass

    def get_message(self, stream, timeout):
        return next(self.messages)

    def await_idle(self, msg_id, timeout):
        pass


class RecordedNotebook(IPyNbFile):
    """A notebook for nbval, with the recording of its cells."""

    def get_sanitize_files(self):
        return [SANITIZERS]


def findings(request, path, executed) -> dict[int, str]:
    """What nbval says of a stored notebook, by number of code cell, when `executed` was printed."""
    notebook = RecordedNotebook.from_parent(request.session, path=path)
    notebook.kernel = Recording(executed)
    notebook.setup_sanitize_files()
    found = {}
    for number, cell in enumerate(notebook.collect()):
        try:
            if not cell.options["skip"]:
                cell.runtest()
        except NbCellError as error:
            found[number] = cell.repr_failure(pytest.ExceptionInfo.from_exception(error))
    return found


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_prints_what_is_stored_in_it(request, path):
    cache = get_cache(cache_folder(ROOT))
    try:
        record = cache.match_cache_notebook(nbformat.read(path, as_version=4))
    except KeyError:
        pytest.fail("This chapter has changed since the book was built: run `make book` first.")
    if found := findings(request, path, cache.get_cache_bundle(record.pk).nb):
        pytest.fail("\n".join(found.values()), pytrace=False)


# --- the comparison itself: a fault in what is stored must be found, as nbval with a kernel does --

PRINTED = nbformat.v4.new_output("stream", text="right\n")
RESULT = nbformat.v4.new_output("execute_result", data={"text/plain": "2"}, execution_count=1)
WARNING = nbformat.v4.new_output("stream", name="stderr", text="careful\n")
PICTURE = "from IPython.display import HTML\nHTML('<p>one<svg x=\"{}\"></svg></p>')"
STORED_PICTURE = nbformat.v4.new_output(
    "execute_result",
    data={
        "text/plain": "<IPython.core.display.HTML object>",
        "text/html": '<p>one<svg x="0.1"></svg></p>',
    },
)
WARNS = "import sys\nprint('right')\nprint('careful', file=sys.stderr)"
CELLS = {
    "the same": ("print('right')", [PRINTED], []),
    "another number": ("1 + 2", [RESULT], []),
    "a result that is ignored": ("1 + 3", [RESULT], ["nbval-ignore-output"]),
    "a cell that is skipped": ("1 + 4", [RESULT], ["nbval-skip"]),
    "after one that was skipped": ("print('wrong')", [PRINTED], []),
    "nothing printed": ("'right';", [PRINTED], []),
    "a line too many": ("print('right')\nprint('right')", [PRINTED], []),
    "a warning": (WARNS, [PRINTED], []),
    "a warning that is stored": (WARNS, [PRINTED, WARNING], []),
    "other coordinates": (PICTURE.format("0.2"), [STORED_PICTURE], []),
    "other words under them": (PICTURE.format("0.2").replace("one", "two"), [STORED_PICTURE], []),
    "an error": ("1 / 0", [], []),
    "an error that is expected": ("[][1]", [], ["raises-exception"]),
}  # fmt: skip
FAULTS = [
    "another number", "after one that was skipped", "nothing printed", "a line too many",
    "a warning", "other words under them", "an error", "an error that is expected",
]  # fmt: skip


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A notebook that stores something else than its cells print, and its recording."""
    path = tmp_path_factory.mktemp("faulty") / "faulty.ipynb"
    cells = [
        nbformat.v4.new_code_cell(
            source, outputs=outputs, metadata={"tags": tags}, execution_count=1
        )
        for source, outputs, tags in CELLS.values()
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(notebook, path)
    executed = nbformat.read(path, as_version=4)
    NotebookClient(executed, allow_errors=True).execute()
    return path, executed


def test_a_fault_in_what_is_stored_is_found(request, faulty):
    found = findings(request, *faulty)
    assert [list(CELLS)[number] for number in found] == FAULTS
    assert "Cell outputs differ" in found[1]
    assert "ZeroDivisionError" in found[list(CELLS).index("an error")]


def test_a_kernel_gives_the_same_findings(faulty):
    path, _ = faulty
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "-rf", "--rootdir", path.parent, "--nbval",
         "--nbval-current-env", "--nbval-sanitize-with", SANITIZERS, path],
        capture_output=True, text=True, check=False, cwd=path.parent,
    )  # fmt: skip
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    numbers = [int(line.split("Cell ")[1].split()[0]) for line in failed]
    assert [list(CELLS)[number] for number in numbers] == FAULTS


def test_a_cell_that_was_never_run_is_found(request, faulty):
    path, executed = faulty
    stored = nbformat.read(path, as_version=4)
    stored.cells[0].execution_count = None
    nbformat.write(stored, changed := path.with_name("changed.ipynb"))
    assert "Unrun reference cell has outputs" in findings(request, changed, executed)[0]
