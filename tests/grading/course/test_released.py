"""When a record is out of date: after a change in anything that decides points, and only then."""

import shutil

import nbformat
import pytest

from grading.content.release import before_generating
from grading.course.assignment import released_from_source, version_key
from grading.course.nbgrader_plugin import before_grading, course_here
from grading.limits import SandboxLimits
from grading.running.kernel import Bounds

from .conftest import ASSIGNMENT, INSECURE, NAME, ROOT, cell

OTHERS = "grading/content/multi_head"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The code of the course, with folders of exercises for this assignment and another one."""
    root = tmp_path_factory.mktemp("tree")
    for folder in ("grading", "solutions"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
    for chapter in ("simple_attention", "multi_head"):
        folder = root / "grading/content" / chapter
        folder.mkdir(exist_ok=True)
        (folder / "an_exercise.py").write_text("EXERCISE = 1\n")
    return root


def key(tree) -> str:
    version_key.cache_clear()
    return version_key(ASSIGNMENT, tree)


@pytest.mark.parametrize(
    "decisive",
    [
        "grading/running/independence.py",
        "grading/running/sandbox/confine.py",
        "grading/course/submissions.py",
        "grading/content/__init__.py",
        "grading/content/simple_attention/an_exercise.py",
        "solutions/config.py",
        "solutions/positions.py",
    ],
)
def test_a_change_in_what_decides_points_makes_records_out_of_date(tree, decisive):
    before = key(tree)
    with open(tree / decisive, "a") as stream:
        stream.write("# corrected\n")
    assert key(tree) != before


def test_a_new_module_of_the_grader_makes_records_out_of_date(tree):
    before = key(tree)
    (tree / "grading/running/sandbox/another.py").touch()
    assert key(tree) != before


def test_a_change_in_the_exercises_of_another_assignment_does_not(tree):
    before = key(tree)
    (tree / OTHERS / "an_exercise.py").write_text("EXERCISE = 2\n")
    (tree / OTHERS / "another_exercise.py").touch()
    assert key(tree) == before


def test_other_limits_make_records_out_of_date_and_another_way_to_confine_does_not(source):
    usual = source.key(Bounds())
    assert source.key(Bounds(cell_seconds=7)) != usual
    assert source.key(Bounds(sandbox=SandboxLimits(memory=7))) != usual
    assert source.key(Bounds(confined=False)) == usual


@pytest.fixture
def with_other_points(course, monkeypatch):
    """A course whose instructor gave one exercise more points, and one fewer, in JupyterLab."""
    monkeypatch.chdir(course.folder)
    with course.gradebook() as gradebook:
        for name, points in (("weights_time_first-check", 6), ("padded_heads-check", 1)):
            cell = gradebook.find_grade_cell(name, "simple_attention", ASSIGNMENT)
            cell.max_score = points
        gradebook.db.commit()
    return course


WRONG_POINTS = (
    "weights_time_first has 6 points in its check cell and 3 in its description; "
    "padded_heads has 1 points in its check cell and 5 in its description."
)


def test_nothing_is_graded_while_a_notebook_promises_other_points(
    with_other_points, capsys, released
):
    from grading.commands import main

    with_other_points.hand_in("ada", released)
    assert main(["autograde", ASSIGNMENT, *INSECURE]) == 2
    said = capsys.readouterr().err
    assert WRONG_POINTS in said
    assert said.count("\n") == 1
    assert not (with_other_points.folder / "autograded").exists()


def test_nor_does_nbgrader_grade_or_release_it(with_other_points, released):
    with pytest.raises(SystemExit, match=f"Nothing is graded: {WRONG_POINTS}"):
        before_grading(ASSIGNMENT, "ada", [])
    source = with_other_points.folder / "exercises" / ASSIGNMENT / NAME
    notebook = nbformat.read(source, as_version=4)
    cell(notebook, "weights_time_first-check").metadata.nbgrader.points = 6
    cell(notebook, "padded_heads-check").metadata.nbgrader.points = 1
    nbformat.write(notebook, source)
    with pytest.raises(SystemExit, match=f"Nothing is released: {WRONG_POINTS}"):
        before_generating(ASSIGNMENT, ".", [str(source)])


def test_hooks_stand_where_nbgrader_looks_for_them(course, monkeypatch):
    monkeypatch.chdir(course.folder)
    config = course_here().config
    assert config.Autograde.pre_convert_hook == "grading.course.nbgrader_plugin.before_grading"
    assert config.GenerateAssignment.pre_convert_hook == "grading.content.release.before_generating"


def test_try_needs_no_course_to_know_what_is_released(source):
    own = released_from_source("01_simple_attention")
    shown = [(c.name, c.cell_type, c.source, c.locked, c.solution, c.points) for c in own.cells]
    assert shown == [
        (c.name, c.cell_type, c.source, c.locked, c.solution, c.points) for c in source.cells
    ]
