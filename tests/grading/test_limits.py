"""Limits: what is set takes effect, options outweigh the file, and the page says what is true."""

import dataclasses
import time
from pathlib import Path

import nbformat
import pytest
from nbgrader.apps.baseapp import NbGrader
from traitlets.config import Config

from grading import limits
from grading.check import values
from grading.commands import main
from grading.content.release import EXERCISES_FOLDER, released_paths
from grading.course.nbgrader_plugin import GradeFromOutside
from grading.limits import ArchiveLimits, NotebookLimits, ReturnedLimits, SandboxLimits
from grading.platforms.archives import BoundedExtractor
from grading.running import sandbox
from grading.running.kernel import Bounds, SubmissionKernel
from grading.running.sandbox import kernel_manager

ASSIGNMENT = "01_simple_attention"
ROOT = EXERCISES_FOLDER.parent
CONFINED, _ = sandbox.available()
INSECURE = [] if CONFINED else ["--insecure"]
needs_sandbox = pytest.mark.skipif(not CONFINED, reason="this machine has no sandbox")


def configured(**classes: dict) -> Bounds:
    """What a submission may use where `nbgrader_config.py` says this."""
    return GradeFromOutside(config=Config(classes)).bounds()


@pytest.fixture
def course(tmp_path, monkeypatch):
    """An empty course; returns a way to write its `nbgrader_config.py`."""
    monkeypatch.chdir(tmp_path)

    def write(*lines: str) -> None:
        Path("nbgrader_config.py").write_text("\n".join(["c = get_config()", *lines]))

    return write


# ---- In nbgrader_config.py ---------------------------------------------------------------------


@pytest.mark.parametrize("limit", [f.name for f in dataclasses.fields(NotebookLimits)])
def test_every_limit_of_a_notebook_can_be_set(limit):
    assert getattr(configured(GradeFromOutside={limit: 7}), limit) == 7
    assert getattr(configured(), limit) == getattr(NotebookLimits(), limit)


@pytest.mark.parametrize("limit", [f.name for f in dataclasses.fields(SandboxLimits)])
def test_every_limit_of_the_sandbox_can_be_set(limit):
    bounds = configured(SandboxProvisioner={limit: 7})
    assert bounds.sandbox == SandboxLimits(**{limit: 7})
    in_a_container = {"GradeFromOutside": {"container": "image"}, "LimitedProvisioner": {limit: 8}}
    bounds = configured(**in_a_container, ContainerProvisioner={limit: 9})
    assert bounds.sandbox == SandboxLimits(**{limit: 9})


@pytest.mark.parametrize("limit", [f.name for f in dataclasses.fields(ArchiveLimits)])
def test_every_limit_of_an_archive_can_be_set(limit):
    extractor = BoundedExtractor(config=Config(BoundedExtractor={limit: 7}))
    assert getattr(extractor, limit) == 7


@pytest.mark.parametrize("holder", ["GradeFromOutside", "Execute", "ExecutePreprocessor"])
def test_nbgraders_own_name_sets_the_time_of_a_cell(holder):
    assert configured(**{holder: {"timeout": 7}}).cell_seconds == 7
    assert configured(GradeFromOutside={"timeout": 7, "cell_seconds": 8}).cell_seconds == 8


def test_an_endless_loop_is_stopped_after_the_time_that_is_set(notebook_with):
    notebook = notebook_with()
    notebook.cells.insert(0, nbformat.v4.new_code_cell("while True:\n    pass"))
    for cell in notebook.cells:
        cell.metadata.setdefault("nbgrader", {})
    config = Config(GradeFromOutside={"timeout": 1, "insecure": not CONFINED})
    grader = GradeFromOutside(config=config)
    nbgrader = {"assignment": ASSIGNMENT, "student": "ada"}
    resources = {"nbgrader": nbgrader, "metadata": {"path": str(EXERCISES_FOLDER / ASSIGNMENT)}}
    grader.preprocess(notebook, resources)
    assert "did not finish in the time" in notebook.cells[0].outputs[-1].text
    checks = [c for c in notebook.cells if c.metadata.nbgrader.get("grade") and "outputs" in c]
    assert sum(float(c.outputs[0].data["text/plain"]) for c in checks) == 18


def test_a_cell_has_the_seconds_that_are_set():
    bounds = dataclasses.replace(
        configured(GradeFromOutside={"cell_seconds": 1}), confined=CONFINED
    )
    with SubmissionKernel(released_paths(ASSIGNMENT), bounds) as kernel:
        begin = time.monotonic()
        assert kernel.run_cell("while True: pass").status == "timeout"
        assert 1 <= time.monotonic() - begin < 20


OPEN_FILES = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[1])"


@needs_sandbox
def test_a_kernel_has_the_limits_that_are_set():
    bounds = configured(SandboxProvisioner={"open_files": 77})
    with SubmissionKernel(bounds=bounds) as kernel:
        assert kernel.run_cell(OPEN_FILES).outputs[0].text == "77\n"


@needs_sandbox
@pytest.mark.parametrize(
    ("given", "found"), [(None, "77"), (SandboxLimits(open_files=88), "88")], ids=["no", "own"]
)
def test_a_kernel_of_another_program_has_them_too_unless_it_asks_for_others(given, found):
    from jupyter_client.manager import KernelManager

    manager = kernel_manager(given, manager_class=KernelManager)
    manager.update_config(Config(SandboxProvisioner={"open_files": 77}))
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        printed = []
        client.execute_interactive(
            OPEN_FILES, output_hook=lambda m: printed.append(m["content"].get("text", ""))
        )
        assert "".join(printed).strip() == found
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


# ---- On the command line -----------------------------------------------------------------------


def try_loop(capsys, notebook_with, *options: str) -> str:
    loop = "import time\ntime.sleep(600)\n\ndef telling_input():\n    return ()"
    nbformat.write(notebook_with(telling_input=loop), "mine.ipynb")
    assert main(["try", ASSIGNMENT, "mine.ipynb", *INSECURE, *options]) == 0
    return capsys.readouterr().out


def test_try_obeys_the_file_of_the_course(course, capsys, notebook_with):
    course("c.GradeFromOutside.cell_seconds = 1", f"c.GradeFromOutside.insecure = {not CONFINED}")
    begin = time.monotonic()
    assert "15 of 18 points" in try_loop(capsys, notebook_with)
    assert time.monotonic() - begin < 2 * NotebookLimits.cell_seconds


def test_options_outweigh_the_file(course):
    from grading.course.nbgrader_plugin import bounds_of, course_here

    course(
        "c.GradeFromOutside.cell_seconds = 5",
        "c.GradeFromOutside.call_seconds = 6",
        "c.GradeFromOutside.container = 'image'",
        "c.LimitedProvisioner.memory = 7",
        "c.LimitedProvisioner.threads = 8",
    )
    typed = {"cell_seconds": 0.5, "call_seconds": None, "memory": 512 * 2**20}
    bounds = bounds_of(course_here(), typed)
    assert (bounds.cell_seconds, bounds.call_seconds) == (0.5, 6)
    assert (bounds.sandbox.memory, bounds.sandbox.threads) == (512 * 2**20, 8)
    assert (bounds.confined, bounds.container) == (True, "image")
    bounds = bounds_of(course_here(), typed, insecure=True)
    assert (bounds.confined, bounds.container) == (False, "")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("c.GradeFromOutside.timeout = -1", "found -1, expected seconds for a cell"),
        ("c.GradeFromOutside.timeout = None", "found None, expected seconds for a cell"),
        ("c.GradeFromOutside.cell_seconds = 0", "cell_seconds"),
        ("c.SandboxProvisioner.memory = '2 GB'", "memory"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_a_sentence(
    course, capsys, notebook_with, line, sentence
):
    course(line)
    nbformat.write(notebook_with(), "mine.ipynb")
    assert main(["try", ASSIGNMENT, "mine.ipynb"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("python -m grading: nbgrader_config.py: ")
    assert sentence in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "value"), [("--cell-seconds", "0"), ("--cell-seconds", "x"), ("--memory", "2 T")]
)
def test_an_option_that_cannot_be_is_refused(capsys, option, value):
    assert main(["autograde", ASSIGNMENT, option, value]) == 2
    assert f"Invalid value for '{option}': found '{value}', expected" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["try", "autograde"])
def test_help_tells_the_limits_with_their_defaults(capsys, command):
    assert main([command, "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "--cell-seconds N" in told
    assert "(default: 30, or what nbgrader_config.py says)" in told
    assert "(default: 2 GiB, or what nbgrader_config.py says)" in told


# ---- What is said of them ----------------------------------------------------------------------


def test_the_chapter_for_instructors_has_the_tables_of_all_limits():
    page = (ROOT / "chapters" / "instructors.md").read_text()
    assert limits.settable_table() in page, limits.settable_table()
    assert limits.fixed_table() in page, limits.fixed_table()


def test_every_limit_is_in_one_of_the_tables():
    subjects = set(limits.Limits.__subclasses__())
    assert subjects == {*limits.SETTABLE, *limits.FIXED}


def test_the_settings_of_the_table_are_traits_that_can_be_set():
    holders = {"GradeFromOutside", "SandboxProvisioner", "BoundedExtractor"}
    assert set(limits.SETTABLE.values()) == holders
    for kind, holder in ((NotebookLimits, GradeFromOutside), (ArchiveLimits, BoundedExtractor)):
        traits = holder.class_traits(config=True)
        for limit in dataclasses.fields(kind):
            assert traits[limit.name].help == limits.reason(limit)


def test_what_a_student_receives_has_the_same_limits():
    assert ReturnedLimits.value_bytes == values.MAX_BYTES
    assert ReturnedLimits.sentence_characters == values.MAX_SENTENCE


def test_nbgrader_itself_reads_the_settings(course):
    course("c.GradeFromOutside.cell_seconds = 5")
    app = NbGrader()
    app.initialize([])
    assert GradeFromOutside(parent=app).cell_seconds == 5
