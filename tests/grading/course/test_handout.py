"""Variants as they are handed out and come back: to each student one, and graded as what it is."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import compute_checksum

from grading.content import exercises_of, release
from grading.content.release import RELEASED
from grading.course import assigned_variants
from grading.course.assignment import CourseNotReadyError, read_released
from grading.course.grade_class import AlreadyRunningError, exclusive_lock
from grading.course.grade_submission import explained, grade
from grading.course.handout import NotReleasedError, hand_out
from grading.course.repair import parse
from grading.course.submissions import Submission
from grading.exercise.variants import letter

from .conftest import ASSIGNMENT, NAME, Course, cell

STUDENTS = ["ada", "ben", "cyd", "dan", "eve", "fay"]


@pytest.fixture(scope="module")
def coursedir(new_course) -> CourseDirectory:
    course: Course = new_course()
    with course.gradebook() as gradebook:
        for student in STUDENTS:
            gradebook.update_or_create_student(student)
    return CourseDirectory(
        root=str(course.folder),
        source_directory="exercises",
        db_url=f"sqlite:///{course.folder}/gradebook.db",
        course_id="transformer",
    )


@pytest.fixture(scope="module")
def handed_out(coursedir, tmp_path_factory):
    return hand_out(coursedir, ASSIGNMENT, tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="module")
def assignment(coursedir, handed_out):
    """The assignment as it is graded, with variants."""
    base = read_released(coursedir, ASSIGNMENT)
    with_all = assigned_variants.with_variants(base, Path(coursedir.root), assigned_variants.OWN)
    return replace(with_all, secret=b"s" * 32)


def archive_of(handed_out, student):
    with zipfile.ZipFile(handed_out.folder / f"{student}.zip") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def notebook_of(handed_out, student):
    content = archive_of(handed_out, student)[f"{ASSIGNMENT}/{NAME}"]
    return nbformat.reads(content.decode(), as_version=4)


def one_with(handed_out, which):
    return next(s for s in STUDENTS if handed_out.given[s] == which)


def test_each_variant_is_dealt_to_as_many_and_stays_theirs(
    coursedir, handed_out, as_made, tmp_path
):
    assert handed_out.counts == {"A": 2, "B": 2, "C": 2}
    assert not handed_out.refused
    table = handed_out.table.read_text().splitlines()
    assert table == ["id,variant", *(f"{s},{handed_out.given[s]}" for s in STUDENTS)]
    again = hand_out(coursedir, ASSIGNMENT, tmp_path)
    assert again.given == handed_out.given
    for student in STUDENTS:
        name = f"{student}.zip"
        assert (again.folder / name).read_bytes() == (handed_out.folder / name).read_bytes()


@pytest.fixture
def as_made(coursedir, handed_out, monkeypatch):
    """Variants are made of the files that were made already, for that takes seconds."""
    folder = assigned_variants.folder_of(Path(coursedir.root), ASSIGNMENT)
    made = {
        number: {name: (folder / letter(number) / name).read_bytes() for name in RELEASED}
        for number in range(3)
    }
    monkeypatch.setattr(release, "released_files", lambda assignment, number: made[number])


@pytest.mark.parametrize("step", [1, 2])
def test_ended_at_any_moment_it_leaves_who_has_which(
    coursedir, as_made, tmp_path, monkeypatch, step
):
    root = Path(coursedir.root)
    path = assigned_variants.folder_of(root, ASSIGNMENT) / assigned_variants.GIVEN
    dealt = path.read_text()
    other = {student: (number + 1) % 3 for student, number in json.loads(dealt).items()}
    path.write_text(json.dumps(other))
    steps, usual = [], Path.rename

    def rename(self, target):
        steps.append(target)
        if len(steps) == step:
            raise KeyboardInterrupt
        return usual(self, target)

    try:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "rename", rename)
            with pytest.raises(KeyboardInterrupt):
                hand_out(coursedir, ASSIGNMENT, tmp_path)
        assert assigned_variants.given(root, ASSIGNMENT) == other
        base = read_released(coursedir, ASSIGNMENT)
        assert len(assigned_variants.with_variants(base, root, assigned_variants.OWN).variants) == 3
        again = hand_out(coursedir, ASSIGNMENT, tmp_path)
        assert again.given == {student: letter(number) for student, number in other.items()}
        assert [p.name for p in path.parent.parent.iterdir()] == [ASSIGNMENT]
    finally:
        path.write_text(dealt)


def test_two_at_once_are_refused(coursedir, as_made, tmp_path):
    with (
        exclusive_lock(Path(coursedir.root)),
        pytest.raises(AlreadyRunningError, match="Another run works on this course already"),
    ):
        hand_out(coursedir, ASSIGNMENT, tmp_path)


def test_variant_a_is_what_is_released_to_all_and_the_others_have_cells_of_their_own(
    coursedir, handed_out
):
    released = Path(coursedir.root, "release", ASSIGNMENT)
    plain = archive_of(handed_out, one_with(handed_out, "A"))
    assert plain == {f"{ASSIGNMENT}/{p.name}": p.read_bytes() for p in released.iterdir()}
    for which, bug in (("B", "is_padding[:1]"), ("C", "scale=math.sqrt(key.size(-1))")):
        student = one_with(handed_out, which)
        notebook = notebook_of(handed_out, student)
        assert bug in cell(notebook, "broken").source
        for each in notebook.cells:
            assert each.metadata.nbgrader.checksum == compute_checksum(each)
        assert (
            archive_of(handed_out, student)[f"{ASSIGNMENT}/check.py"]
            == (plain[f"{ASSIGNMENT}/check.py"])
        )


def submitted(handed_out, student, of, **answers):
    notebook = notebook_of(handed_out, of)
    for name, text in answers.items():
        cell(notebook, f"{name}-answer").source = text
    return Submission(student, {NAME: nbformat.writes(notebook).encode()})


def cells(submission):
    return parse(submission.notebooks[NAME], [])


def test_a_notebook_of_another_variant_is_told_and_graded_as_the_instructor_says(
    assignment, handed_out
):
    ada, other = one_with(handed_out, "B"), one_with(handed_out, "C")
    for of, told in ((ada, False), (other, True)):
        notes: list[str] = []
        sheet = submitted(handed_out, ada, of)
        judged = assigned_variants.judged_as(assignment, ada, cells(sheet), notes)
        assert letter(judged.variant) == "B"
        assert (
            notes
            == [
                "This notebook is variant C of the assignment, but you were given variant B. It is "
                "graded as variant B."
            ]
            * told
        )
    lenient = replace(assignment, another=assigned_variants.HANDED_IN)
    notes = []
    judged = assigned_variants.judged_as(lenient, ada, cells(sheet), notes)
    assert letter(judged.variant) == "C"
    assert notes[0].endswith("graded as variant C.")


def test_a_notebook_without_the_course_s_cells_is_graded_as_the_student_s_own(
    assignment, handed_out
):
    ada, notes = one_with(handed_out, "B"), []
    assert letter(assigned_variants.judged_as(assignment, ada, [], notes).variant) == "B"
    assert notes == []
    reason = explained(Submission(ada), assignment, "The file is empty.").notebook
    assert "is_padding[:1]" in reason


def test_bugs_that_are_left_are_those_of_the_student_s_variant(assignment, handed_out, usual):
    ada = one_with(handed_out, "B")
    left = cell(notebook_of(handed_out, ada), "broken").source.partition("\n\n\n")[0]
    left = left.replace("broken_attention", "repaired_attention").replace("0.1", "0.0")
    result = grade(submitted(handed_out, ada, ada, repaired_attention=left), assignment, usual)
    (verdict,) = (v for v in result.exercises if v["exercise"] == "repaired_attention")
    assert verdict["points"] == 1
    assert verdict["mistakes"] == ["first_sentence_mask_and_scale_d_k"]
    assert "Two bugs are still there: every sentence is masked like the first" in verdict["message"]
    assert "is_padding[:1]" in result.notebook


def test_records_hang_on_the_variants_and_on_what_another_one_counts(assignment, usual):
    plain = replace(assignment, variants=(), given={}, another="")
    lenient = replace(assignment, another=assigned_variants.HANDED_IN)
    keys = {each.key(usual) for each in (plain, assignment, lenient)}
    assert len(keys) == 3


def test_variants_of_an_earlier_release_are_refused(coursedir, assignment):
    first, *others = assignment.cells
    changed = replace(assignment, cells=(replace(first, source="Corrected."), *others))
    with pytest.raises(CourseNotReadyError, match="made from an earlier release: run"):
        assigned_variants.with_variants(changed, Path(coursedir.root), assigned_variants.OWN)


def test_what_is_missing_is_said(coursedir, handed_out, new_course, tmp_path):
    with pytest.raises(NotReleasedError, match=r"No exercise of 10_modern_decoder has variants\."):
        hand_out(coursedir, "10_modern_decoder", tmp_path)
    with pytest.raises(NotReleasedError, match="run `nbgrader generate_assignment 02_multi_head`"):
        hand_out(coursedir, "02_multi_head", tmp_path)
    folder = new_course().folder
    empty = CourseDirectory(root=str(folder), db_url=f"sqlite:///{folder}/gradebook.db")
    with pytest.raises(NotReleasedError, match="has no students: run `nbgrader db student import"):
        hand_out(empty, ASSIGNMENT, tmp_path)


def test_the_public_cases_of_a_variant_know_its_mistakes(coursedir, handed_out):
    folder = assigned_variants.folder_of(Path(coursedir.root), ASSIGNMENT)
    assert json.loads((folder / assigned_variants.GIVEN).read_text()).keys() == set(STUDENTS)
    cases = {which: (folder / which / RELEASED[1]).read_bytes() for which in "ABC"}
    assert len(set(cases.values())) == 3
    (hunt,) = (e for e in exercises_of(ASSIGNMENT, 1) if e.broken)
    assert "first_sentence_mask_and_scale_d_k" in {mistake.id for mistake in hunt.mistakes}
