"""Folders as students leave them: read as bytes, nothing dangerous opened, nobody forgotten."""

import datetime
import logging
import os
import resource
import time
from unittest import mock

import pytest
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory

from grading.course import nbgrader_plugin, submissions
from grading.limits import SubmissionLimits


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "submitted" / "ada" / "01_x"
    folder.mkdir(parents=True)
    (folder / "x.ipynb").write_text("{}")
    return folder


def read(folder, student="ada"):
    return submissions.read(student, folder, [".ipynb_checkpoints"])


def test_notebook_and_files_are_read_as_bytes(folder):
    (folder / "data").mkdir()
    (folder / "data" / "naïve.csv").write_text("1")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / "x.ipynb").write_text("old")
    submission = read(folder)
    assert submission.notebooks == {"x.ipynb": b"{}"}
    assert submission.files == {"data/naïve.csv": b"1"}
    assert submission.notes == []


def test_links_devices_and_huge_files_are_left_out_with_a_note(folder):
    (folder / "passwords").symlink_to("/etc/passwd")
    (folder / "all").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    with open(folder / "huge.bin", "wb") as stream:
        stream.truncate(500_000_000)
    submission = read(folder)
    assert submission.notebooks == {"x.ipynb": b"{}"}
    assert submission.files == {}
    said = " ".join(submission.notes)
    for part in (
        "passwords is a link",
        "all is a link",
        "pipe is no plain",
        "huge.bin is too larg",
    ):
        assert part in said


def test_folders_and_files_whose_names_are_no_text_are_left_out_with_a_note(folder):
    for name in (b"\xfcbung", b"\x1b[2J"):  # the first as an old Windows zip leaves it
        os.mkdir(os.path.join(os.fsencode(folder), name))
        with open(os.path.join(os.fsencode(folder), name, b"x.txt"), "w") as stream:
            stream.write("1")
        (folder / os.fsdecode(name + b".txt")).touch()
    submission = read(folder)
    assert submission.notebooks == {"x.ipynb": b"{}"}
    assert submission.files == {}
    assert len(submission.notes) == 4
    assert all(note.isprintable() and "left out" in note for note in submission.notes)
    assert "\\udcfcbung has characters in its name that are no text" in submission.notes[-2]
    assert submission.hash()


def test_a_notebook_in_a_folder_is_not_graded_and_the_reason_says_where_it_is(folder):
    (folder / "mine").mkdir()
    (folder / "x.ipynb").rename(folder / "mine" / "x.ipynb")
    assert "found mine/x.ipynb, expected it outside of all folders" in read(folder).problem
    (folder / "x.ipynb").touch()
    assert read(folder).problem == ""


def test_a_notebook_of_500_mb_is_not_read(folder):
    with open(folder / "x.ipynb", "wb") as stream:
        stream.truncate(500_000_000)
    submission = read(folder)
    assert submission.notebooks == {}
    assert submission.notes == ["x.ipynb is too large (477 MiB) and was not read."]


def test_files_without_number_are_bounded(folder):
    for number in range(SubmissionLimits.files + 50):
        (folder / f"f{number}").touch()
    submission = read(folder)
    assert len(submission.files) + len(submission.notebooks) <= SubmissionLimits.files
    assert "Only 200" in submission.notes[0]


@pytest.mark.parametrize("level", [0, 1])
def test_a_folder_that_is_a_link_is_refused(folder, level):
    link = [folder.parent / "y", folder.parents[1] / "eve"][level]
    link.symlink_to([folder, folder.parent][level])
    submission = read([link, link / folder.name][level], "eve")
    assert "is a link" in submission.problem
    assert submission.notebooks == {}


@pytest.mark.parametrize(
    "student",
    ["..", "a/../b", "<script>alert(1)</script>", "a\nb", " a", "x" * 129, "a\udcff", "'; --", ""],
)
def test_an_id_that_is_no_name_is_refused(folder, student):
    submission = read(folder, student)
    assert "cannot be used" in submission.problem or "128" in submission.problem
    assert not submission.gradable
    assert submission.student.isprintable()
    assert len(submission.student) <= 128


@pytest.mark.parametrize("student", ["ada", "Zoë Müller", "a.b+c@d-e_f", "学生", "12345"])
def test_an_ordinary_id_is_taken(folder, student):
    assert read(folder, student).problem == ""


def test_every_student_is_found_whatever_the_folder_is_called(tmp_path):
    names = ["ada", "a b", "[abc]", "-rf", "x\ny", "Zoë", "*"]
    for name in names:
        (tmp_path / "submitted" / name / "01_x").mkdir(parents=True)
    (tmp_path / "submitted" / "other" / "02_y").mkdir(parents=True)
    found = submissions.find(CourseDirectory(root=str(tmp_path)), "01_x")
    assert sorted(found) == sorted(names)
    assert found["[abc]"] == tmp_path / "submitted" / "[abc]" / "01_x"


def test_any_change_changes_the_hash(folder):
    hashes = {read(folder).hash()}
    (folder / "timestamp.txt").write_text("2026-01-01 00:00:00 UTC")
    hashes.add(read(folder).hash())
    (folder / "x.ipynb").write_text("{ }")
    hashes.add(read(folder).hash())
    (folder / "link").symlink_to("x.ipynb")
    hashes.add(read(folder).hash())
    assert len(hashes) == 4
    assert read(folder).hash() in hashes


def test_a_notebook_is_found_among_thousands_of_files(folder):
    for number in range(5_000):
        (folder / f"a{number}.png").touch()
    submission = read(folder)
    assert submission.notebooks == {"x.ipynb": b"{}"}
    assert len(submission.files) < SubmissionLimits.files


def test_a_notebook_is_large_by_what_it_holds_beside_its_texts(folder):
    picture = "a" * 30_000_000
    honest = '{"cells": [{"outputs": [{"data": {"image/png": "' + picture + '\\"\\\\"}}]}]}'
    (folder / "x.ipynb").write_text(honest)
    assert read(folder).notebooks == {"x.ipynb": honest.encode()}
    assert submissions.read_notebook(folder / "x.ipynb") == honest.encode()
    (folder / "x.ipynb").write_text('{"cells": [' + "[]," * 8_000_000 + "[]]}")
    assert read(folder).notebooks == {}
    with pytest.raises(submissions.UnreadableError, match="too large"):
        submissions.read_notebook(folder / "x.ipynb")


def test_quotes_without_end_cost_no_time(folder):
    hostile = b'"' + b'\\"' * (SubmissionLimits.notebook_bytes // 2)
    (folder / "x.ipynb").write_bytes(hostile)
    begin = time.process_time()
    assert read(folder).notebooks == {"x.ipynb": hostile}
    assert submissions.read_notebook(folder / "x.ipynb") == hostile
    assert time.process_time() - begin < 5


def test_many_short_texts_cost_no_memory(folder):
    (folder / "x.ipynb").write_bytes(b'"a' * (SubmissionLimits.outputs_bytes // 2))
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    assert read(folder).notebooks == {}
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KiB
    assert more * 1024 < 3 * SubmissionLimits.outputs_bytes
    assert time.process_time() - begin < 5


def test_what_is_called_a_notebook_and_is_none_is_told(folder):
    (folder / "y.ipynb").mkdir()
    (folder / "z.ipynb").symlink_to("z.ipynb")
    os.mkfifo(folder / "w.ipynb")
    for name in ("y", "z", "w", "absent"):
        with pytest.raises(submissions.UnreadableError):
            submissions.read_notebook(folder / f"{name}.ipynb")


def test_nbgrader_copies_of_a_submission_what_can_be_read_without_harm(folder, caplog):
    """Before, a link to an endless file filled the disk, and a name that is no text cost all."""
    (folder / "data").mkdir()
    (folder / "data" / "a.csv").write_text("1")
    (folder / "big.bin").symlink_to("/dev/zero")
    (folder / "passwords").symlink_to("/etc/passwd")
    (folder / "timestamp.txt").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    with open(os.fsencode(folder) + b"/\xff\x1b[2J.txt", "w") as stream:
        stream.write("x")
    coursedir = CourseDirectory(root=str(folder.parents[2]))
    converter = nbgrader_plugin.Autograde(coursedir=coursedir)
    converter.log = logging.getLogger("test")
    nbgrader_plugin._copy_submitted(converter, "01_x", "ada")
    copies = folder.parents[2] / "autograded" / "ada" / "01_x"
    found = {str(p.relative_to(copies)) for p in copies.rglob("*") if not p.is_dir()}
    assert found == {"data/a.csv"}
    assert caplog.text.count("left out") == 5
    assert all(line.isprintable() for line in caplog.text.splitlines())


def test_a_course_may_release_files_through_links(folder):
    root = folder.parents[2]
    source = root / "source" / "." / "01_x"
    source.mkdir(parents=True)
    (root / "data.csv").write_text("1")
    (source / "data.csv").symlink_to(root / "data.csv")
    converter = GenerateAssignment(coursedir=CourseDirectory(root=str(root)))
    nbgrader_plugin._copy_submitted(converter, "01_x", ".")
    assert (root / "release" / "01_x" / "data.csv").read_text() == "1"


@pytest.mark.parametrize("content", ["2026-01-01 10:00:00 +0200", "yesterday", "", None, "/", "|"])
def test_a_time_is_read_for_nbgrader_whatever_is_called_like_its_file(folder, content):
    path = folder / "timestamp.txt"
    if content is None:
        path.symlink_to("/dev/zero")
    elif content == "/":
        path.mkdir()
    elif content == "|":
        os.mkfifo(path)
    else:
        path.write_text(content)
    found = CourseDirectory(root=str(folder)).get_existing_timestamp(str(folder))
    assert found == (datetime.datetime(2026, 1, 1, 8) if content and "2026" in content else None)


def test_what_nbgrader_logs_obeys_nobody():
    for message, args, shown in (
        ("Copying %s", ("\x1b[2J\x07x\u202e.txt",), r"Copying \x1b[2J\x07x\u202e.txt"),
        ("Zoë: %s %d%%", ("plain", 5), "Zoë: plain 5%"),
        ("Traceback\n  line\x9b", (), "Traceback\n  line\\x9b"),
    ):
        record = logging.LogRecord("x", logging.INFO, "", 0, message, args, None)
        assert nbgrader_plugin.PrintableLog().filter(record)
        assert record.getMessage() == shown


def test_files_are_found_as_nbgrader_finds_them_but_for_links_to_nowhere(folder, monkeypatch):
    from nbgrader import utils

    (folder / "data.v1").mkdir()
    for name in ("a.csv", ".hidden", "b.pyc", "data.v1/c.csv", "data.v1/.ipynb", "y.ipynb"):
        (folder / name).touch()
    (folder / "deep.ipynb").mkdir()
    (folder / "deep.ipynb" / "d.csv").touch()
    (folder / "link").symlink_to("a.csv")
    for ignore in (None, [], ["*.ipynb", "*.pyc"], [".*", "data*"]):
        theirs = utils.find_all_files(str(folder), ignore)
        assert sorted(submissions.find_all_files(str(folder), ignore)) == sorted(theirs)
    (folder / "round").symlink_to("round")
    (folder / "away").symlink_to("nowhere")
    names = {os.path.basename(f) for f in submissions.find_all_files(str(folder), [])}
    assert not names & {"round", "away"}


@pytest.mark.parametrize(
    ("asked", "students"),
    [
        ("*", ["*", "[x] Eve", "adam"]),
        ("[x] Eve", ["[x] Eve"]),
        ("a*", ["adam"]),
        ("adam", ["adam"]),
    ],
)
def test_to_nbgrader_the_name_of_a_student_finds_no_other(tmp_path, asked, students):
    for student in ("*", "[x] Eve", "adam"):
        folder = tmp_path / "submitted" / student / "01_x"
        folder.mkdir(parents=True)
        (folder / "x.ipynb").touch()
    coursedir = CourseDirectory(root=str(tmp_path), assignment_id="01_x", student_id=asked)
    step = nbgrader_plugin.nbgrader_base.BaseConverter(coursedir=coursedir)
    with mock.patch.object(type(step), "_input_directory", "submitted"):
        step.init_notebooks()
    folders = [tmp_path / "submitted" / student / "01_x" for student in students]
    assert step.assignments == {str(f): [str(f / "x.ipynb")] for f in folders}
