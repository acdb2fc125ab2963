"""Archives as Canvas and Moodle make them: everybody is collected, or named, by the page's line."""

import csv
import datetime
import io
import logging
import re
import zipfile

import nbformat
import pytest
from jupyter_core.application import NoStart
from nbgrader.apps.nbgraderapp import NbGraderApp

from grading.course import identities

from .conftest import ASSIGNMENT, NAME, ROOT, Course

PAGE = (ROOT / "chapters/instructors.md").read_text()
(LINE,) = re.findall(r"^nbgrader (zip_collect .*)$", PAGE, re.MULTILINE)
(FOLDER,) = re.findall(r"`(downloaded/.*?)`", PAGE)
CLASS = [f"student{number:02}" for number in range(27)]


def put(course: Course, members: dict[str, str], name: str = "submissions.zip") -> None:
    folder = course.folder / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / name, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)


@pytest.fixture
def collect(course, monkeypatch):
    """Run what the page prints, in this process: its exit status, and what it says."""

    def run(*options: str) -> tuple[int, str]:
        monkeypatch.chdir(course.folder)
        app, log, status = NbGraderApp(), io.StringIO(), 0
        app.initialize([*LINE.split(), *options])
        handler = logging.StreamHandler(log)
        app.subapp.log.addHandler(handler)
        try:
            app.start()
        except NoStart:
            pass
        except SystemExit as ended:
            status = ended.code
        finally:
            app.subapp.log.removeHandler(handler)
            app.subapp.clear_instance()
        return status, log.getvalue()

    return run


def submitted(course: Course) -> dict[str, str]:
    paths = (course.folder / "submitted").glob(f"*/{ASSIGNMENT}/{NAME}")
    return {path.parts[-3]: path.read_text() for path in paths}


@pytest.mark.parametrize(
    ("path", "platform", "number", "name", "late", "own"),
    [
        ("a/muellerjane_12_34_x.ipynb", "Canvas", "12", "muellerjane", False, "x.ipynb"),
        ("a/muellerjane_LATE_12_34_x-1.ipynb", "Canvas", "12", "muellerjane", True, "x-1.ipynb"),
        ("müller_12_34_01_02_x.ipynb", "Canvas", "12", "müller", False, "01_02_x.ipynb"),
        ("LATE_anon_aB3_34_x.ipynb", "Canvas", "aB3", "anon_aB3", True, "x.ipynb"),
        ("smith_12_text.html", "Canvas", "12", "smith", False, "text.html"),
        ("J M_12_assignsubmission_file_/x.ipynb", "Moodle", "12", "J M", False, "x.ipynb"),
        ("z/J M_12_assignsubmission_file/s/x.ipynb", "Moodle", "12", "J M", False, "x.ipynb"),
        ("J M_12_assignsubmission_file_x_1_2_.ipynb", "Moodle", "12", "J M", False, "x_1_2_.ipynb"),
        ("M_1_assignsubmission_file_/B_2_assignsubmission_file_/x", "Moodle", "1", "M", False, "x"),
        ("J M_1_assignsubmission_onlinetext_/o.html", "Moodle", "1", "J M", False, "o.html"),
    ],
)
def test_names_of_both_platforms_are_read(path, platform, number, name, late, own):
    file = identities.read_name(path)
    found = file.origin
    assert (found.platform, found.number, found.name, found.late) == (platform, number, name, late)
    assert file.name == own
    assert path.endswith(found.place)


@pytest.mark.parametrize("path", ["x.ipynb", "ada_x.ipynb", "J M/x.ipynb", "12_34_x.ipynb"])
def test_other_names_are_nobodys(path):
    assert identities.read_name(path) is None


def test_all_of_a_class_are_collected_from_canvas(course, collect, released):
    text = nbformat.writes(released)
    with course.gradebook() as gradebook:
        gradebook.update_or_create_student("jm1", first_name="Jane", lms_user_id="900")
    members = {f"{name}_{100 + n}_{n}_{NAME}": text for n, name in enumerate(CLASS)}
    members |= {
        f"muellerjane_900_501_{NAME.replace('.', '-2.')}": text,  # in the roster
        f"oldandnew_901_502_{NAME}": "old",
        f"oldandnew_901_503_{NAME.replace('.', '-1.')}": "new",
        "oldandnew_901_504_plot.png": "picture",
        "oldandnew_901_505_check.py": "theirs",
        "oldandnew_901_508_timestamp.txt": "2020-01-01 00:00:00 UTC",  # never late
        f"smithjohn_LATE_902_506_{NAME}": text,
        f"smithjohn_903_507_{NAME}": "another John",
        "__MACOSX/._x": "",
    }
    put(course, members)
    status, log = collect()
    assert status == 0, log
    found = submitted(course)
    assert sorted(found) == sorted([*CLASS, "jm1", "oldandnew", "smithjohn", "smithjohn-902"])
    assert len(found) == 31
    assert "31 submissions collected, none left out." in log
    assert "Late, by their names in the archive: smithjohn-902\n" in log
    assert found["oldandnew"] == "new"
    kept = {p.name for p in (course.folder / "submitted/oldandnew" / ASSIGNMENT).iterdir()}
    assert kept == {NAME, f"502_{NAME}", "plot.png"}
    known = identities.collected(course.folder, ASSIGNMENT)
    assert known["jm1"].number == "900"
    assert [student for student, origin in known.items() if origin.late] == ["smithjohn-902"]

    # the other John hands in alone: he is who he was
    put(course, {f"smithjohn_902_600_{NAME}": "again"})
    status, log = collect()
    assert status == 1
    assert "Directory not empty" in log
    status, log = collect("--force")
    assert status == 0, log
    assert submitted(course)["smithjohn-902"] == "again"
    assert len(submitted(course)) == 31


def test_all_of_a_class_are_collected_from_moodle_with_their_times(course, collect, released):
    text = nbformat.writes(released)
    names = [*(f"Student {name[-2:]}" for name in CLASS), "Jane Müller", "Jane Müller",
             "Sean O'Brien", "王 芳"]  # fmt: skip
    put(course, {f"{n}_{i}_assignsubmission_file_/{NAME}": text for i, n in enumerate(names)})
    with course.gradebook() as gradebook:
        for number in (1, 2):
            gradebook.update_or_create_student(f"jm{number}", email=f"JM{number}@school.example")
    status, log = collect()
    assert status == 1
    assert len(submitted(course)) == 29
    assert "2 students who would all be 'Jane Müller'" in log
    assert "29 submissions collected, 1 not: see above." in log

    with open(course.folder / FOLDER / "Grades.csv", "w", encoding="utf-8-sig") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Identifier", "Full name", "Email address", "Status", "Grade",
                         "Maximum Grade", "Last modified (submission)"])  # fmt: skip
        for number, name in enumerate(names):
            email = f"jm{number - 26}@school.example" if "Jane" in name else ""
            when = f"Sunday, 4 January 2026, 3:{number:02} PM"
            writer.writerow([f"Participant {number}", name, email, "", "", "20.00", when])
    status, log = collect("--force")
    assert status == 0, log
    found = submitted(course)
    assert len(found) == 31
    assert {"jm1", "jm2", "Sean O'Brien", "王 芳"} < set(found)
    times = (course.folder / "submitted/jm2" / ASSIGNMENT / "timestamp.txt").read_text()
    local = datetime.datetime(2026, 1, 4, 15, 28).astimezone()
    assert datetime.datetime.fromisoformat(times).replace(tzinfo=datetime.UTC) == local


def test_what_is_not_collected_is_named_and_the_rest_is_collected(course, collect, released):
    course.hand_in("ada", b"by mail")
    status, log = collect()
    assert status == 1
    assert "Nothing is collected: there is no submission in" in log
    put(course, {
        f"ada_1_1_{NAME}": "{}",
        f"ben_2_2_{NAME}": nbformat.writes(released),
        "cyd_3_3_mine.zip": "PK",
        "dan_4_text.html": "My answer",
        "notes.ipynb": "{}",
    })  # fmt: skip
    (course.folder / FOLDER / "broken.zip").write_bytes(b"PK\x03\x04")
    status, log = collect()
    assert status == 1
    assert submitted(course) == {"ada": "by mail", "ben": nbformat.writes(released)}
    for sentence in (
        "'ada': it is in the folder of submissions already; --force replaces it.",
        "'cyd': there is no notebook, only 'mine.zip'.",
        "'dan': there is no notebook, only 'text.html'.",
        "'notes.ipynb', whose name is neither Canvas's nor Moodle's.",
        "broken.zip is left out: it is no archive.",
        "1 submission collected, 5 not",
    ):
        assert sentence in log
    assert list(identities.collected(course.folder, ASSIGNMENT)) == ["ben"]


def test_folders_that_a_student_hands_in_are_the_students_whatever_they_are_called(
    course, collect, released
):
    """A folder may be called like somebody else's submission; files of one name are all kept."""
    text = nbformat.writes(released)
    mal, bob, anna = (f"{name}_assignsubmission_file_" for name in ("Mal_1", "Bob_2", "Anna_3"))
    put(course, {
        f"{mal}/{NAME}": "mine",
        f"{mal}/{bob}/{NAME}": "planted",
        f"{mal}/a/d.py": "1",
        f"{mal}/b/d.py": "2",
        f"{mal}/c/d.py": "3",
        f"{mal}/a/\x1b[2J.txt": "4",
        f"{mal}/b/\x1b[2J.txt": "5",
        f"{mal}/a/{'x' * 255}": "6",
        f"{mal}/b/{'x' * 255}": "7",
        f"{mal}/{'ä' * 130}.txt": "8",
        f"{bob}/my__MACOSX/{NAME}": text,
        f"Y __MACOSX {anna}/{NAME}": text,
        f"__MACOSX/{anna}/{NAME}": "resources",
    })  # fmt: skip
    status, log = collect()
    assert status == 1
    assert submitted(course) == {"Mal": "mine", "Bob": text, "Y __MACOSX Anna": text}
    kept = (course.folder / "submitted" / "Mal" / ASSIGNMENT).iterdir()
    assert sorted(path.read_text() for path in kept if path.suffix == ".py") == ["1", "2", "3"]
    assert "planted" in {p.read_text() for p in (course.folder / "submitted/Mal").rglob("*.ipynb")}
    assert "Mal: 'd.py' is called like 'Mal_1_assignsubmission_file_/c/d.py', which is kept" in log
    assert "its name is too long." in log
    assert "'Mal': 'Mal_1_assignsubmission_file_/b/xxx" in log
    assert "3 submissions collected, 2 not" in log


def test_an_archive_that_a_student_hands_in_is_a_file_also_where_the_platforms_was_unpacked(
    course, collect, released
):
    """Its members may be called like somebody else's submission; it isn't opened."""
    text = nbformat.writes(released)
    folder = course.folder / "downloaded" / ASSIGNMENT / "archive"
    for place in ("malloryeve_202_5002_work.zip", "Mal_1_assignsubmission_file_/work.zip"):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(folder / place, "w") as archive:
            archive.writestr(f"doevictor_101_9999_{NAME}", "planted")
            archive.writestr(f"Bob_2_assignsubmission_file_/{NAME}", "planted")
            archive.writestr(NAME, text)
    (folder / f"doevictor_101_5001_{NAME}").write_text(text)
    status, log = collect()
    assert status == 1
    assert submitted(course) == {"doevictor": text}
    assert "'malloryeve': there is no notebook, only 'work.zip'" in log
    assert "'Mal': there is no notebook, only 'work.zip'" in log


def test_a_course_may_read_names_in_its_own_way(course, collect, released):
    with open(course.folder / "nbgrader_config.py", "a") as stream:
        stream.write(
            "\nc.FileNameCollectorPlugin.named_regexp = "
            r"r'.+/(?P<student_id>[a-z]+)-(?P<file_id>\w+)\.ipynb'"
        )
    put(course, {f"ada-{NAME}": nbformat.writes(released), f"ben_2_2_{NAME}": "{}"})
    status, log = collect()
    assert status == 0, log
    assert sorted(submitted(course)) == ["ada", "ben"]
