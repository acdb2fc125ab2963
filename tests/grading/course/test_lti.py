"""From a learning platform into a real hub, graded, and the points back: LTI 1.3 from end to end.

The platform is simulated, on the loopback. The hub is a process of its own, without a proxy and
without servers of users: only who may log in, and as what, is asked here.
"""

import copy
import json
import os
import secrets
import socket
import stat
import subprocess
import sys
import time

import pytest
import requests

pytest.importorskip("jwt", reason="requirements-hub.txt is not installed")

from cryptography.hazmat.primitives import serialization

from grading.platforms import lti

from .conftest import ASSIGNMENT, ROOT, WRONG_SCALE, cell
from .simulated_platform import (
    AGS,
    CLAIM,
    CLIENT,
    ROLE,
    SimulatedPlatform,
    forged,
    new_key,
)
from .test_deadlines import command

CONFIG = """
import sys
from pathlib import Path

from jupyterhub.proxy import Proxy

sys.path.insert(0, {root!r})
from hub.lti import use


class NoProxy(Proxy):
    should_start = False

    async def add_route(self, *_): ...

    async def delete_route(self, *_): ...

    async def get_all_routes(self):
        return {{}}


c = get_config()
use(c, Path("lti.toml"))
c.Authenticator.admin_users = {{"root-of-all"}}
c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.db_url = "sqlite:///:memory:"
c.JupyterHub.services = [{{"name": "test", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [
    {{"name": "test", "services": ["test"], "scopes": ["list:users", "read:users", "read:groups"]}}
]
"""
LEARNER, TEACHER = [f"{ROLE}Learner"], [f"{ROLE}Instructor"]
PEOPLE = {
    "u-ada": {"username": "Ada", "roles": LEARNER, "name": "Ada L", "email": "ada@x.example"},
    "u-ben": {"username": "ben", "roles": LEARNER},
    "u-tea": {"username": "tea", "roles": TEACHER},
    "2": {"username": "admin", "roles": TEACHER},
    "u-elsewhere": {"username": "else", "roles": [
        "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"]},
    "u-watches": {"username": "watches", "roles": [f"{ROLE}Mentor"]},
    "u-nameless": {"username": "", "roles": LEARNER},
    "u-variable": {"username": "$User.username", "roles": LEARNER},
    "u-path": {"username": "../ada", "roles": LEARNER},
    "u-kelvin": {"username": "\u212aim", "roles": LEARNER},
    "u-daemon": {"username": "daemon", "roles": LEARNER},
    "u-admin": {"username": "root-of-all", "roles": TEACHER},
    "u-taken": {"username": "ADA", "roles": LEARNER},
    "u-reserved": {"username": "instructor", "roles": LEARNER},
}  # fmt: skip


class Hub:
    """A hub that runs, and what its API says."""

    def __init__(self, url: str, token: str, course, platform):
        self.url, self.course, self.platform = url, course, platform
        self.login_url = f"{url}/hub/lti13/oauth_login"
        self._head = {"Authorization": f"token {token}"}

    def users(self) -> dict[str, list[str]]:
        found = requests.get(f"{self.url}/hub/api/users", headers=self._head, timeout=20)
        assert found.status_code == 200, found.text
        assert [user["name"] for user in found.json() if user["admin"]] == ["root-of-all"]
        return {user["name"]: user["groups"] for user in found.json()}

    def log_in(self, sub: str, browser=None, **launch) -> requests.Response:
        browser = browser or requests.Session()
        return self.platform.log_in(browser, self.login_url, sub, **launch)

    def launches(self) -> lti.Launches:
        return lti.read_launches(self.course.folder / ".grading/lti_launches.json")


@pytest.fixture(scope="module")
def hub(new_course):
    course, token = new_course(), secrets.token_hex()
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    with SimulatedPlatform() as platform:
        platform.people = copy.deepcopy(PEOPLE)
        settings = platform.settings(username="custom_username")
        (course.folder / "lti.toml").write_text(f'{settings}[people]\n2 = "instructor"\n')
        (course.folder / "lti.toml").chmod(0o644)
        (course.folder / ".grading").mkdir(exist_ok=True)
        (course.folder / ".grading").chmod(0o755)
        config = CONFIG.format(root=str(ROOT), port=port, token=token)
        (course.folder / "jupyterhub_config.py").write_text(config)
        environment = {
            **os.environ, "PYTHONPATH": str(ROOT), "JUPYTERHUB_CRYPT_KEY": "",
            "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        }  # fmt: skip
        with open(course.folder / "hub.log", "w") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "jupyterhub"],
                cwd=course.folder, env=environment, stdout=log, stderr=log,
            )  # fmt: skip
        found = Hub(f"http://127.0.0.1:{port}", token, course, platform)
        platform.redirect_uris = {f"{found.url}/hub/lti13/oauth_callback"}
        try:
            _wait(found.url, process, course.folder / "hub.log")
            yield found
        finally:
            process.terminate()
            process.wait(60)


def _wait(url, process, log):
    for _ in range(600):
        try:
            if requests.get(f"{url}/hub/api", timeout=5).ok:
                return
        except requests.ConnectionError:
            pass
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(log.read_text())


# ---- Who comes in -------------------------------------------------------------------------------


def test_a_learner_of_the_course_comes_in_as_a_student(hub):
    browser = requests.Session()
    answer = hub.log_in("u-ada", browser, link=ASSIGNMENT, column="https://lms.example/1")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/hub/home")
    assert hub.users()["ada"] == ["nbgrader-transformer"]
    assert browser.get(f"{hub.url}/hub/home", allow_redirects=False).status_code == 200
    found = hub.launches()
    assert found.people["u-ada"] == lti.Person("ada", "Ada L", "ada@x.example", "learner")
    assert found.line_item(ASSIGNMENT) == "https://lms.example/1"
    assert set(found.scopes) == {f"{AGS}scope/lineitem", f"{AGS}scope/score"}
    file = hub.course.folder / ".grading/lti_launches.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_teacher_comes_in_as_an_instructor_until_it_is_taken_back(hub):
    assert hub.log_in("u-tea").status_code == 302
    assert hub.users()["tea"] == ["formgrade-transformer"]
    hub.platform.people["u-tea"]["roles"] = LEARNER
    try:
        assert hub.log_in("u-tea").status_code == 302
        assert hub.users()["tea"] == ["nbgrader-transformer"]
    finally:
        hub.platform.people["u-tea"]["roles"] = TEACHER


def test_a_name_can_be_set_by_hand(hub):
    assert hub.log_in("2").status_code == 302
    assert hub.users()["instructor"] == ["formgrade-transformer"]
    assert "admin" not in hub.users()


def test_a_platform_may_leave_the_client_id_out(hub):
    assert hub.log_in("u-ben", begin={"client_id": None}).status_code == 302


def test_someone_comes_back_under_the_same_name(hub):
    for _ in range(2):
        assert hub.log_in("u-ben").status_code == 302
    assert "ben" in hub.users()


def test_a_name_stays_its_owners_who_is_called_otherwise_now(hub):
    people = hub.platform.people
    for name in ("eve", "eva", "evi"):
        people["u-eve"] = {"username": name, "roles": LEARNER}
        assert hub.log_in("u-eve").status_code == 302
    for name in ("eve", "eva", "evi"):
        people["u-other"] = {"username": name, "roles": LEARNER}
        answer = hub.log_in("u-other")
        assert (answer.status_code, "somebody else&#39;s" in answer.text) == (403, True)
    people["u-eve"] = {"username": "eve", "roles": LEARNER}
    assert hub.log_in("u-eve").status_code == 302
    assert hub.launches().people["u-eve"] == lti.Person(
        "eve", role="learner", former=["eva", "evi"]
    )


# ---- Who does not -------------------------------------------------------------------------------


def with_claims(**others):
    return {"change": lambda claims: claims | others}


def without(key):
    return {"change": lambda claims: {k: v for k, v in claims.items() if k != key}}


def by_secret(platform, claims):
    """Signed with the public key as if it were a secret, where an algorithm is not pinned."""
    public = platform.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return forged(claims, public)


NOW = int(time.time())
OTHER = {"id": "course-8", "title": "Another course", "label": "A"}
REFUSED = [
    ("wrong issuer", "u-ben", with_claims(iss="https://evil.example"), 400),
    ("wrong audience", "u-ben", with_claims(aud="tool-2"), 401),
    ("audience of several without azp", "u-ben", with_claims(aud=[CLIENT, "tool-2"]), 400),
    ("expired", "u-ben", with_claims(exp=NOW - 3600), 400),
    ("issued long ago", "u-ben", with_claims(iat=NOW - 7200), 400),
    ("issued in the future", "u-ben", with_claims(iat=NOW + 7200), 400),
    ("another key", "u-ben", {"sign": lambda p, claims: p.sign(claims, new_key())}, 400),
    ("an unknown key", "u-ben", {"sign": lambda p, claims: p.sign(claims, kid="evil")}, 400),
    ("no signature", "u-ben", {"sign": lambda p, claims: forged(claims)}, 400),
    ("public key as a secret", "u-ben", {"sign": by_secret}, 400),
    ("changed afterwards", "u-ben", {"sign": lambda p, claims: p.sign(claims)[:-8] + "AAAAAAAA"},
     400),
    ("another nonce", "u-ben", with_claims(nonce="n" * 64), 400),
    ("no nonce", "u-ben", without("nonce"), 400),
    ("another version", "u-ben", with_claims(**{f"{CLAIM}version": "1.1"}), 400),
    ("another deployment", "u-ben", with_claims(**{f"{CLAIM}deployment_id": "2"}), 403),
    ("another course", "u-tea", with_claims(**{f"{CLAIM}context": OTHER}), 403),
    ("no course", "u-tea", without(f"{CLAIM}context"), 403),
    ("asks for content", "u-tea",
     with_claims(**{f"{CLAIM}message_type": "LtiDeepLinkingRequest", "azp": CLIENT,
                    f"{CLAIM}tool_platform": {}, f"{CLAIM}launch_presentation": {}}), 403),
    ("teaches elsewhere", "u-elsewhere", {}, 403),
    ("neither learns nor teaches", "u-watches", {}, 403),
    ("anonymous", "u-ben", without("sub"), 403),
    ("no name", "u-nameless", {}, 403),
    ("a variable that was not replaced", "u-variable", {}, 403),
    ("a name that is a path", "u-path", {}, 403),
    ("a name of other letters", "u-kelvin", {}, 403),
    ("an account of the system", "u-daemon", {}, 403),
    ("an administrator's name", "u-admin", {}, 403),
    ("a name that somebody has", "u-taken", {}, 403),
    ("a name that is set for somebody", "u-reserved", {}, 403),
    ("begun by another platform", "u-ben", {"begin": {"iss": "https://evil.example"}}, 400),
    ("begun for another tool", "u-ben", {"begin": {"client_id": "tool-2"}}, 400),
]  # fmt: skip


@pytest.mark.parametrize(("sub", "launch", "status"), [r[1:] for r in REFUSED],
                         ids=[r[0] for r in REFUSED])  # fmt: skip
def test_others_stay_out(hub, sub, launch, status):
    known = hub.launches().people
    for each in {"u-ada", "u-ben", "u-tea"} - set(known):  # who is let in if nothing is wrong
        assert hub.log_in(each).status_code == 302
    before, launches = hub.users(), hub.launches()
    if "sign" in launch:
        sign = launch["sign"]
        launch = launch | {"sign": lambda claims: sign(hub.platform, claims)}
    browser = requests.Session()
    answer = hub.log_in(sub, browser, **launch)
    assert answer.status_code == status, answer.text
    assert hub.users() == before
    assert hub.launches() == launches
    assert browser.get(f"{hub.url}/hub/home", allow_redirects=False).status_code == 302


def test_a_launch_from_another_course_says_its_id(hub):
    answer = hub.log_in("u-tea", **with_claims(**{f"{CLAIM}context": OTHER}))
    assert "Another course" in answer.text
    assert "course-8" in answer.text
    assert "context_id in lti.toml" in answer.text


def test_a_token_is_taken_once(hub):
    """Whoever has the form that ended a login, and the cookies, cannot log in with it again."""
    browser, kept = requests.Session(), {}

    def keep(claims):
        kept.update(browser.cookies.get_dict())
        return claims

    assert hub.log_in("u-ben", browser, change=keep).status_code == 302
    action, fields = hub.platform.last_form
    again = requests.post(action, fields, cookies=kept, allow_redirects=False, timeout=20)
    assert (again.status_code, "was used already" in again.text) == (403, True)
    stolen = requests.post(action, fields, allow_redirects=False, timeout=20)
    assert (stolen.status_code, "missing from cookies" in stolen.text) == (400, True)


def test_over_https_the_browser_brings_the_cookies_of_a_login_back(hub):
    asked = {"iss": hub.platform.url, "login_hint": "u-ben", "target_link_uri": "/hub/home"}
    for scheme, wanted in (("https", True), ("http", False)):
        answer = requests.post(
            hub.login_url, asked, headers={"X-Forwarded-Proto": scheme},
            allow_redirects=False, timeout=20,
        )  # fmt: skip
        cookies = [c for c in answer.raw.headers.getlist("Set-Cookie") if "lti13" in c]
        assert len(cookies) == 2
        for cookie in cookies:
            assert ("SameSite=None" in cookie and "Secure" in cookie) == wanted
            assert "HttpOnly" in cookie


# ---- Roles, and the files that decide -----------------------------------------------------------

SUBROLE = "http://purl.imsglobal.org/vocab/lis/v2/membership/"


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    import hub.lti

    return hub.lti


@pytest.mark.parametrize(
    ("roles", "role"),
    [
        ([], ""),
        (["Learner"], "learner"),
        ([f"{ROLE}Learner", f"{ROLE}Instructor"], "instructor"),
        ([f"{SUBROLE}Instructor#TeachingAssistant"], "instructor"),
        ([f"{SUBROLE}Learner#Instructor"], "learner"),
        (["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"], ""),
        (["http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator"], ""),
        ([f"{ROLE}Administrator"], ""),
        ([f"{ROLE}InstructorX", "instructor", 7], ""),
    ],
)
def test_the_role_is_the_one_in_the_course(module, roles, role):
    assert module.role_of(roles) == role


@pytest.mark.parametrize("place", ["lti.toml", ".grading", "."])
def test_the_hub_does_not_start_if_others_could_change_who_logs_in(module, tmp_path, place):
    from traitlets.config import Config

    folder = tmp_path / "course"
    (folder / ".grading").mkdir(parents=True, mode=0o750)
    path = folder / "lti.toml"
    platform = SimulatedPlatform()
    platform.url = "https://lms.example"
    path.write_text(platform.settings())
    path.chmod(0o644)
    module.use(Config(), path)
    (folder / place).chmod(0o777)
    with pytest.raises(lti.PlatformError) as error:
        module.use(Config(), path)
    assert error.value.args[0].startswith(f"{(folder / place).resolve()} must belong to the user")


# ---- From end to end ----------------------------------------------------------------------------


def test_points_of_those_who_launched_are_in_the_platforms_gradebook(hub, solved, monkeypatch):
    """Launch, hand in, grade, send: a right answer, and one with a mistake."""
    course, platform = hub.course, hub.platform
    column = platform.add_column(ASSIGNMENT, most=20)
    for sub in ("u-ada", "u-ben"):
        assert hub.log_in(sub, link=ASSIGNMENT, column=column).status_code == 302
    wrong = copy.deepcopy(solved)
    cell(wrong, "weights_time_first-answer").source = WRONG_SCALE
    course.hand_in("ada", solved)
    course.hand_in("ben", wrong)
    assert course.autograde("--jobs", "1").returncode == 0
    monkeypatch.chdir(course.folder)
    _, key = command("scores", "--key")
    platform.tool_key, _ = json.JSONDecoder().raw_decode(key, key.index("{"))
    status, said = command("scores", ASSIGNMENT)
    assert status == 0, said
    assert "2 sent, of which 2 as waiting for a person" in said
    scores = platform.column(ASSIGNMENT).scores
    points = course.points()
    assert {user: scores[user]["scoreGiven"] for user in scores} == {
        "u-ada": points["ada"],
        "u-ben": points["ben"],
    }
    assert points["ada"] == 18
    assert 0 < points["ben"] < 18
    assert {score["gradingProgress"] for score in scores.values()} == {"PendingManual"}
