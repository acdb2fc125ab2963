"""Log in to the hub from a learning platform, by LTI 1.3.

``jupyterhub-ltiauthenticator`` does the protocol: it starts the login, verifies the signed token
(signature, issuer, audience, times), and compares state and nonce with a cookie. What it leaves
open is closed here, because who may log in decides who reads a class's points:

- who starts a login is not asked, and without ``client_id``, which a platform may leave out, the
  platform would be sent the text ``None``;
- a token with a nonce that was used is taken again while it is young and the cookie is sent along;
- the deployment and the course are not looked at, so a teacher of *another* course on the same
  platform would come in, and as one;
- where the claim that names users is missing, it silently takes another one, and two users whom the
  platform lets have the same address are one user here;
- roles are not read at all.
"""

from __future__ import annotations

import os
import pwd
import stat
import time
from pathlib import Path
from typing import Any

from ltiauthenticator.lti13.auth import LTI13Authenticator
from ltiauthenticator.lti13.handlers import LTI13LoginInitHandler
from tornado.web import HTTPError
from traitlets import Instance, Unicode

from grading.platforms import lti

SYSTEM_ACCOUNTS = 1000  # users with a smaller number are no people, on Debian and most others
MAX_AGE = 600  # seconds for which the library takes a token


class LoginHandler(LTI13LoginInitHandler):
    """Begin a login, if it is this platform that wants one."""

    def post(self) -> None:
        """Check who asks, then do as the library does."""
        platform = self.authenticator.platform
        asks = self.get_argument("iss", ""), self.get_argument("client_id", platform.client_id)
        if asks != (platform.issuer, platform.client_id):
            raise HTTPError(400, "This hub is not connected with the platform that asks.")
        super().post()

    get = post

    def authorize_redirect(self, *, client_id: str | None = None, **others: Any) -> None:
        """Send the browser to the platform, with our client id if it did not name it."""
        super().authorize_redirect(
            client_id=client_id or self.authenticator.platform.client_id, **others
        )

    def _set_oauth_cookie(self, key: str, value: str) -> None:
        # The platform sends the browser back with a POST from its own site. Without this, browsers
        # leave the cookie out; all other cookies of the hub stay as they are.
        secure = self.authenticator.get_uri_scheme(self.request) == "https"
        across = {"samesite": "None", "secure": True} if secure else {}
        self._set_cookie(key, value, expires_days=1, encrypted=True, **across)


class CourseAuthenticator(LTI13Authenticator):
    """Members of one course of a platform, as students or as instructors."""

    login_handler = LoginHandler

    platform = Instance(lti.Platform, config=True, help="What lti.toml says.")
    course = Unicode("transformer", config=True, help="nbgrader's name of the course.")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._nonces: dict[str, float] = {}

    async def authenticate(
        self, handler: Any, data: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Decide who somebody is whose token was verified.

        Raises:
            HTTPError: 403 if this person, or this launch, is not let in; the sentence is shown.
        """
        token = data or {}
        self._check(token)
        role = role_of(token.get(f"{lti.CLAIM}roles") or [])
        if not role:
            raise HTTPError(403, "Only students and instructors of the course can log in here.")
        try:
            launches = lti.read_launches(self.platform.launches)
        except lti.PlatformError as error:
            self.log.error(error.args[0])
            raise HTTPError(500, "The hub cannot read who logged in before.") from None
        name = self._username(token, launches)
        self._once(token)
        known = launches.people.get(token["sub"])
        had = {name, *(known.names if known else ())}
        person = lti.Person(
            name,
            str(token.get("name", "")),
            str(token.get("email", "")),
            role,
            sorted(had - {name}),
        )
        launches.learn(token, person)
        lti.write_launches(self.platform.launches, launches)
        group = "formgrade" if role == "instructor" else "nbgrader"
        return {"name": name, "groups": [f"{group}-{self.course}"]}

    def _check(self, token: dict[str, Any]) -> None:
        """Is it a launch of this tool, from this course?"""
        if token.get(f"{lti.CLAIM}message_type") != "LtiResourceLinkRequest":
            raise HTTPError(403, "This tool can be launched, but offers no content to choose from.")
        if token.get(f"{lti.CLAIM}deployment_id") != self.platform.deployment_id:
            raise HTTPError(
                403, f"Launched from deployment {token.get(f'{lti.CLAIM}deployment_id')!r}, which "
                f"is not the deployment_id in {lti.FILE}.",
            )  # fmt: skip
        context = token.get(f"{lti.CLAIM}context") or {}
        if not context.get("id") or context["id"] != self.platform.context_id:
            raise HTTPError(
                403, f"Launched from the course {context.get('title', '')!r} with the id "
                f"{context.get('id')!r}, which is not the context_id in {lti.FILE}.",
            )  # fmt: skip

    def _once(self, token: dict[str, Any]) -> None:
        """Take each token once. After a restart of the hub, the cookie alone prevents a second."""
        now = time.monotonic()
        self._nonces = {nonce: end for nonce, end in self._nonces.items() if end > now}
        if token["nonce"] in self._nonces:
            raise HTTPError(403, "This login was used already: start again from the platform.")
        self._nonces[token["nonce"]] = now + 2 * MAX_AGE

    def _username(self, token: dict[str, Any], launches: lti.Launches) -> str:
        """The name here, of which each belongs to one user of the platform, the first with it.

        Whoever is called otherwise now keeps the former name, too: what it owns lies on the hub.
        """
        sub = token.get("sub")
        if not isinstance(sub, str) or not sub:
            raise HTTPError(403, "The platform does not say who you are; anonymous users stay out.")
        given = self.platform.people.get(sub)
        if given is None:
            key, claims = self.platform.username, token
            if key.startswith("custom_"):
                key, claims = key.removeprefix("custom_"), token.get(f"{lti.CLAIM}custom") or {}
            called = str(claims.get(key) or "")
            given = called.lower()
            # lower() makes of the sign for kelvin a k
            if not called.isascii() or not lti.NAME.fullmatch(given):
                raise HTTPError(
                    403, f"The platform calls you {given!r} in {self.platform.username}, which "
                    "cannot be a user's name here: ask your instructor.",
                )  # fmt: skip
            if given in self.admin_users or given in self.platform.people.values():
                raise HTTPError(403, f"The name {given!r} is somebody else's: ask your instructor.")
        if any(given in person.names for known, person in launches.people.items() if known != sub):
            raise HTTPError(403, f"The name {given!r} is somebody else's: ask your instructor.")
        if _is_system_account(given):
            raise HTTPError(403, f"The name {given!r} is an account of the system.")
        return given


def _is_system_account(name: str) -> bool:
    try:
        return pwd.getpwnam(name).pw_uid < SYSTEM_ACCOUNTS
    except KeyError:
        return False


def role_of(roles: list[str]) -> str:
    """``instructor``, ``learner`` or nothing, by the roles *in the course* alone.

    Somebody who teaches elsewhere at the institution may be a student of this course. In the
    specification (appendix A.2), the name of a role in the course ends with ``membership#ROLE``,
    that of a sub-role with ``membership/ROLE#SUBROLE``; ``ROLE`` may also stand alone.
    """
    begins = "http://purl.imsglobal.org/vocab/lis/v2/membership"
    found = set()
    for role in map(str, roles):
        rest = role.removeprefix(begins) if role.startswith(begins) else f"#{role}"
        found.add(rest[1:].partition("#")[0])
    return "instructor" if "Instructor" in found else "learner" if "Learner" in found else ""


def use(c: Any, settings: Path, course: str = "transformer") -> None:
    """Have a hub's configuration ``c`` let in whom the platform in ``lti.toml`` sends.

    Raises:
        lti.PlatformError: if the file is wrong, or somebody else could change it or its launches.
    """
    platform = lti.read(settings)
    platform.launches.parent.mkdir(mode=0o750, exist_ok=True)
    for path in (settings, platform.launches.parent):
        _only_ours(path)
    c.JupyterHub.authenticator_class = CourseAuthenticator
    c.CourseAuthenticator.platform = platform
    c.CourseAuthenticator.course = course
    c.CourseAuthenticator.issuer = platform.issuer
    c.CourseAuthenticator.client_id = {platform.client_id}
    c.CourseAuthenticator.authorize_url = platform.authorize_url
    c.CourseAuthenticator.jwks_endpoint = platform.jwks_url
    c.CourseAuthenticator.manage_groups = True
    c.CourseAuthenticator.allow_all = True  # all whom the platform's course sends


def _only_ours(path: Path) -> None:
    """Refuse a file, or a folder on the way to it, that others can change."""
    for each in (path.resolve(), *path.resolve().parents):
        found = each.stat()
        shared = found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
        if found.st_uid not in (os.geteuid(), 0) or shared:
            raise lti.PlatformError(
                f"{each} must belong to the user that the hub runs as, and only this user may "
                "write it, for whoever can change what lies there can log in as anybody."
            )
