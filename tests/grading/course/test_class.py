"""A class of broken and hostile submissions in one run: everybody gets points or a reason.

The same folder is graded by our command and by plain `nbgrader autograde`.
"""

import copy
import csv
import json
import shutil

import nbformat
import pytest

from .conftest import ASSIGNMENT, NAME, WRONG_SCALE, cell
from .test_sanitise import PNG, Active

FULL = 18.0
HTML = "<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1))"
SHOWS_HTML = """
from IPython.display import HTML, Javascript, SVG, display
display(HTML("<script>alert(1)</script>"), Javascript("alert(1)"))
display({"image/svg+xml": "<svg onload=alert(1)>"}, raw=True)
display({"image/png": 'x" onerror="alert(1)'}, raw=True)
print("<script>alert(1)</script>")
def telling_input():
    raise ValueError("<script>alert(1)</script>")
"""


def with_metadata(notebook, change):
    for one in notebook.cells:
        change(one.metadata)
    return notebook


def submissions(solved) -> dict:
    """Student to notebook, file bytes, or a pair of file name and either."""
    found = {}

    def of(student):
        found[student] = copy.deepcopy(solved)
        return found[student]

    of("right")
    cell(of("wrong"), "weights_time_first-answer").source = WRONG_SCALE
    cell(of("exits"), "padded_heads-answer").source = "import os\nos._exit(1)"
    doubled = of("doubled")
    doubled.cells.append(copy.deepcopy(cell(doubled, "merge_halves-check")))
    deleted = of("deleted")
    deleted.cells = [c for c in deleted.cells if not c.metadata.nbgrader.grade]
    of("turned").cells.reverse()
    with_metadata(of("stripped"), dict.clear)
    with_metadata(of("newer"), lambda m: m.nbgrader.update(schema_version=99))
    with_metadata(of("skips"), lambda m: m.update(tags=["skip-execution"]))
    of("other-kernel").metadata.kernelspec = {"name": "ir", "language": "R", "display_name": "R"}
    warns = cell(of("warns"), "weights_time_first-answer")
    warns.source = f"import sys\nprint('careful', file=sys.stderr)\n{warns.source}"
    hostile = of("hostile")
    cell(hostile, "why_root").source = HTML
    cell(hostile, "telling_input-answer").source = SHOWS_HTML
    hostile.cells.append(nbformat.v4.new_raw_cell(HTML))
    hostile.cells.append(nbformat.v4.new_markdown_cell("![x](attachment:missing.png)"))
    hostile.metadata.title = "</title><script>alert(1)</script>"
    whole = nbformat.writes(solved)
    found["truncated"] = whole[: len(whole) // 2].encode()
    found["latin-1"] = whole.replace("query, key", "query, key", 1).encode("latin-1", "replace")
    found["renamed"] = ("mine (1).ipynb", found["right"])
    found["absent"] = ("notes.txt", b"I forgot")
    return found


POINTS = {
    "right": FULL, "wrong": FULL - 3, "exits": FULL - 5, "doubled": FULL, "deleted": FULL,
    "turned": FULL, "stripped": FULL, "newer": FULL, "skips": FULL, "other-kernel": FULL,
    "warns": FULL, "hostile": FULL - 3, "truncated": 0, "latin-1": FULL, "renamed": FULL,
    "absent": 0, "linked": 0, "folder-link": 0, "huge": 0, "Zoë M.": FULL,
}  # fmt: skip


@pytest.fixture(scope="module")
def handed_in(new_course, solved, tmp_path_factory):
    course = new_course()
    for student, notebook in submissions(solved).items():
        name, notebook = notebook if isinstance(notebook, tuple) else (NAME, notebook)
        course.hand_in(student, notebook, name)
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.txt"
    secret.write_text("the reference")
    folder = course.hand_in("linked", b"", "notes.txt")
    (folder / NAME).symlink_to(course.folder / "submitted" / "right" / ASSIGNMENT / NAME)
    (folder / "stolen.txt").symlink_to(secret)
    (course.folder / "submitted" / "folder-link").symlink_to("right")
    with open(course.hand_in("huge", b"") / NAME, "wb") as stream:
        stream.truncate(500_000_000)
    course.hand_in("Zoë M.", copy.deepcopy(solved))
    course.hand_in("<b>", copy.deepcopy(solved))
    (course.folder / "submitted" / "right" / ASSIGNMENT / "timestamp.txt").write_text(
        "2026-01-02 03:04:05 UTC"
    )
    # a time that is none stops plain nbgrader
    (course.folder / "submitted" / "warns" / ASSIGNMENT / "timestamp.txt").write_text("once")
    return course


@pytest.fixture(scope="module")
def graded(handed_in):
    done = handed_in.autograde("--jobs", "2", "--json")
    handed_in.report = json.loads(done.stdout)
    handed_in.status = done.returncode
    handed_in.records = {record["student"]: record for record in handed_in.report["records"]}
    handed_in.nbgrader("generate_feedback", ASSIGNMENT)
    handed_in.nbgrader("export")
    return handed_in


def test_the_run_ends_well_and_everybody_has_a_record(graded):
    assert graded.status == 0
    assert graded.report["complete"]
    assert set(graded.records) == {*POINTS, "<b>"}


def test_everybody_gets_what_is_due(graded):
    assert {s: r["points"] for s, r in graded.records.items()} == {**POINTS, "<b>": 0}
    assert graded.points() == POINTS


@pytest.mark.parametrize(
    ("student", "reason"),
    [
        ("truncated", "it ends too early"),
        ("absent", "There is no notebook: expected simple_attention.ipynb."),
        ("linked", "There is no notebook"),
        ("folder-link", "is a link"),
        ("huge", "There is no notebook"),
        ("<b>", "cannot be used"),
    ],
)
def test_who_gets_nothing_is_told_why(graded, student, reason):
    record = graded.records[student]
    assert record["status"] in ("explained", "refused")
    assert reason in record["problem"]
    if student != "<b>":
        page = graded.feedback(student)
        assert reason in page


@pytest.mark.parametrize(
    ("student", "note"),
    [
        ("renamed", "mine (1).ipynb was graded instead"),
        ("deleted", "were missing and were put back"),
        ("turned", "Cells had been moved"),
        ("linked", "stolen.txt is a link; it is left out."),
        ("huge", "is too large (477 MiB)"),
        ("latin-1", "The file is not UTF-8"),
    ],
)
def test_what_was_repaired_is_said(graded, student, note):
    assert note in " ".join(graded.records[student]["notes"])


def test_mistakes_are_counted(graded):
    counted = {(m["exercise"], m["mistake"]): m["submissions"] for m in graded.report["mistakes"]}
    assert counted["weights_time_first", "no_scale"] == 1


def test_the_gradebook_is_as_nbgrader_leaves_it(graded):
    with graded.gradebook() as gradebook:
        submission = gradebook.find_submission(ASSIGNMENT, "right")
        assert submission.timestamp.isoformat() == "2026-01-02T03:04:05"
        grades = {g.name: g for n in submission.notebooks for g in n.grades}
        assert [name for name, g in grades.items() if g.needs_manual_grade] == ["why_root"]
        assert grades["why_root"].auto_score is None
        absent = gradebook.find_submission(ASSIGNMENT, "absent")
        assert not absent.needs_manual_grade
        comments = {c.name: c.auto_comment for n in absent.notebooks for c in n.comments}
        assert set(comments.values()) == {"No response."}
    with open(graded.folder / "grades.csv") as stream:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(stream)}
    assert scores == POINTS


def test_no_file_is_taken_through_a_link(graded):
    assert not (graded.autograded("linked") / "stolen.txt").exists()
    names = {path.name for path in graded.autograded("right").iterdir()}
    assert names == {NAME, "check.py", "cases.safetensors.gz", "timestamp.txt"}


def test_nothing_in_a_feedback_page_is_active(graded):
    page = graded.feedback("hostile")
    head, _, body = page.partition("</head>")
    assert Active(body).found == []
    assert "alert(1)" in body  # as text: in the answer's code and in the report
    assert "default-src 'none'" in head.partition("<style")[0]
    plain = graded.feedback("right").partition("</head>")[2]
    assert Active(plain).found == []


def test_a_picture_of_the_student_is_shown(released, source):
    from grading.course import repair, sanitise

    notebook = copy.deepcopy(released)
    why = cell(notebook, "why_root")
    why.source = "![mine](attachment:mine.png)"
    why.attachments = {"mine.png": {"image/png": PNG, "text/html": "<script>"}}
    notes = []
    cells = repair.parse(nbformat.writes(notebook).encode(), notes)
    repaired = repair.repaired(cells, source, notes)
    sanitise.markdown(repaired)
    assert cell(repaired, "why_root").source == why.source
    assert cell(repaired, "why_root").attachments == {"mine.png": {"image/png": PNG}}


def test_plain_nbgrader_gives_the_same_grades(graded, new_course):
    # Two things it cannot: a notebook of another name, and an id that is no name.
    other = new_course()
    some = ["wrong", "deleted", "turned", "stripped", "newer", "truncated", "hostile", "linked"]
    for student in some:
        shutil.copytree(
            graded.folder / "submitted" / student, other.folder / "submitted" / student,
            symlinks=True,
        )  # fmt: skip
    # hidden cases are drawn from the secret of a course
    shutil.copytree(graded.folder / ".grading", other.folder / ".grading", dirs_exist_ok=True)
    (other.folder / "due_dates.toml").write_text(
        f"[due]\n{ASSIGNMENT} = 2026-01-01\n[extensions.{ASSIGNMENT}]\nturned = 2026-01-03\n"
    )
    for student in ("wrong", "turned"):
        time = other.folder / "submitted" / student / ASSIGNMENT / "timestamp.txt"
        time.write_text("2026-01-02 12:00:00 UTC")
    with open(other.folder / "nbgrader_config.py", "a") as stream:
        stream.write("\nc.LatePenalty.percent_a_day = 10\n")
    done = other.run("nbgrader", "autograde", ASSIGNMENT)
    assert done.returncode == 0, done.stdout + done.stderr
    with other.gradebook() as gradebook:
        found = gradebook.assignment_submissions(ASSIGNMENT)
        penalties = {s.student_id: s.late_submission_penalty for s in found}
    assert penalties == dict.fromkeys(some, 0) | {"wrong": 1.5}
    assert other.grades() == {student: graded.grades()[student] for student in some}
    assert not (other.autograded("linked") / "stolen.txt").exists()
    for student in ("turned", "hostile"):
        ours, theirs = (
            [(c.source, c.get("outputs")) for c in nbformat.read(path / NAME, as_version=4).cells]
            for path in (graded.autograded(student), other.autograded(student))
        )
        assert ours == theirs
