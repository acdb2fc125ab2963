"""A learning platform on the loopback: as much of LTI 1.3 as a course needs, over real HTTP.

Written from the specifications (LTI Core 1.3, Security Framework 1.0, Assignment and Grade Services
2.0), and strict where they are. Addresses of columns have a query, as Moodle's have; a score whose
time is not later than that of the last one is a conflict.
"""

import base64
import datetime
import functools
import hmac
import html
import json
import re
import threading
import time
import urllib.parse
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
AGS = "https://purl.imsglobal.org/spec/lti-ags/"
SCOPES = [f"{AGS}scope/{name}" for name in ("lineitem", "score")]
ROLE = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
CLIENT, DEPLOYMENT, CONTEXT = "tool-1", "deployment-1", "course-7"
GRADING = ("NotReady", "Failed", "Pending", "PendingManual", "FullyGraded")
ACTIVITY = ("Initialized", "Started", "InProgress", "Submitted", "Completed")


def new_key():
    return rsa.generate_private_key(65537, 2048)


_key = functools.cache(new_key)  # one for all simulated platforms of a process


@dataclass
class Column:
    """A line item, and the last score of each student in it."""

    item: dict
    scores: dict[str, dict] = field(default_factory=dict)
    count: int = 0


class SimulatedPlatform:
    """Start it with ``with``; ``people`` maps ids to roles, names and addresses."""

    def __init__(self, tool_key: dict | None = None):
        self.key = _key()
        self.tool_key = tool_key  # the tool's public JWK, once it is entered
        self.people: dict[str, dict] = {}
        self.columns: dict[str, Column] = {}
        self.tokens: dict[str, list[str]] = {}
        self.granted = list(SCOPES)
        self.used_jtis: set[str] = set()
        self.answers: list[tuple[int, dict[str, str]]] = []  # given to the next requests for scores
        self.requests: list[str] = []
        self.redirect_uris: set[str] = set()
        self.nonces: list[str] = []

    def __enter__(self):
        class Handler(_Handler):
            platform = self

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=[0.01], daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def settings(self, **others: str) -> str:
        """The ``lti.toml`` of a course on it."""
        found = {
            "issuer": self.url, "client_id": CLIENT, "deployment_id": DEPLOYMENT,
            "context_id": CONTEXT, "authorize_url": f"{self.url}/authorize",
            "jwks_url": f"{self.url}/jwks", "token_url": f"{self.url}/token", **others,
        }  # fmt: skip
        return "".join(f"{key} = {json.dumps(value)}\n" for key, value in found.items())

    def jwks(self) -> dict:
        return {"keys": [_public(self.key)]}

    def add_column(self, label: str, resource_id: str = "", most: float = 100) -> str:
        """Make a column as a teacher does on the platform; return its address."""
        number = len(self.columns) + 1
        address = f"{self.url}/{CONTEXT}/lineitems/{number}/lineitem?type_id=1"
        item = {"id": address, "label": label, "scoreMaximum": most}
        if resource_id:
            item["resourceId"] = resource_id
        self.columns[str(number)] = Column(item)
        return address

    def column(self, label: str) -> Column:
        (found,) = [each for each in self.columns.values() if each.item["label"] == label]
        return found

    def claims(self, sub: str, nonce: str, link: str = "", column: str = "", **others) -> dict:
        """What a launch says of somebody."""
        person, now = self.people[sub], int(time.time())
        endpoint = {"scope": self.granted, "lineitems": f"{self.url}/{CONTEXT}/lineitems?type_id=1"}
        found = {
            "iss": self.url, "aud": CLIENT, "sub": sub, "iat": now, "exp": now + 60, "nonce": nonce,
            "name": person.get("name", ""), "email": person.get("email", ""),
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}deployment_id": DEPLOYMENT,
            f"{CLAIM}target_link_uri": others.pop("target", ""),
            f"{CLAIM}resource_link": {"id": link or "link-1", "title": link},
            f"{CLAIM}roles": person["roles"],
            f"{CLAIM}context": {"id": CONTEXT, "label": "T", "title": "Transformers"},
            f"{CLAIM}custom": {"username": person.get("username", "")},
            f"{AGS}claim/endpoint": endpoint | ({"lineitem": column} if column else {}),
        }  # fmt: skip
        found |= others
        return {key: value for key, value in found.items() if value is not None}

    def sign(self, claims: dict, key=None, algorithm: str = "RS256", kid: str = "") -> str:
        head = {"kid": kid or _public(self.key)["kid"]}
        return jwt.encode(claims, key or self.key, algorithm, head)

    def log_in(self, browser, login_url: str, sub: str, **launch):
        """Click on the link as somebody; return the tool's last answer without redirects.

        ``change`` gets the token's claims before they are signed, ``token`` the signed token.
        """
        change = launch.pop("change", lambda claims: claims)
        sign = launch.pop("sign", self.sign)
        target = login_url.partition("/lti13")[0] + "/home"
        begin = {
            "iss": self.url, "login_hint": sub, "target_link_uri": target, "client_id": CLIENT,
            "lti_message_hint": "m",
        } | launch.pop("begin", {})  # fmt: skip
        begin = {key: value for key, value in begin.items() if value is not None}
        answer = browser.post(login_url, data=begin, allow_redirects=False)
        if answer.status_code != 302:
            return answer
        assert answer.headers["Location"].startswith(f"{self.url}/authorize?")
        form = browser.get(answer.headers["Location"])
        assert form.status_code == 200, form.text
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', html.unescape(form.text)))
        (action,) = re.findall(r'action="([^"]*)"', html.unescape(form.text))
        claims = change(self.claims(sub, self.nonces[-1], target=target, **launch))
        fields["id_token"] = sign(claims)
        self.last_form = action, fields
        return browser.post(action, data=fields, allow_redirects=False)


def _public(key) -> dict:
    return RSAAlgorithm.to_jwk(key.public_key(), as_dict=True) | {
        "kid": "platform-1", "alg": "RS256", "use": "sig",
    }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    platform: SimulatedPlatform

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, query = self._address()
        if path == "/jwks":
            self._answer(200, self.platform.jwks())
        elif path == "/authorize":
            self._authorize(query)
        elif path == f"/{CONTEXT}/lineitems" and self._allowed("lineitem"):
            wanted = query.get("resource_id")
            items = [column.item for column in self.platform.columns.values()]
            self._answer(200, [i for i in items if wanted in (None, i.get("resourceId"))])
        else:
            self._answer(404)

    def do_POST(self):
        path, _ = self._address()
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.platform.requests.append(path)
        scores = re.fullmatch(rf"/{CONTEXT}/lineitems/(\d+)/lineitem/scores", path)
        if path == "/token":
            self._token(dict(urllib.parse.parse_qsl(body.decode())))
        elif path == f"/{CONTEXT}/lineitems" and self._allowed("lineitem"):
            item = json.loads(body)
            assert self.headers["Content-Type"] == "application/vnd.ims.lis.v2.lineitem+json"
            self.platform.add_column(item["label"], item["resourceId"], item["scoreMaximum"])
            self._answer(201, self.platform.column(item["label"]).item)
        elif scores and scores[1] in self.platform.columns and self._allowed("score"):
            self._score(self.platform.columns[scores[1]], body)
        else:
            self._answer(404)

    def _address(self):
        parts = urllib.parse.urlsplit(self.path)
        return parts.path, dict(urllib.parse.parse_qsl(parts.query))

    def _answer(self, status: int, content=None, head=None):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for key, value in (head or {}).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _authorize(self, query):
        """Security Framework 5.1.1.2: the browser comes back with the tool's request."""
        fixed = {
            "scope": "openid", "response_type": "id_token", "response_mode": "form_post",
            "prompt": "none", "client_id": CLIENT, "lti_message_hint": "m",
        }  # fmt: skip
        wrong = [key for key, value in fixed.items() if query.get(key) != value]
        if query.get("login_hint") not in self.platform.people:
            wrong.append("login_hint")
        if query.get("redirect_uri") not in self.platform.redirect_uris:
            wrong.append("redirect_uri")
        if wrong or not query.get("nonce"):
            self._answer(400, f"wrong: {wrong}")
            return
        self.platform.nonces.append(query["nonce"])
        fields = f'<input name="state" value="{html.escape(query["state"])}">'
        action = html.escape(query["redirect_uri"])
        self._answer(200, f'<form method="post" action="{action}">{fields}</form>'.encode())

    def _token(self, form):
        """Security Framework 4.1: a token for a signed request."""
        platform, wrong = self.platform, ""
        kinds = ("client_credentials", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        if (form.get("grant_type"), form.get("client_assertion_type")) != kinds:
            wrong = "unsupported_grant_type"
        try:
            key = RSAAlgorithm.from_jwk(platform.tool_key)
            claims = jwt.decode(
                form["client_assertion"], key, ["RS256"], audience=f"{platform.url}/token",
                issuer=CLIENT, options={"require": ["iss", "sub", "aud", "iat", "exp", "jti"]},
            )  # fmt: skip
            if claims["sub"] != CLIENT or claims["jti"] in platform.used_jtis:
                wrong = "invalid_client"
            platform.used_jtis.add(claims["jti"])
        except (jwt.PyJWTError, KeyError, TypeError):
            wrong = "invalid_client"
        scopes = form.get("scope", "").split()
        if not scopes or not set(scopes) <= set(platform.granted):
            wrong = wrong or "invalid_scope"
        if wrong:
            self._answer(400, {"error": wrong})
            return
        token = uuid.uuid4().hex
        platform.tokens[token] = scopes
        self._answer(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600,
                           "scope": " ".join(scopes)})  # fmt: skip

    def _allowed(self, scope: str) -> bool:
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        scopes = self.platform.tokens.get(token, []) if kind == "Bearer" else []
        if f"{AGS}scope/{scope}" in scopes:
            return True
        self._answer(401, {"error": "invalid_token"})
        return False

    def _score(self, column: Column, body: bytes):
        """Assignment and Grade Services 3.4."""
        platform = self.platform
        if platform.answers:
            status, head = platform.answers.pop(0)
            if status < 0:
                self.close_connection = True
                return
            if status:
                self._answer(status, {"error": "said so"}, head)
                return
        score = json.loads(body)
        needed = ("userId", "activityProgress", "gradingProgress", "timestamp")
        right = (
            self.headers["Content-Type"] == "application/vnd.ims.lis.v1.score+json"
            and all(isinstance(score.get(key), str) for key in needed)
            and score["gradingProgress"] in GRADING
            and score["activityProgress"] in ACTIVITY
            and ("scoreGiven" not in score or score.get("scoreMaximum", 0) > 0)
        )
        if not right:
            self._answer(400, {"error": "not a score"})
        elif score["userId"] not in platform.people:
            self._answer(422, {"errors": {"message": "User not found\nin course"}})
        elif (last := column.scores.get(score["userId"])) and not _later(score, last):
            self._answer(409, {"error": "timestamp"})
        else:
            column.scores[score["userId"]] = score
            column.count += 1
            self._answer(200, {"resultUrl": f"{platform.url}/result"})


def _later(score: dict, last: dict) -> bool:
    """By whole seconds, as Moodle compares."""
    new, old = (datetime.datetime.fromisoformat(each["timestamp"]) for each in (score, last))
    assert new.tzinfo, "a time zone is required"
    return int(new.timestamp()) > int(old.timestamp())


def forged(claims: dict, secret: bytes = b"") -> str:
    """A token as a forger makes it: without a signature, or with a secret that is none."""
    head = {"alg": "HS256" if secret else "none", "typ": "JWT", "kid": "platform-1"}
    text = b".".join(_coded(json.dumps(part).encode()) for part in (head, claims))
    signature = hmac.digest(secret, text, "sha256") if secret else b""
    return b".".join([text, _coded(signature)]).decode()


def _coded(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")
