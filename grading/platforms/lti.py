"""The learning platform: what it is called, who launched from it, where its columns for points are.

``lti.toml`` in the course's folder says with which platform the course is connected by LTI 1.3
(1EdTech, *Learning Tools Interoperability Core Specification 1.3*). A hub writes down who logs in
from it; the command that sends points reads that. Nothing here needs more than Python itself, for a
hub may run in an environment of its own.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
import urllib.parse
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grading.course.secret import WORKING_FOLDER
from grading.errors import ExplainedError

FILE = "lti.toml"
CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
GRADES = "https://purl.imsglobal.org/spec/lti-ags/"  # Assignment and Grade Services 2.0
NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,127}")  # nbgrader's exchange separates by "+"
PRIVATE_KEY = Path(WORKING_FOLDER, "lti_key.pem")
LAUNCHES = Path(WORKING_FOLDER, "lti_launches.json")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class PlatformError(ExplainedError):
    """What connects the course with its platform is wrong; the sentence says what."""


@dataclass(frozen=True)
class Platform:
    """A course on a platform, as ``lti.toml`` describes it.

    Attributes:
        issuer: the platform's identifier.
        client_id: of this tool on the platform.
        deployment_id: of this tool in the course, or in the account that the course belongs to.
        authorize_url: where a browser is sent to log in.
        jwks_url: where the platform publishes its keys.
        token_url: where a tool gets a token for services.
        context_id: the platform's identifier of the one course whose members may log in.
        username: which claim names a user here: ``sub``, ``email``, or ``custom_`` and the name of
            a custom parameter.
        private_key: the file with the key that requests for tokens are signed with.
        launches: the file in which a hub writes down who logged in.
        people: users of the platform, by ``sub``, whose name here is set by hand.
    """

    issuer: str
    client_id: str
    deployment_id: str
    authorize_url: str
    jwks_url: str
    token_url: str
    context_id: str = ""
    username: str = "sub"
    private_key: Path = PRIVATE_KEY
    launches: Path = LAUNCHES
    people: dict[str, str] = field(default_factory=dict)


_REQUIRED = ("issuer", "client_id", "deployment_id", "authorize_url", "jwks_url", "token_url")
_OPTIONAL = ("context_id", "username", "private_key", "launches")


def read(path: Path) -> Platform:
    """Read ``lti.toml``; paths in it are relative to its folder.

    Raises:
        PlatformError: if there is none, or anything in it is not as it should be.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PlatformError(
            f"There is no {path}, which says what learning platform the course is on; the page "
            "for instructors shows one."
        ) from None
    except OSError as error:
        raise PlatformError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # of TOML, or of UTF-8
        raise PlatformError(f"{path} is not TOML: {error}.") from error
    people = found.pop("people", {})
    for key, value in found.items():
        if key not in (*_REQUIRED, *_OPTIONAL):
            names = ", ".join((*_REQUIRED, *_OPTIONAL, "people"))
            raise PlatformError(f"{path}: there is no setting {key!r}, only {names}.")
        if not isinstance(value, str) or not value.strip():
            raise PlatformError(f"{path}: {key} is {value!r}, expected a text in quotes.")
    missing = [key for key in _REQUIRED if key not in found]
    if missing:
        raise PlatformError(f"{path}: {', '.join(missing)} must be there, too.")
    for key in ("authorize_url", "jwks_url", "token_url"):
        check_address(found[key], f"{path}: {key}")
    username = found.get("username", "sub")
    if not re.fullmatch(r"sub|email|custom_\w+", username):
        raise PlatformError(
            f"{path}: username is {username!r}, expected 'sub', 'email', or 'custom_NAME' for the "
            "custom parameter NAME."
        )
    if not isinstance(people, dict):
        raise PlatformError(f"{path}: expected a table [people] of the platform's ids and names.")
    for sub, name in people.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise PlatformError(
                f"{path}: {sub!r} in [people] is called {name!r}, expected a name of small "
                "letters, digits and ._@- that begins with a letter or digit."
            )
    twice = sorted({name for name in people.values() if list(people.values()).count(name) > 1})
    if twice:
        raise PlatformError(f"{path}: in [people], more than one is called {twice[0]}.")
    for key, default in (("private_key", PRIVATE_KEY), ("launches", LAUNCHES)):
        found[key] = path.parent / found.get(key, default)
    return Platform(**found, people=people)


def check_address(address: str, what: str) -> None:
    """Refuse an address over which a token or a login would travel in the open.

    Raises:
        PlatformError: unless it is ``https``, or on this very machine.
    """
    try:
        parts = urllib.parse.urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        parts, host = urllib.parse.urlsplit(""), ""
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)):
        raise PlatformError(
            f"{what} is {address!r}, expected an address that begins with https://."
        )


# ---- Who launched --------------------------------------------------------------------------------


@dataclass
class Person:
    """Somebody who logged in from the platform, and under which names, before and now."""

    username: str
    name: str = ""
    email: str = ""
    role: str = ""
    former: list[str] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """All names on the hub that belong to this person."""
        return {self.username, *self.former}


@dataclass
class Launches:
    """What the platform has said in launches.

    Attributes:
        people: those who logged in, by the platform's id (``sub``).
        line_items: links of the course to their columns for points: the link's id to the name of
            the assignment that it stands for, and the column's address.
        container: where the columns of the course are listed, and made.
        scopes: what the platform lets this tool do with them.
    """

    people: dict[str, Person] = field(default_factory=dict)
    line_items: dict[str, tuple[str, str]] = field(default_factory=dict)
    container: str = ""
    scopes: list[str] = field(default_factory=list)

    def line_item(self, assignment: str) -> str:
        """The address of an assignment's column; nothing if no launch has told it.

        Raises:
            PlatformError: if there are several.
        """
        called = assignment.casefold()
        found = {url for name, url in self.line_items.values() if name.strip().casefold() == called}
        if len(found) > 1:
            raise PlatformError(
                f"{len(found)} links of the platform's course are called {assignment}, each with a "
                "column of its own: rename all but one, launch each once, and try again."
            )
        return found.pop() if found else ""

    def learn(self, token: dict[str, Any], person: Person) -> None:
        """Write down what a launch says: an id token that was verified."""
        self.people[token["sub"]] = person
        link = token.get(f"{CLAIM}resource_link") or {}
        custom = token.get(f"{CLAIM}custom") or {}
        service = token.get(f"{GRADES}claim/endpoint") or {}
        if service.get("lineitem"):
            called = str(custom.get("assignment") or link.get("title") or "")
            self.line_items[str(link.get("id", ""))] = (called, str(service["lineitem"]))
        if service:
            self.container = str(service.get("lineitems", ""))
            self.scopes = sorted(map(str, service.get("scope", [])))


def read_launches(path: Path) -> Launches:
    """Read what a hub has written down; nothing if nobody has logged in yet.

    Raises:
        PlatformError: if it cannot be read, or is not what a hub wrote.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        people = {sub: Person(**person) for sub, person in found.pop("people").items()}
        items = {link: (str(name), str(url)) for link, (name, url) in found["line_items"].items()}
        return Launches(people, items, str(found["container"]), list(map(str, found["scopes"])))
    except FileNotFoundError:
        return Launches()
    except OSError as error:
        raise PlatformError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PlatformError(
            f"{path} is not what a hub writes down of launches: put it back from a backup, or "
            "delete it, and whoever logs in again is written down again."
        ) from error


def write_launches(path: Path, launches: Launches) -> None:
    """Write it, whole or not at all, readable for the group of the folder."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with open(descriptor, "w", encoding="utf-8") as stream:
            json.dump(asdict(launches), stream, indent=1, ensure_ascii=False)
        os.chmod(temporary, 0o640)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
