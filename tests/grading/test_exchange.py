"""What comes in through an exchange counts for whoever made it, and cannot end the collection.

That Linux tells students apart is tried on a hub: `tests/hub`.
"""

import os
import pwd
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from grading.limits import SubmissionLimits
from grading.platforms import exchange
from grading.platforms.exchange import CollectFromOwners

ASSIGNMENT = "01_simple_attention"


@pytest.fixture(scope="module")
def gradebook(tmp_path_factory):
    """An empty gradebook, which nbgrader makes with a program of its own in a second."""
    path = tmp_path_factory.mktemp("empty") / "gradebook.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
        with Gradebook(f"sqlite:///{path}", "transformer"):
            pass
    return path


@pytest.fixture
def inbound(tmp_path):
    folder = tmp_path / "exchange" / "transformer" / "inbound"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def hand_in(inbound):
    """Put a submission into the exchange under a student's name."""

    def make(name, day, text=""):
        folder = inbound / f"{name}+{ASSIGNMENT}+2026-10-0{day} 12:00:00.000000 UTC+x"
        folder.mkdir()
        (folder / "work.ipynb").write_text(text or f"of {name}, day {day}")
        return folder

    return make


@pytest.fixture
def collected(tmp_path, monkeypatch, gradebook):
    """Collect, as if each folder had been made by whom its name begins with, or by `made`."""

    def collect(made=None, check_owner=True):
        def owner(self, path):
            folder = os.path.basename(path)
            return (made or {}).get(folder, folder.partition("+")[0])

        monkeypatch.setattr(CollectFromOwners, "owner", owner)
        config = Config()
        config.CourseDirectory.root = str(tmp_path)
        config.CourseDirectory.course_id = "transformer"
        config.CourseDirectory.assignment_id = ASSIGNMENT
        config.CourseDirectory.max_dir_size = 10  # kB
        config.CourseDirectory.db_url = f"sqlite:///{gradebook}"
        config.Exchange.root = str(tmp_path / "exchange")
        config.CollectFromOwners.check_owner = check_owner
        CollectFromOwners(coursedir=CourseDirectory(config=config), config=config).start()
        files = (tmp_path / "submitted").glob("*/*/*")
        return {
            f"{path.parts[-3]}/{path.name}": path.read_text() for path in files if path.is_file()
        }

    return collect


def test_the_last_submission_of_each_is_collected(hand_in, collected):
    for name, day in (("ada", 1), ("ada", 3), ("ada", 2), ("emmy", 1)):
        hand_in(name, day)
    assert collected() == {"ada/work.ipynb": "of ada, day 3", "emmy/work.ipynb": "of emmy, day 1"}


def test_a_submission_in_another_name_counts_for_whoever_made_it(hand_in, collected):
    hand_in("emmy", 1)
    forged = hand_in("emmy", 2, "by ada")
    assert collected(made={forged.name: "ada"}) == {
        "ada/work.ipynb": "by ada",
        "emmy/work.ipynb": "of emmy, day 1",
    }


def test_where_all_share_an_account_the_name_can_be_believed(hand_in, collected):
    handed_in = hand_in("emmy", 1)
    assert collected(made={handed_in.name: "jovyan"}, check_owner=False) == {
        "emmy/work.ipynb": "of emmy, day 1"
    }


def test_nothing_comes_along_that_a_link_leads_to(tmp_path, inbound, hand_in, collected):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "gradebook.txt").write_text("secret")
    folder = hand_in("ada", 1)
    (folder / "file.txt").symlink_to(tmp_path / "secret" / "gradebook.txt")
    (folder / "folder").symlink_to(tmp_path / "secret")
    later = f"ada+{ASSIGNMENT}+2026-10-09 12:00:00.000000 UTC+x"
    (inbound / later).symlink_to(tmp_path / "secret")
    assert collected() == {"ada/work.ipynb": "of ada, day 1"}


def test_what_cannot_be_copied_does_not_keep_the_others(inbound, hand_in, collected):
    (hand_in("ada", 1) / "large").write_text("x" * 20_000)
    (inbound / f"carl+{ASSIGNMENT}+2026-10-01 12:00:00.000000 UTC+x").symlink_to("/")
    hand_in("emmy", 1)
    assert collected() == {"emmy/work.ipynb": "of emmy, day 1"}


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_becomes_a_link_while_it_is_copied_is_not_followed(
    tmp_path, hand_in, collected, monkeypatch, kind
):
    """Exchanged at the worst moment: after the folder was looked through, before it is copied."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "secret.txt").write_text("secret")
    folder = hand_in("ada", 1)
    (folder / "folder").mkdir()
    (folder / "folder" / "secret.txt").write_text("own")
    (folder / "secret.txt").write_text("own")

    def exchange_for_a_link(*_):
        path = folder / {"file": "secret.txt", "folder": "folder"}[kind]
        if not path.is_symlink():
            path.rename(tmp_path / "own")
            path.symlink_to(tmp_path / "secret" / ("secret.txt" if kind == "file" else ""))
        return []

    monkeypatch.setattr(exchange, "ignore_patterns", lambda *_: exchange_for_a_link)
    taken = {"ada/work.ipynb": "of ada, day 1"}
    assert collected() == taken | ({"ada/secret.txt": "own"} if kind == "folder" else {})
    copies = (tmp_path / "submitted").rglob("secret.txt")
    assert {path.read_text() for path in copies} <= {"own"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another account")
def test_a_file_of_another_account_stays_behind(hand_in, collected):
    folder = hand_in("ada", 1)
    for path in (folder, folder / "work.ipynb"):
        os.chown(path, 70001, 70001)
    (folder / "hard link").write_text("secret")
    assert collected() == {"ada/work.ipynb": "of ada, day 1"}


def test_what_is_no_plain_file_stays_behind_and_the_rest_comes(tmp_path, hand_in, collected):
    folder = hand_in("ada", 1)
    os.mkfifo(folder / "pipe")
    folder.joinpath(*["d"] * 30).mkdir(parents=True)
    assert collected() == {"ada/work.ipynb": "of ada, day 1"}
    (copy,) = (tmp_path / "submitted").glob("ada/*")
    assert len(list(copy.rglob("d"))) == SubmissionLimits.depth


def test_a_copy_has_no_rights_that_a_student_chose(tmp_path, hand_in, collected):
    (hand_in("ada", 1) / "work.ipynb").chmod(0o4755)
    collected()
    (copy,) = (tmp_path / "submitted").rglob("work.ipynb")
    assert not copy.stat().st_mode & 0o7111


@pytest.mark.parametrize("odd", ["no time", "a link to nowhere", "gone"])
def test_an_odd_name_does_not_keep_the_others(inbound, hand_in, collected, monkeypatch, odd):
    time = "x" if odd == "no time" else "2026-10-01 12:00:00.000000 UTC"
    path = inbound / f"carl+{ASSIGNMENT}+{time}+x"
    if odd == "a link to nowhere":
        path.symlink_to("nowhere")
    else:
        path.mkdir()
    hand_in("emmy", 1)
    if odd == "gone":
        usual = CollectFromOwners.copy_files

        def after_it_went(self):
            path.rmdir()
            usual(self)

        monkeypatch.setattr(CollectFromOwners, "copy_files", after_it_went)
    assert collected() == {"emmy/work.ipynb": "of emmy, day 1"}


def test_whoever_made_a_folder_is_its_owner(hand_in):
    owner = CollectFromOwners().owner(str(hand_in("ada", 1)))
    assert owner == pwd.getpwuid(os.getuid()).pw_name
