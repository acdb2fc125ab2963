"""A class on a hub, from the release of an assignment to the second grading, in a browser.

The instructor works in formgrader, within JupyterLab; students work in JupyterLab and nbgrader's
list of assignments. What does not go through the browser runs in a kernel of the person's own
server: the second grading, which is `python -m grading autograde` as one would type it in a
terminal, and whatever tries to get at something. It takes minutes: `make test-hub`.
"""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.hub, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
ASSIGNMENT = "01_simple_attention"
NOTEBOOK = "simple_attention.ipynb"
WRONG = """def weights_time_first(query, key):
    return torch.einsum("qbd,kbd->bqk", query, key).softmax(-1)
"""
RIGHT = WRONG.replace("query, key).softmax", "query, key).div(query.size(-1) ** 0.5).softmax")


class Formgrader:
    """Formgrader, as it stands in a frame of the instructor's JupyterLab."""

    def __init__(self, instructor):
        instructor.page.goto(f"{instructor.server}/lab?reset")
        instructor.choose("open-formgrader")
        self.page = instructor.page
        self.frame = instructor.page.frame_locator("#formgrader-iframe iframe")

    def _row(self, text):
        return self.frame.locator("tbody tr").filter(has_text=text)

    def _press(self, row, what):
        """Press a button of a row, and wait until what it does is done; return what is said."""
        row.locator(f".{what} a").click()
        said = self.frame.locator(".modal.in .modal-body")
        said.wait_for(timeout=240_000)
        text = said.inner_text()
        assert re.search(r"success", text, re.IGNORECASE), text
        self.frame.locator(".modal.in .modal-footer button.close").click()
        expect(self.frame.locator(".modal.in")).to_have_count(0)
        return text

    def assignment(self, *buttons):
        """Press buttons in the row of the assignment."""
        for what in buttons:
            self._press(self._row(ASSIGNMENT), what)

    def autograde(self, student):
        """Grade one student's submission; return the score that the table then shows."""
        self._row(ASSIGNMENT).locator(".num-submissions a").click()
        row = self._row(student)
        self._press(row, "autograde")
        return row.locator(".score").inner_text()

    def grade_by_hand(self, points, comment):
        """Give points for the written answer of the only submission, with a comment."""
        self.frame.locator("a").filter(has_text="Manual Grading").click()
        for link in (rf"^\s*{ASSIGNMENT}\s*$", r"^\s*simple_attention\s*$", "Submission #1"):
            self.frame.locator("tbody a").filter(has_text=re.compile(link)).click()
        for field, text, kind in (("", points, "grade"), ("-comment", comment, "comment")):
            self.frame.locator(f"#why_root{field}").fill(text)
            with self.page.expect_response(re.compile(f"formgrader/api/{kind}/")) as saved:
                self.frame.locator(f"#why_root{field}").blur()
            assert saved.value.ok
        return self.frame.locator("body").inner_text()


class AssignmentList:
    """nbgrader's list of assignments, in a student's JupyterLab."""

    def __init__(self, student):
        student.page.goto(f"{student.server}/lab?reset")
        student.choose("open-assignment-list")
        self.page = student.page

    def rows(self, name):
        return self.page.locator(f"#{name}_assignments_list > .list_item")

    def press(self, name, button):
        """Press a button in the row of the assignment, in the list of this name."""
        row = self.rows(name).filter(has_text=ASSIGNMENT)
        with self.page.expect_response(re.compile("/assignments/(fetch|submit)")) as answered:
            row.locator(f'.item_status button:text-is("{button}")').first.click()
        assert answered.value.ok, answered.value.text()


def write(student, code, words=None):
    """Write into the cells of the first and of the last exercise, in JupyterLab, and save."""
    student.open(f"{ASSIGNMENT}/{NOTEBOOK}")
    page = student.page
    cells = page.locator(".jp-Notebook .jp-Cell")

    def replace(cell, text):
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(text)

    replace(cells.filter(has_text="def weights_time_first"), code)
    if words:
        cell = cells.filter(has_text="YOUR ANSWER HERE")
        cell.locator(".jp-MarkdownOutput").dblclick()
        replace(cell, words)
    page.keyboard.press("Control+s")
    page.locator("text=Saving completed").wait_for()


def feedback(student):
    """Open the newest page of feedback that this student has fetched; return its text."""
    pattern = f"{ASSIGNMENT}/feedback/*/*.html"
    path = student.run(f"import glob; print(max(glob.glob({pattern!r})))").strip()
    student.page.goto(f"{student.server}/files/{path}")
    return student.page.locator("body").inner_text()


@pytest.fixture(scope="module")
def graded(people):
    """Ada hands in a wrong answer, reads what is wrong with it, and hands in a right one."""
    instructor, ada = people["instructor"], people["ada"]
    seen = {}
    Formgrader(instructor).assignment("assign", "release")

    AssignmentList(ada).press("released", "Fetch")
    write(ada, WRONG, "The variance of a dot product grows with its length.")
    ada.page.locator(".jp-NotebookPanel-toolbar >> text=Validate").click()
    results = ada.page.locator(".jp-Dialog").filter(has_text="Validation Results")
    seen["validation"] = results.inner_text(timeout=120_000)
    AssignmentList(ada).press("fetched", "Submit")

    formgrader = Formgrader(instructor)
    formgrader.assignment("collect")
    seen["first score"] = formgrader.autograde("ada")
    seen["page for grading"] = formgrader.grade_by_hand("1.5", "Of which variance?")
    Formgrader(instructor).assignment("generate-feedback", "release-feedback")
    AssignmentList(ada).press("submitted", "Fetch Feedback")
    seen["feedback"] = feedback(ada)

    write(ada, RIGHT)
    AssignmentList(ada).press("fetched", "Submit")
    Formgrader(instructor).assignment("collect")
    seen["second grading"] = instructor.run(
        "import subprocess, sys\n"
        f"line = [sys.executable, '-m', 'grading', 'autograde', {ASSIGNMENT!r}]\n"
        "done = subprocess.run(line, cwd='course', capture_output=True, text=True)\n"
        "print(done.returncode, done.stdout, done.stderr)"
    )
    seen["second score"] = instructor.run(
        "from nbgrader.api import Gradebook\n"
        "with Gradebook('sqlite:///course/gradebook.db', 'transformer') as gradebook:\n"
        f"    print(gradebook.find_submission({ASSIGNMENT!r}, 'ada').score)"
    )
    return seen


def test_a_student_is_told_the_mistake_before_handing_in(graded):
    assert "without dividing the scores by √d_k" in graded["validation"]
    assert "padded_heads: Not written yet" in graded["validation"]


def test_a_wrong_answer_earns_nothing_and_the_feedback_says_why(graded):
    assert graded["first score"].split("/")[0].strip() == "0"
    assert "without dividing the scores by √d_k" in graded["feedback"]
    assert "Model answer" not in graded["feedback"]


def test_points_and_comments_that_a_person_gave_reach_the_student(graded):
    assert "Model answer" in graded["page for grading"]
    assert "Of which variance?" in graded["feedback"]
    assert "Your answer\n1.5 of 2 points" in graded["feedback"]


def test_a_second_submission_is_graded_again_and_keeps_what_a_person_gave(graded):
    assert graded["second grading"].startswith("0 "), graded["second grading"]
    assert float(graded["second score"]) == 3 + 1.5


# ---- What a student's own server can get at ----------------------------------------------------

COURSE = "/srv/home/instructor/course"
SECRETS = [
    f"{COURSE}/exercises/{ASSIGNMENT}/{NOTEBOOK}",
    f"{COURSE}/gradebook.db",
    f"{COURSE}/.grading/secret",
    f"{COURSE}/submitted/ada/{ASSIGNMENT}/{NOTEBOOK}",
]
OTHERS = ["/srv/home/instructor", "/srv/home/emmy", "/srv/home/emmy/mine.txt"]
ROOTS = [
    "/srv/hub",
    "/srv/hub/passwords.json",
    "/srv/hub/jupyterhub.sqlite",
    f"/srv/hub/checkout/exercises/{ASSIGNMENT}/{NOTEBOOK}",
    f"{ROOT}/exercises/{ASSIGNMENT}/{NOTEBOOK}",
    f"{ROOT}/.git",
    "/srv/exchange/transformer/inbound",
    "/srv/exchange/transformer/feedback",
    "/etc/shadow",
]
TRY = """
import json, os
def outcome(path):
    try:
        os.listdir(path) if os.path.isdir(path) else open(path, 'rb').read(1)
    except OSError as error:
        return type(error).__name__
    return 'read'
print(json.dumps({path: outcome(path) for path in %s}))
"""


def tried(person, paths):
    """What becomes of reading each of these from this person's server."""
    return json.loads(person.run(TRY % paths))


def test_students_read_their_own_and_nothing_else(graded, people):
    people["emmy"].run("open('mine.txt', 'w').write('my answer')")
    mine = f"/srv/home/ada/{ASSIGNMENT}/{NOTEBOOK}"
    outcomes = tried(people["ada"], [mine, *SECRETS, *OTHERS, *ROOTS])
    assert outcomes.pop(mine) == "read"
    assert set(outcomes.values()) <= {"PermissionError", "FileNotFoundError"}, outcomes
    # The files are there, and can be read by those whose they are.
    assert set(tried(people["instructor"], SECRETS).values()) == {"read"}
    assert set(tried(people["emmy"], OTHERS[1:]).values()) == {"read"}


LOOK_FOR_ANSWERS = """
import subprocess
found = subprocess.run(
    'grep -rlI --include=*.ipynb --include=*.py --exclude-dir=proc --exclude-dir=sys '
    '--exclude-dir=dev --exclude-dir=usr --exclude-dir=site-packages "Model answer" /',
    shell=True, capture_output=True, text=True).stdout.split()
print(len(found))
"""


def test_no_model_answer_lies_where_a_student_can_read_it(graded, people):
    assert people["ada"].run(LOOK_FOR_ANSWERS) == "0\n"
    assert int(people["instructor"].run(LOOK_FOR_ANSWERS)) >= 9  # the same search does find them
    importable = "import importlib.util as u; print([bool(u.find_spec(n)) for n in %s])"
    assert people["ada"].run(importable % ["torch", "grading", "solutions"]) == (
        "[True, False, False]\n"
    )


PROCESSES = """
import glob, json, os
lines, others = [], []
for folder in glob.glob('/proc/[0-9]*'):
    try:
        lines.append(open(folder + '/cmdline').read())
        if os.stat(folder).st_uid == os.getuid():
            continue
    except FileNotFoundError:
        continue
    for act in (lambda: open(folder + '/environ').read(),
                lambda: os.kill(int(folder.split('/')[-1]), 0)):
        try:
            act()
            others.append('done')
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended
        except PermissionError:
            others.append('refused')
print(json.dumps([' '.join(lines), sorted(set(others))]))
"""


def test_students_neither_see_this_machine_nor_touch_the_processes_of_others(people):
    lines, others = json.loads(people["ada"].run(PROCESSES))
    assert "jupyterhub" in lines
    assert "pytest" not in lines
    assert others == ["refused"]


ASK = """
import os, urllib.error, urllib.request
def status(address):
    request = urllib.request.Request(address, headers={
        'Authorization': 'token ' + os.environ['JUPYTERHUB_API_TOKEN']})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code
print(status(%r))
"""


def test_a_students_token_opens_no_other_server(hub, people):
    routes = dict(
        re.findall(r"Adding route /(\w+)\.course\S* -> (http://\S+)", hub.log.read_text())
    )
    asked = {
        name: people["ada"].run(ASK % f"{routes[name]}/user/{name}/api/contents").strip()
        for name in ("ada", "emmy", "instructor")
    }
    assert asked == {"ada": "200", "emmy": "403", "instructor": "403"}
    assert people["ada"].run(ASK.replace("%r", "os.environ['JUPYTERHUB_API_URL'] + '/users'")) == (
        "403\n"
    )
    answer = people["ada"].page.goto(people["emmy"].server + "/lab")
    assert answer.status == 403


FORGE = f"""
import os, shutil
inbound = '/srv/exchange/transformer/inbound/'
forged = inbound + 'emmy+{ASSIGNMENT}+2030-01-01 00:00:00.000000 UTC+x'
shutil.copytree('{ASSIGNMENT}', forged)
open(forged + '/timestamp.txt', 'w').write('2030-01-01 00:00:00.000000 UTC')
os.symlink('{COURSE}/gradebook.db', forged + '/gradebook.db')
os.chmod(forged, 0o777)
os.symlink('{COURSE}', inbound + 'ada+{ASSIGNMENT}+2031-01-01 00:00:00.000000 UTC+x')
"""


def test_a_submission_counts_for_whoever_made_it_and_brings_no_files_of_others(graded, hub, people):
    people["ada"].run(FORGE)
    Formgrader(people["instructor"]).assignment("collect")
    submitted = hub.folder / "home/instructor/course/submitted"
    assert [folder.name for folder in submitted.iterdir()] == ["ada"]
    assert (submitted / "ada" / ASSIGNMENT / "timestamp.txt").read_text().startswith("2030")
    assert not list(submitted.rglob("gradebook.db"))
