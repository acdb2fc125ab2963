"""What a student receives: the released files are current, work alone, and hold no reference."""

import ast
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import textwrap

import nbformat
import pytest

from grading import check
from grading.check import bundle, call
from grading.content import assignments, release
from grading.errors import ExplainedError
from grading.exercise.edits import edited
from grading.proof import appendix


@pytest.mark.parametrize("assignment", assignments())
def test_the_check_that_was_made_is_what_would_be_made_now(assignment):
    """`make` decides by times; this decides by content."""
    check_file, _ = release.released_paths(assignment)
    assert check_file.read_text() == release.released_check(assignment)


def test_making_cases_again_gives_the_same(tmp_path, monkeypatch):
    name = "05_positions"
    one, other = (release.released_files(name)[check.CASES] for _ in range(2))
    assert one == other
    student_check, made = release.released_paths(name)
    spec = importlib.util.spec_from_file_location("released_check", student_check)
    released = importlib.util.module_from_spec(spec)  # it has the judges that cases name
    monkeypatch.setitem(sys.modules, spec.name, released)
    spec.loader.exec_module(released)
    (tmp_path / check.CASES).write_bytes(one)
    made, now = (released.load_cases(path) for path in (made, tmp_path / check.CASES))
    for exercises in (made, now):
        for exercise in exercises.values():
            del exercise["outcomes"]  # their order may depend on the last digit
            for case in exercise["cases"]:
                case.update({r: case[r].__name__ for r in {"validator", "judge"} & set(case)})
    assert check.difference(made, now, tolerance=1e-4) is None  # another machine rounds otherwise


def test_what_is_missing_is_said_with_the_command_that_makes_it(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "EXERCISES_FOLDER", tmp_path)
    with pytest.raises(ExplainedError, match="run `make exercises` first"):
        release.released_paths("01_simple_attention")


def test_nothing_that_stays_outside_enters_a_kernel():
    inside = bundle.one_file("", bundle.RUNS_BESIDE)
    for word in ("grade_outcomes", "def difference", "Verdict", "class Report", "predictions"):
        assert word not in inside


def test_two_modules_that_define_one_name_are_not_joined():
    with pytest.raises(ValueError, match=r"Both grading.check.call and .* define"):
        bundle.one_file("", (call, call))


def test_the_pages_on_what_the_grader_knows_show_each_mistake_and_what_it_changes():
    for assignment, exercises in assignments().items():
        page, short = (appendix.page_of(assignment, shown) for shown in (True, False))
        mistakes = [mistake for exercise in exercises for mistake in exercise.mistakes]
        assert page.count("class='mistake'") == short.count("class='mistake'") == len(mistakes)
        edits = [mistake for mistake in mistakes if not callable(mistake.mutation)]
        assert page.count("```diff\n") == len(edits)
        assert "```" not in short


def test_what_the_notebook_says_of_an_exercise_is_what_its_description_says():
    for assignment, exercises in assignments().items():
        notebook = read(assignment)
        for number, exercise in enumerate(exercises, start=1):
            text = notebook[f"{exercise.id}-text"]
            dots = "●" * exercise.difficulty + "○" * (3 - exercise.difficulty)
            assert text.startswith(f"## {number}. ")
            assert (
                f"*Difficulty {dots} · about {exercise.minutes} minutes · {exercise.points} points*"
                in text
            )
            assert text.split("\n")[0].partition(". ")[2] == exercise.title


def test_a_bug_hunt_repairs_the_code_that_is_released():
    hunts = [(a, e) for a, exercises in assignments().items() for e in exercises if e.broken]
    assert len(hunts) == sum(
        e.id.lower().startswith("repaired") for es in assignments().values() for e in es
    )
    for assignment, exercise in hunts:
        bugs = [m.mutation for m in exercise.mistakes if m.id in exercise.broken]
        assert len(bugs) == len(exercise.broken)
        broken = edited(exercise.source, [edit for edits in bugs for edit in edits])
        cells = read(assignment)
        names = list(cells)
        given = cells[names[names.index(f"{exercise.id}-hints") - 1]]
        assert bare(broken) == bare(given), exercise.id


def test_every_exercise_has_its_cells_in_the_notebook_and_its_points():
    for assignment, exercises in assignments().items():
        (path,) = (release.EXERCISES_FOLDER / assignment).glob("*.ipynb")
        notebook = nbformat.read(path, as_version=4)
        points = {
            cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.get("points")
            for cell in notebook.cells
        }
        for exercise in exercises:
            assert points[exercise.check_cell] == exercise.points
            assert exercise.answer_cell in points


def test_the_sections_to_read_again_are_headings_of_the_chapter():
    for assignment, exercises in assignments().items():
        pages = release.EXERCISES_FOLDER.parent.glob(f"chapters/{assignment[:2]}_*.ipynb")
        cells = [cell for page in pages for cell in nbformat.read(page, as_version=4).cells]
        lines = [line for c in cells if c.cell_type == "markdown" for line in c.source.split("\n")]
        headings = {line.lstrip("# ") for line in lines if line.startswith("#")}
        for exercise in exercises:
            sections = [exercise.section, *(m.section for m in exercise.mistakes if m.section)]
            for section in sections:
                names = re.findall("“(.*?)”", section)
                assert names
                assert set(names) <= headings


def test_an_exercise_says_what_to_read_first():
    for assignment, exercises in assignments().items():
        text = "\n".join(read(assignment).values())
        for exercise in exercises:
            assert f"\n\nRead first: {exercise.section}.\n" in text


def read(assignment: str) -> dict[str, str]:
    """The cells of an assignment's notebook by their names."""
    (path,) = (release.EXERCISES_FOLDER / assignment).glob("*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in cells}


def bare(code: str) -> str:
    """The definitions of a text without docstrings, annotations and their own names."""
    tree = ast.parse(code)
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    names = {node.name: f"definition {number}" for number, node in enumerate(tree.body)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.name = names.get(node.name, node.name)
            if ast.get_docstring(node) is not None:
                del node.body[0]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return ast.unparse(tree)


@pytest.fixture
def student_folder(tmp_path):
    """An assignment as it lies on a student's machine, far from the repository."""
    for path in release.released_paths("01_simple_attention"):
        shutil.copy(path, tmp_path)
    return tmp_path


def run_as_student(folder, code: str) -> subprocess.CompletedProcess:
    # -S and the explicit path leave out what makes the repository importable
    script = folder / "notebook.py"
    script.write_text(
        "import sys\n"
        f"sys.path[:] = [{str(folder)!r}, *{json.dumps(sys.path[1:])}]\n"
        "sys.path = [p for p in sys.path if 'site-packages' in p or 'python3' in p or "
        f"p == {str(folder)!r}]\n"
        "import torch, math\nfrom check import check\n" + textwrap.dedent(code)
    )
    command = [sys.executable, "-S", str(script)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=600)


def test_check_accepts_a_right_answer_without_any_reference_code(student_folder):
    done = run_as_student(
        student_folder,
        """
        def weights_time_first(query, key):
            scores = torch.einsum("qbd,kbd->bqk", query, key) / math.sqrt(query.size(-1))
            return scores.softmax(-1)
        check("weights_time_first")
        print([name for name in sys.modules if name.startswith(("solutions", "grading"))])
        """,
    )
    assert done.returncode == 0, done.stderr
    assert "✓ weights_time_first: All 7 cases are right. (3 of 3 points)" in done.stdout
    assert done.stdout.rstrip().endswith("[]")


def test_check_names_the_mistake_and_stops_without_a_traceback_of_ours_in_a_notebook(
    student_folder,
):
    done = run_as_student(
        student_folder,
        """
        def weights_time_first(query, key):
            return torch.einsum("qbd,kbd->bqk", query, key).softmax(-1)
        check("weights_time_first")
        """,
    )
    assert done.returncode == 1
    assert "Likely mistake: These are the numbers you get without dividing" in done.stdout
    assert "CheckFailed: weights_time_first: 6 of 7 cases are wrong." in done.stderr


def test_check_explains_an_exercise_that_has_no_single_answer(student_folder):
    done = run_as_student(
        student_folder,
        """
        def telling_input():
            return torch.tensor([[3.0]]), torch.tensor([[1.0], [2.0]]), torch.eye(2)
        check("telling_input")
        """,
    )
    assert "With d_k = 1 the scale is 1" in done.stdout


def test_check_says_which_exercises_there_are(student_folder):
    done = run_as_student(student_folder, "check('wieghts')")
    assert "its exercises are merge_halves, padded_heads," in done.stderr
