"""The stock round trip: release, three submissions, autograde, feedback, export."""

import copy
import csv
import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from grading.course.secret import LENGTH, secret_if_any

ASSIGNMENT = "01_simple_attention"

WRONG = {
    # no scale: 0 of 3 points
    "weights_time_first": """
def weights_time_first(query, key):
    return torch.einsum("qbd,kbd->bqk", query, key).softmax(-1)
""",
    # NaN where a sentence is all padding: 4 of 5
    "padded_heads": """
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.mT / query.size(-1) ** 0.5
    if attention_mask is not None:
        scores = scores.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    return scores.softmax(-1) @ value
""",
    # kills the kernel: 0 of 4, and nothing for the others to lose
    "merge_halves": "import os\n\n\ndef merge_halves(*halves):\n    os._exit(1)\n",
}

RIGHT = {
    "repaired_attention": """
def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding[:, None])
""",
    "telling_input": """
def telling_input():
    matrices = [[1, 0], [0, 2]], [[2, 1], [0, 3]], [[1], [0]]
    return [torch.tensor(matrix).double() for matrix in matrices]
""",
}


def nbgrader(course: Path, *command: str) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *command],
        cwd=course, env=environment, capture_output=True, text=True, timeout=800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def graded(tmp_path_factory, solved) -> Path:
    """A course in which a solved, an empty and a wrong submission went all the way."""
    root = Path(__file__).parents[2]
    course = tmp_path_factory.mktemp("course")
    shutil.copy(root / "nbgrader_config.py", course)
    made = shutil.ignore_patterns("check.py", "*.gz")  # nbgrader makes them when it needs them
    shutil.copytree(root / "exercises", course / "exercises", ignore=made)
    nbgrader(course, "generate_assignment", ASSIGNMENT)
    released = course / "release" / ASSIGNMENT
    empty = nbformat.read(released / "simple_attention.ipynb", as_version=4)
    wrong = copy.deepcopy(empty)
    for cell in wrong.cells:
        name = cell.metadata.nbgrader.grade_id.removesuffix("-answer")
        cell.source = {**RIGHT, **WRONG}.get(name, cell.source)
    for student, notebook in {"solved": solved, "empty": empty, "wrong": wrong}.items():
        folder = course / "submitted" / student / ASSIGNMENT
        shutil.copytree(released, folder)
        nbformat.write(notebook, folder / "simple_attention.ipynb")
    nbgrader(course, "autograde", ASSIGNMENT)
    nbgrader(course, "generate_feedback", ASSIGNMENT)
    nbgrader(course, "export")
    return course


def test_the_release_holds_stubs_and_no_solution(graded):
    text = (graded / "release" / ASSIGNMENT / "simple_attention.ipynb").read_text()
    assert text.count("raise NotImplementedError()") == 5
    assert "YOUR ANSWER HERE" in text
    for secret in ("BEGIN SOLUTION", "lse_a - finite", "Model answer", "masked_fill("):
        assert secret not in text


def test_the_release_holds_no_reference_code(graded):
    files = [path for path in (graded / "release" / ASSIGNMENT).iterdir()]
    assert sorted(path.name for path in files) == [
        "cases.safetensors.gz", "check.py", "simple_attention.ipynb",
    ]  # fmt: skip
    for path in files:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        text = content.decode("utf-8", "replace")
        assert "from solutions" not in text
        assert "import solutions" not in text


def test_each_submission_gets_exactly_what_it_deserves(graded):
    with open(graded / "grades.csv") as stream:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(stream)}
    assert scores == {"solved": 18, "empty": 0, "wrong": 4 + 3 + 3}


def test_hidden_cases_are_drawn_from_the_secret_of_the_course(graded):
    assert len(secret_if_any(graded)) == LENGTH


def feedback(course: Path, student: str) -> str:
    return (course / "feedback" / student / ASSIGNMENT / "simple_attention.html").read_text()


def test_the_feedback_explains_the_mistakes(graded):
    page = feedback(graded, "wrong")
    assert "without dividing the scores by √d_k" in page
    assert "A sentence that is all padding gives NaN" in page
    assert "ended the whole Python process" in page
    assert "All 6 cases are right." in feedback(graded, "solved")


def test_neither_solutions_nor_hidden_numbers_are_in_the_feedback(graded):
    page = feedback(graded, "wrong")
    for secret in ("Model answer", "lse_a - finite", "solutions.simple_attention"):
        assert secret not in page


def test_the_written_answer_waits_for_a_person(graded):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{graded}/gradebook.db", "transformer") as gradebook:
        submission = gradebook.find_submission(ASSIGNMENT, "solved")
        waiting = [g.name for n in submission.notebooks for g in n.grades if g.needs_manual_grade]
        assert waiting == ["why_root"]
        empty = gradebook.find_submission(ASSIGNMENT, "empty")
        assert not empty.needs_manual_grade
