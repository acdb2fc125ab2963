"""Points go to the learning platform, by the score service of LTI 1.3.

The 1EdTech specification *Assignment and Grade Services 2.0* has a column for points, the line item
(section 3.2), to which a tool sends one score for each student (section 3.4), with a token that it
gets for a signed request (*Security Framework 1.0*, section 4.1). What the platform has taken is
written down, so that the next run sends only what is new: it may be interrupted at any moment.
"""

from __future__ import annotations

import contextlib
import datetime
import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from email.message import Message
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from grading.course.identities import CANVAS
from grading.course.secret import WORKING_FOLDER
from grading.errors import ExplainedError
from grading.limits import ScoreLimits
from grading.platforms import lti
from grading.reporting.class_report import ClassReport
from grading.reporting.student import Student

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

SCORE_SCOPE, ITEM_SCOPE = f"{lti.GRADES}scope/score", f"{lti.GRADES}scope/lineitem"
SCORE_TYPE = "application/vnd.ims.lis.v1.score+json"
ITEM_TYPE = "application/vnd.ims.lis.v2.lineitem+json"
ITEMS_TYPE = "application/vnd.ims.lis.v2.lineitemcontainer+json"
CANVAS_SUBMISSION = "https://canvas.instructure.com/lti/submission"


class ScoreError(ExplainedError):
    """No scores can be sent; the sentence says why."""


# ---- What there is to send -----------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    """What the platform is to know of a student's work.

    Attributes:
        user: the platform's id.
        given: the points that count, without those of answers that wait.
        most: the points that all could have.
        waits: for a person to grade an answer.
        handed_in: when, in UTC, as far as it is known.
    """

    user: str
    given: float
    most: float
    waits: bool
    handed_in: str = ""

    def body(self, now: datetime.datetime, new_submission: bool) -> dict[str, Any]:
        """The score as the specification writes it, as set now."""
        found: dict[str, Any] = {
            "userId": self.user,
            "scoreGiven": self.given,
            "scoreMaximum": self.most,
            "activityProgress": "Submitted" if self.waits else "Completed",
            "gradingProgress": "PendingManual" if self.waits else "FullyGraded",
            "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            # Canvas takes each score for another attempt of the student, unless it is told.
            CANVAS_SUBMISSION: {"new_submission": new_submission},
        }
        if self.handed_in:
            found["submission"] = {"submittedAt": self.handed_in}
        return found


@dataclass
class Plan:
    """The scores to send, by the students' ids; those that the platform has; and who has none."""

    send: dict[str, Score] = field(default_factory=dict)
    sent: dict[str, Score] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def plan(report: ClassReport, launches: lti.Launches, sent: dict[str, Score]) -> Plan:
    """Decide whose score is sent.

    Args:
        report: what counts, as everywhere.
        launches: who is who on the platform.
        sent: the last scores that the platform has taken.
    """
    found = Plan()
    users = {person.username: user for user, person in launches.people.items()}
    ids = {s.id: users.get(s.id) or s.number(CANVAS) for s in report.students}
    shared = Counter(ids.values())
    for student in report.students:
        user = ids[student.id]
        reason = _refusal(student, report, user, shared[user])
        if student.score is None:
            continue
        if reason:
            found.refused[student.id] = reason
            continue
        score = Score(user, student.score, report.max_score, student.waits, student.handed_in_utc)
        known = sent.get(student.id) == score
        (found.sent if known else found.send)[student.id] = score
    return found


def _refusal(student: Student, report: ClassReport, user: str, times: int) -> str:
    if student.problem:
        return f"the submission could not be graded: {student.problem}"
    if student.id in report.stale:
        return "the penalty for being late is out of date: run `python -m grading dates`"
    if not user:
        return "has never logged in from the platform, and the roster has no lms_user_id"
    if times > 1:
        return f"has the platform's id {user}, and so has somebody else"
    return ""


# ---- What was sent -------------------------------------------------------------------------------


class Sent:
    """What a platform has taken for an assignment: a line for each score, as soon as it has."""

    def __init__(self, root: Path, assignment: str):
        self._path = root / WORKING_FOLDER / "scores" / f"{assignment}.jsonl"

    def read(self, line_item: str) -> dict[str, Score]:
        """The last score of each student in this column. A line that was cut off does not count."""
        found = {}
        with contextlib.suppress(FileNotFoundError):
            for line in self._path.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError, TypeError, KeyError):
                    entry = json.loads(line)
                    if entry["line_item"] == line_item:
                        found[entry["student"]] = Score(**entry["score"])
        return found

    def write(self, line_item: str, student: str, score: Score) -> None:
        """Add a score."""
        entry = {"line_item": line_item, "student": student, "score": asdict(score)}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "a", encoding="utf-8") as stream:
            stream.write(f"\n{json.dumps(entry, ensure_ascii=False)}")
            stream.flush()
            os.fsync(stream.fileno())


# ---- The platform's service ----------------------------------------------------------------------


class Service:
    """The score service of a platform.

    Raises:
        PlatformError, ScoreError: from all methods, if the platform does not answer, or not as the
            specification says.
    """

    def __init__(self, platform: lti.Platform, scopes: list[str]):
        self._platform = platform
        self._key = private_key(platform.private_key)
        if SCORE_SCOPE not in scopes:
            raise ScoreError(
                "The platform does not let this tool send scores (its launches do not name the "
                "scope for it): switch on the Assignment and Grade Services for the tool, and "
                "launch it once more from the course."
            )
        self._scopes = [scope for scope in (SCORE_SCOPE, ITEM_SCOPE) if scope in scopes]
        self._token = ""

    def line_item(self, assignment: str, most: float, container: str, make: bool) -> str:
        """Find the column of an assignment among those of the course, or make it.

        Returns:
            Its address; nothing if there is none and none is to be made.
        """
        if ITEM_SCOPE not in self._scopes or not container:
            raise ScoreError(
                f"No launch has told the platform's column for {assignment}: call the link in the "
                f"platform's course {assignment}, have it graded, and launch it once; or let the "
                "tool manage columns."
            )
        address = _with(container, query={"resource_id": assignment})
        items = self._json("GET", address, ITEMS_TYPE)
        if not isinstance(items, list):
            raise ScoreError(f"{_host(container)} lists its columns in another way than specified.")
        found = [item for item in items if item.get("resourceId") == assignment]
        if not found and make:
            item = {"label": assignment, "resourceId": assignment, "scoreMaximum": most}
            found = [self._json("POST", container, ITEM_TYPE, item)]
        try:
            return str(found[0]["id"]) if found else ""
        except (KeyError, TypeError, IndexError):
            raise ScoreError(f"{_host(container)} does not say where its column is.") from None

    def send(self, line_item: str, score: Score, new_submission: bool) -> str:
        """Send a score. Returns why the platform did not take it, or nothing."""
        address = _with(line_item, path="/scores")
        for again in (True, False):
            now = datetime.datetime.now(datetime.UTC)
            status, text = self._authorised(
                "POST", address, score.body(now, new_submission), SCORE_TYPE
            )
            if status != 409 or not again:
                break
            # What it has is not older, by whole seconds in Moodle: a moment later it is.
            time.sleep(ScoreLimits.conflict_seconds)
        return "" if 200 <= status < 300 else _answer(line_item, status, text)

    def _json(self, method: str, address: str, kind: str, content: Any = None) -> Any:
        status, text = self._authorised(method, address, content, kind)
        if not 200 <= status < 300:
            raise ScoreError(f"There is no column for points: {_answer(address, status, text)}.")
        try:
            return json.loads(text)
        except ValueError:
            raise ScoreError(f"{_host(address)} answers with something that is no JSON.") from None

    def _authorised(self, method: str, address: str, content: Any, kind: str) -> tuple[int, str]:
        """Ask with the token, with another one if it is not valid any more."""
        lti.check_address(address, "The platform's address of its score service")
        for again in (True, False):
            self._token = self._token or self._get_token()
            head = {"Authorization": f"Bearer {self._token}", "Accept": kind}
            head |= {} if content is None else {"Content-Type": kind}
            body = None if content is None else json.dumps(content).encode()
            status, text = _ask(method, address, body, head)
            if status != 401 or not again:
                break
            self._token = ""
        return status, text

    def _get_token(self) -> str:
        """Exchange a signed request for a token (RFC 7523, section 2.2)."""
        import jwt

        platform, now = self._platform, int(time.time())
        claims = {
            "iss": platform.client_id, "sub": platform.client_id, "aud": platform.token_url,
            "iat": now, "exp": now + 300, "jti": uuid.uuid4().hex,
        }  # fmt: skip
        head = {"kid": public_jwk(self._key)["kid"]}
        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": jwt.encode(claims, self._key, "RS256", head),
            "scope": " ".join(self._scopes),
        }
        status, text = _ask(
            "POST", platform.token_url, urllib.parse.urlencode(form).encode(),
            {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"},
        )  # fmt: skip
        try:
            return str(json.loads(text)["access_token"])
        except (ValueError, KeyError, TypeError):
            raise ScoreError(
                f"The platform gives no token: {_answer(platform.token_url, status, text)}. Does "
                f"it know the client id {platform.client_id}, and the public key that `python -m "
                "grading scores --key` shows?"
            ) from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token is for one address only."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any,
        newurl: str,
    ) -> None:  # fmt: skip
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _ask(method: str, address: str, body: bytes | None, head: dict[str, str]) -> tuple[int, str]:
    """Return the status and the text that a platform answers; wait if it asks for that."""
    for turn in range(1, ScoreLimits.tries + 1):
        request = urllib.request.Request(address, body, head, method=method)
        try:
            with _opener.open(request, timeout=ScoreLimits.answer_seconds) as answer:
                status, headers, content = answer.status, answer.headers, _content(answer)
        except urllib.error.HTTPError as error:
            status, headers, content = error.code, error.headers, _content(error)
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise ScoreError(f"{_host(address)} does not answer: {reason}.") from error
        if status not in (429, 503) or turn == ScoreLimits.tries:
            break
        time.sleep(_pause(headers, ScoreLimits.busy_seconds * 2 ** (turn - 1)))
    return status, content


def _content(answer: Any) -> str:
    return str(answer.read(ScoreLimits.answer_bytes).decode("utf-8", "replace"))


def _pause(headers: Message, otherwise: float) -> float:
    """The seconds after which a platform wants to be asked again, within reason."""
    try:
        wanted = float(headers.get("Retry-After", otherwise))
    except ValueError:  # a date
        wanted = otherwise
    return min(max(wanted, 0.0), ScoreLimits.longest_busy_seconds)


def _answer(address: str, status: int, text: str) -> str:
    """What a platform answered, in one line for people."""
    said = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    cut = said[: ScoreLimits.answer_characters]
    return f"{_host(address)} answers {status}" + f" ({cut}{'…' * (cut != said)})" * bool(said)


def _host(address: str) -> str:
    return urllib.parse.urlsplit(address).netloc


def _with(address: str, path: str = "", query: dict[str, str] | None = None) -> str:
    """Add to the path of an address, or to its query, which Moodle's have, too."""
    parts = urllib.parse.urlsplit(address)
    asked = "&".join(filter(None, [parts.query, urllib.parse.urlencode(query or {})]))
    return urllib.parse.urlunsplit(parts._replace(path=parts.path + path, query=asked))


# ---- Sending -------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What became of a plan.

    Attributes:
        line_item: the column's address; nothing if it would have to be made first.
        done: the students whose score was taken now.
        refused: whose was not, and why.
        problem: why it stopped before the end.
    """

    plan: Plan
    line_item: str = ""
    done: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    problem: str = ""


def send(
    root: Path, report: ClassReport, dry_run: bool = False,
    show: Callable[[dict[str, Score]], Iterator[str]] = iter,
) -> Outcome:  # fmt: skip
    """Send what the platform does not have.

    Args:
        root: the course's folder.
        report: of the assignment.
        dry_run: only look what would be sent.
        show: goes through the students, and may show how far it is.

    Raises:
        PlatformError, ScoreError: if nothing can be sent.
    """
    platform = lti.read(root / lti.FILE)
    launches = lti.read_launches(platform.launches)
    if not launches.people and not launches.line_items:
        raise ScoreError(
            f"Nobody has logged in from the platform yet ({platform.launches} is not there): where "
            "points go is said by its launches."
        )
    service, sent = Service(platform, launches.scopes), Sent(root, report.assignment)
    item = launches.line_item(report.assignment) or service.line_item(
        report.assignment, report.max_score, launches.container, make=not dry_run
    )
    before = sent.read(item)
    found = Outcome(plan(report, launches, before), item)
    found.refused = dict(found.plan.refused)
    if dry_run:
        return found
    for student in show(found.plan.send):
        score, last = found.plan.send[student], before.get(student)
        try:
            reason = service.send(item, score, not last or last.handed_in != score.handed_in)
        except ScoreError as error:
            found.problem = error.args[0]
            break
        if reason:
            found.refused[student] = reason
        else:
            sent.write(item, student, score)
            found.done.append(student)
    return found


# ---- The key -------------------------------------------------------------------------------------


def private_key(path: Path) -> RSAPrivateKey:
    """Read the key with which the tool signs.

    Raises:
        ScoreError: if there is none, others can read it, or it is of another kind.
    """
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        content, mode = path.read_bytes(), path.stat().st_mode
    except OSError as error:
        raise ScoreError(
            f"The private key {path} cannot be read ({error.strerror}): `python -m grading scores "
            "--key` makes one."
        ) from error
    if mode & 0o077:
        raise ScoreError(f"Others can read the private key {path}: run `chmod 600` on it.")
    try:
        key = load_pem_private_key(content, None)
    except (ValueError, TypeError) as error:
        raise ScoreError(f"{path} holds no private key in PEM that needs no password.") from error
    if not isinstance(key, RSAPrivateKey) or key.key_size < 2048:
        raise ScoreError(f"{path} holds no RSA key of 2048 bits or more, which platforms ask for.")
    return key


def make_private_key(path: Path) -> RSAPrivateKey:
    """Read the key, or make one that only whoever runs this can read."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    with contextlib.suppress(FileExistsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as stream:
            stream.write(
                rsa.generate_private_key(65537, 2048).private_bytes(
                    serialization.Encoding.PEM,
                    serialization.PrivateFormat.PKCS8,
                    serialization.NoEncryption(),
                )
            )
    return private_key(path)


def public_jwk(key: RSAPrivateKey) -> dict[str, str]:
    """The public key as a JSON Web Key, called by its thumbprint (RFC 7638)."""
    import hashlib

    from jwt.algorithms import RSAAlgorithm
    from jwt.utils import base64url_encode

    found = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    parts = {name: str(found[name]) for name in ("e", "kty", "n")}
    digest = hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).digest()
    return parts | {"alg": "RS256", "use": "sig", "kid": base64url_encode(digest).decode()}


def public_pem(key: RSAPrivateKey) -> str:
    """The public key as PEM."""
    from cryptography.hazmat.primitives import serialization

    form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    return str(key.public_key().public_bytes(*form), "ascii")
