"""Points reach the platform's gradebook: all that count, once, with the state that they are in.

The platform is simulated, on the loopback; what launches say of it is learned as a hub does.
"""

import datetime
import json
import os
import stat
from pathlib import Path

import pytest

pytest.importorskip("jwt", reason="requirements-hub.txt is not installed")

from grading import limits
from grading.platforms import lti, scores

from .conftest import ASSIGNMENT, Course
from .simulated_platform import AGS, ROLE, SimulatedPlatform
from .test_deadlines import EXAMPLE, LINES, SETTINGS, command, grade

(LINE,) = [line for line in LINES if line == f"scores {ASSIGNMENT}"]
TIMES = {
    "ada": "2026-10-12 20:00:00 UTC",  # her written answer is graded
    "ben": "2026-10-12 21:00:00 UTC",
    "cyd": "2026-10-13 22:00:00 UTC",  # a day and a second late: two tenths less
    "eve": "not a time",  # the roster has her id on the platform
    "fay": "2026-10-12 12:00:00 UTC",  # nobody knows who she is there
}
USERS = {"ada": "u-ada", "ben": "u-ben", "cyd": "u-cyd", "eve": "4711"}


@pytest.fixture(scope="module")
def graded(new_course, source):
    """A graded class, in its folder."""
    course = new_course()
    (course.folder / "due_dates.toml").write_text(EXAMPLE)
    with open(course.folder / "nbgrader_config.py", "a") as stream:
        stream.write(f"\n{SETTINGS}\n")
    here = os.getcwd()
    os.chdir(course.folder)
    try:
        grade(course, source, *((student, "2", time) for student, time in TIMES.items()))
        with course.gradebook() as gradebook:
            gradebook.update_or_create_student("eve", lms_user_id="4711")
        for student in TIMES:
            by_hand(course, student, 1.5 if student == "ada" else None)
        yield course
    finally:
        os.chdir(here)


def by_hand(course: Course, student: str, points: float | None) -> None:
    """Grade the written answer, or take that back."""
    with course.gradebook() as gradebook:
        found = gradebook.find_grade("why_root", "simple_attention", ASSIGNMENT, student)
        found.manual_score, found.needs_manual_grade = points, points is None
        gradebook.db.commit()


@pytest.fixture(scope="module")
def key(graded):
    """The tool's key as an instructor makes it, and its public half from what is printed."""
    status, said = command("scores", "--key")
    assert status == 0
    path = graded.folder / ".grading/lti_key.pem"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert f"{path}: keep it to yourself" in said
    assert "PRIVATE" not in said
    jwk, _ = json.JSONDecoder().raw_decode(said, said.index("{"))
    assert set(jwk) == {"kty", "n", "e", "alg", "use", "kid"}
    assert scores.public_pem(scores.private_key(path)) in said
    assert command("scores", "--key") == (0, said)  # the same one, from then on
    return jwk


def launch(platform: SimulatedPlatform, course: Course, **others: str) -> None:
    """Let everybody but eve and fay have logged in, from the link of the assignment."""
    found = lti.Launches()
    for sub, name in (("u-ada", "ada"), ("u-ben", "ben"), ("u-cyd", "cyd")):
        found.learn(platform.claims(sub, "n", **others), lti.Person(name))
    lti.write_launches(course.folder / ".grading/lti_launches.json", found)


@pytest.fixture
def platform(graded, key):
    """A new platform, on which the course has a column."""
    with SimulatedPlatform(key) as found:
        roles = [f"{ROLE}Learner"]
        found.people = {user: {"roles": roles} for user in USERS.values()}
        (graded.folder / "lti.toml").write_text(found.settings())
        launch(found, graded, link=ASSIGNMENT, column=found.add_column(ASSIGNMENT))
        yield found


def arrived(platform: SimulatedPlatform) -> dict[str, tuple[float, str]]:
    return {
        student: (score["scoreGiven"], score["gradingProgress"])
        for student, user in USERS.items()
        if (score := platform.column(ASSIGNMENT).scores.get(user))
    }


WAITS, DONE = "PendingManual", "FullyGraded"
ALL = {"ada": (11.5, DONE), "ben": (10, WAITS), "cyd": (8, WAITS), "eve": (10, WAITS)}


def test_points_that_count_arrive_with_their_state(platform):
    status, said = command(*LINE.split())
    assert arrived(platform) == ALL
    assert (
        "Not sent: fay: has never logged in from the platform, and the roster has no lms_user_id"
        in said
    )
    assert "4 sent, of which 3 as waiting for a person; the platform had 0 already." in said
    assert status == 1
    ada, eve = (platform.column(ASSIGNMENT).scores[USERS[name]] for name in ("ada", "eve"))
    assert ada["scoreMaximum"] == 20
    assert ada["activityProgress"] == "Completed"
    assert ada["submission"] == {"submittedAt": "2026-10-12T20:00:00.000Z"}
    assert ada[scores.CANVAS_SUBMISSION] == {"new_submission": True}
    assert eve["activityProgress"] == "Submitted"
    assert "submission" not in eve  # nobody knows when
    sent = datetime.datetime.fromisoformat(ada["timestamp"])
    assert abs(sent - datetime.datetime.now(datetime.UTC)) < datetime.timedelta(minutes=1)


def test_what_the_platform_has_is_not_sent_again_until_it_changes(platform, graded):
    command(*LINE.split())
    _, said = command(*LINE.split())
    assert "0 sent; the platform had 4 already." in said
    assert platform.column(ASSIGNMENT).count == 4
    by_hand(graded, "ben", 2)
    try:
        before = platform.column(ASSIGNMENT).scores["u-ben"]["timestamp"]
        _, said = command(*LINE.split())  # in the same second: a conflict first, for Moodle
        assert "1 sent; the platform had 3 already." in said
        assert arrived(platform) == ALL | {"ben": (12, DONE)}
        after = platform.column(ASSIGNMENT).scores["u-ben"]
        assert after["timestamp"] > before
        assert after[scores.CANVAS_SUBMISSION] == {"new_submission": False}
    finally:
        by_hand(graded, "ben", None)


def test_a_dry_run_shows_and_sends_nothing(platform):
    status, said = command(*LINE.split(), "--dry-run")
    assert "Nothing of this is sent; the platform had 0 already." in said
    assert [line for line in said.splitlines() if "ada" in line and "11.5" in line]
    assert "Not sent: fay" in said
    assert (status, platform.requests) == (1, [])


def test_an_interrupted_run_sends_the_rest_next_time(platform):
    platform.answers = [(0, {}), (0, {}), (-1, {})]  # two are taken, then the line breaks
    status, said = command(*LINE.split())
    assert status == 1
    assert "does not answer" in said
    assert "2 sent, of which 1 as waiting for a person" in said
    assert len(arrived(platform)) == 2
    assert "2 sent, of which 2 as waiting" in command(*LINE.split())[1]
    assert arrived(platform) == ALL
    assert platform.column(ASSIGNMENT).count == 4


def test_a_line_that_was_cut_off_is_sent_again(platform, graded):
    command(*LINE.split())
    file = graded.folder / ".grading/scores" / f"{ASSIGNMENT}.jsonl"
    content = file.read_text()
    try:
        file.write_text(content[:-20])
        assert (
            "1 sent, of which 1 as waiting for a person; the platform had 3"
            in command(*LINE.split())[1]
        )
        assert "0 sent; the platform had 4 already." in command(*LINE.split())[1]
    finally:
        file.write_text(content)


def test_a_busy_platform_is_asked_again_as_it_says(platform, monkeypatch):
    pauses = []
    monkeypatch.setattr(scores.time, "sleep", pauses.append)
    platform.answers = [(429, {"Retry-After": "7"}), (503, {}), (429, {"Retry-After": "9999"})]
    command(*LINE.split())
    assert arrived(platform) == ALL
    assert pauses == [7, 4, limits.ScoreLimits.longest_busy_seconds]


def test_one_that_stays_busy_is_left_for_the_next_run(platform, monkeypatch):
    monkeypatch.setattr(scores.time, "sleep", lambda seconds: None)
    platform.answers = [(503, {})] * limits.ScoreLimits.tries
    assert "answers 503" in command(*LINE.split())[1]
    assert len(arrived(platform)) == 3
    command(*LINE.split())
    assert arrived(platform) == ALL


def test_a_token_that_has_expired_is_renewed(platform, monkeypatch):
    taken = scores.Sent.write

    def expire(*args):
        taken(*args)
        platform.tokens.clear()

    monkeypatch.setattr(scores.Sent, "write", expire)
    command(*LINE.split())
    assert arrived(platform) == ALL
    assert platform.requests.count("/token") == 4


def test_whom_the_platform_refuses_is_named_and_the_others_are_sent(platform):
    del platform.people["u-ben"]
    _, said = command(*LINE.split())
    host = platform.url.removeprefix("http://")
    assert f'Not sent: ben: {host} answers 422 ({{"errors": {{"message": "User not' in said
    assert set(arrived(platform)) == {"ada", "cyd", "eve"}
    platform.people["u-ben"] = {"roles": [f"{ROLE}Learner"]}
    assert "1 sent" in command(*LINE.split())[1]


def test_a_column_is_made_once_where_the_tool_may(platform, graded):
    platform.columns.clear()
    launch(platform, graded)  # from a link that has no column
    _, said = command(*LINE.split(), "--dry-run")
    assert "The platform's column would be made first." in said
    assert platform.columns == {}
    command(*LINE.split())
    assert arrived(platform) == ALL
    item = platform.column(ASSIGNMENT).item
    assert (item["resourceId"], item["scoreMaximum"]) == (ASSIGNMENT, 20)
    assert "the platform had 4 already" in command(*LINE.split())[1]
    assert len(platform.columns) == 1


def test_two_students_with_one_id_are_both_named(platform, graded):
    with graded.gradebook() as gradebook:
        gradebook.update_or_create_student("eve", lms_user_id="u-ada")
    try:
        _, said = command(*LINE.split())
        assert "Not sent: ada: has the platform's id u-ada, and so has somebody else" in said
        assert "Not sent: eve: has the platform's id u-ada" in said
        assert set(arrived(platform)) == {"ben", "cyd"}
    finally:
        with graded.gradebook() as gradebook:
            gradebook.update_or_create_student("eve", lms_user_id="4711")


def test_a_penalty_that_is_out_of_date_is_not_sent(platform, graded):
    file = graded.folder / "due_dates.toml"
    try:
        file.write_text(EXAMPLE.replace("ada = 2026-10-15", "cyd = 2026-10-15"))
        _, said = command(*LINE.split())
        assert "Not sent: cyd: the penalty for being late is out of date" in said
        assert "cyd" not in arrived(platform)
    finally:
        file.write_text(EXAMPLE)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda p, c: launch(p, c, link=ASSIGNMENT, column="http://lms.example/1"),
         "'http://lms.example/1/scores', expected an address that begins with https://."),
        (lambda p, c: setattr(p, "granted", [SCORE]) or launch(p, c),
         f"No launch has told the platform's column for {ASSIGNMENT}: call the link"),
        (lambda p, c: setattr(p, "granted", []) or launch(p, c),
         "The platform does not let this tool send scores"),
        (lambda p, c: setattr(p, "tool_key", None) or launch(p, c),
         'gives no token: HOST answers 400 ({"error": "invalid_client"}). Does it know the client'),
        (lambda p, c: (c.folder / ".grading/lti_launches.json").unlink(),
         "Nobody has logged in from the platform yet"),
        (lambda p, c: (c.folder / ".grading/lti_launches.json").write_text("{}"),
         "lti_launches.json is not what a hub writes down"),
        (lambda p, c: (c.folder / "lti.toml").unlink(), "There is no "),
        (lambda p, c: (c.folder / "lti.toml").write_text(p.settings(private_key="no.pem")),
         "no.pem cannot be read (No such file or directory): `python -m grading scores --key`"),
        (lambda p, c: ((c.folder / "lti.toml").write_text(p.settings(private_key="no_key")),
                       (c.folder / "no_key").touch(0o600)), "no_key holds no private key in PEM"),
        (lambda p, c: (c.folder / "lti.toml").write_text(p.settings(private_key="gradebook.db")),
         "Others can read the private key"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence_before_anything_is_sent(platform, graded, change, sentence):
    change(platform, graded)
    status, said = command(*LINE.split())
    assert status == 2
    assert sentence.replace("HOST", platform.url.removeprefix("http://")) in said
    assert said.strip().count("\n") == 0
    assert platform.column(ASSIGNMENT).count == 0


SCORE = f"{AGS}scope/score"


def test_two_links_with_one_name_are_not_chosen_between(platform, graded):
    file = graded.folder / ".grading/lti_launches.json"
    found = lti.read_launches(file)
    claims = platform.claims("u-ada", "n", link="l2", column=platform.add_column("other"))
    claims["https://purl.imsglobal.org/spec/lti/claim/custom"] = {"assignment": ASSIGNMENT}
    found.learn(claims, lti.Person("ada"))
    lti.write_launches(file, found)
    status, said = command(*LINE.split())
    assert (status, platform.requests) == (2, [])
    assert f"2 links of the platform's course are called {ASSIGNMENT}" in said


# ---- lti.toml -----------------------------------------------------------------------------------


def settings(**others: str) -> str:
    platform = SimulatedPlatform()
    platform.url = "https://lms.example"
    return platform.settings(**others)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("issuer = ", "is not TOML: Invalid value (at "),
        (settings(client="x"), "there is no setting 'client', only issuer, client_id, "),
        (settings(issuer=""), "issuer is '', expected a text in quotes."),
        ("client_id = 7", "client_id is 7, expected a text in quotes."),
        ("client_id = 'x'", "issuer, deployment_id, authorize_url, jwks_url, token_url must be"),
        (settings(jwks_url="http://lms.example/keys"), "jwks_url is 'http://lms.example/keys', "),
        (settings(token_url="lms.example"), "token_url is 'lms.example', expected an address"),
        (settings(token_url="https://[bad"), "token_url is 'https://[bad', expected an address"),
        (settings(username="name"), "username is 'name', expected 'sub', 'email', or 'custom_NA"),
        ("people = 3\n" + settings(), "expected a table [people]"),
        (settings() + "[people]\nx = 'Ada L'", "'x' in [people] is called 'Ada L', expected a na"),
        (settings() + "[people]\nx = 'ada'\ny = 'ada'", "in [people], more than one is called ada"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path, text, sentence):
    path = tmp_path / "lti.toml"
    path.write_text(text)
    with pytest.raises(lti.PlatformError) as error:
        lti.read(path)
    assert error.value.args[0].startswith(f"{path}")
    assert sentence in error.value.args[0]
    assert "\n" not in error.value.args[0]


def test_the_pages_examples_are_read(tmp_path):
    import re

    from .test_deadlines import PAGE

    examples = re.findall(r"```toml\n(issuer.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 2  # Canvas and Moodle
    for example in examples:
        (tmp_path / "lti.toml").write_text(example)
        found = lti.read(tmp_path / "lti.toml")
        assert found.private_key == tmp_path / ".grading/lti_key.pem"
        assert isinstance(found.launches, Path)
