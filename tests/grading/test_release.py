"""What a student receives: the released files are current, work alone, and hold no reference."""

import json
import re
import shutil
import subprocess
import sys
import textwrap

import nbformat
import pytest

from grading import appendix, check, release
from grading.content import assignments


@pytest.mark.parametrize("assignment", assignments())
def test_the_public_files_are_what_the_content_module_makes(assignment):
    assert release.stale_files(assignment) == []


def test_a_changed_public_file_is_noticed(tmp_path, monkeypatch):
    shutil.copytree(release.EXERCISES_FOLDER, tmp_path / "exercises")
    monkeypatch.setattr(release, "EXERCISES_FOLDER", tmp_path / "exercises")
    folder = tmp_path / "exercises" / "01_simple_attention"
    (folder / "check.py").write_text("def check(name): pass\n")
    cases = check.unpack((folder / "cases.safetensors").read_bytes())
    cases["merge_halves"]["cases"][0]["expected"]["value"][1][0] += 1.0
    (folder / "cases.safetensors").write_bytes(check.pack(cases))
    assert sorted(release.stale_files("01_simple_attention")) == [
        "01_simple_attention/cases.safetensors",
        "01_simple_attention/check.py",
    ]


def test_the_appendix_lists_what_the_content_modules_hold():
    assert appendix.PAGE.read_text(encoding="utf-8") == appendix.matrix_page()


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
        chapter = release.EXERCISES_FOLDER.parent / "chapters" / f"{assignment}.ipynb"
        cells = nbformat.read(chapter, as_version=4).cells
        lines = [line for c in cells if c.cell_type == "markdown" for line in c.source.split("\n")]
        headings = {line.lstrip("# ") for line in lines if line.startswith("#")}
        for exercise in exercises:
            sections = [exercise.section, *(m.section for m in exercise.mistakes if m.section)]
            for section in sections:
                names = re.findall("“(.*?)”", section)
                assert names
                assert set(names) <= headings


@pytest.fixture
def student_folder(tmp_path):
    """An assignment as it lies on a student's machine, far from the repository."""
    for path in release.beside_the_notebook("01_simple_attention"):
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
    assert "✓ weights_time_first: All 6 cases are right. (3 of 3 points)" in done.stdout
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
    assert "CheckFailed: weights_time_first: 6 of 6 cases are wrong." in done.stderr


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
