"""People who label over HTTP while the site has faults.

They send a form again until it is accepted, as the page's script does.

`python -c "import django; django.setup(); import site_visitors; site_visitors.main(SLUG, ITEMS, PEOPLE)"` creates a
project for them in the configured database and prints it as JSON.
"""

import http.client
import json
import re
import threading
import time
from typing import Any
from urllib.parse import urlencode

from django.test import Client

from annotation.batches.open_items import open_items
from annotation.domain.choices import Role, Stage
from annotation.members.join import add_member
from annotation.members.participation import consent
from annotation.models import Item, User
from annotation.projects.create import create_project

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
ACTION = re.compile(r'action="(/p/[^"]+/label/[0-9a-f-]{36}/)"')
KEY = re.compile(r'name="key" value="([0-9a-f-]{36})"')
_LAST = 40.0
"""For so many seconds a form that is under way at the end is still sent again."""


def fill(slug: str, items: int, people: int) -> dict[str, Any]:
    """Create an open project and the sessions of its annotators."""
    project = create_project(slug)
    Item.objects.bulk_create(
        Item(project=project, external_id=f"i-{number}", text=f"Post {number}.", stage=Stage.READY)
        for number in range(items)
    )
    open_items(project)
    sessions = []
    for number in range(people):
        member = add_member(project, f"{slug}-{number}", Role.ANNOTATOR).membership
        consent(member)
        sessions.append(session_of(member.user))
    return {"slug": project.slug, "sessions": sessions}


def session_of(user: User | None) -> str:
    """Sign somebody in, and return the session."""
    assert user is not None
    client = Client()
    client.force_login(user)
    return str(client.cookies["sessionid"].value)


def main(slug: str, items: int, people: int) -> None:
    """Fill the configured database and print what was created."""
    print(json.dumps(fill(slug, items, people)))


class Visitor(threading.Thread):
    """A signed-in browser that labels one post after the other until it is told to stop.

    `acknowledged` holds the keys of the forms that the site has confirmed, `away` seconds and Retry-After of each 503;
    `broken` counts connections that ended without an answer; `odd` holds every other answer.
    """

    def __init__(self, port: int, slug: str, session: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.port, self.page, self.stop = port, f"/p/{slug}/label/", stop
        self.cookies = {"sessionid": session}
        self.server = self._connection()
        self.acknowledged: list[str] = []
        self.away: list[tuple[float, str | None]] = []
        self.broken = 0
        self.odd: list[tuple[int, str]] = []

    def run(self) -> None:
        while not self.stop.is_set():
            text = self.patiently("GET", self.page)
            while (action := ACTION.search(text)) and (key := KEY.search(text)) and not self.stop.is_set():
                token = TOKEN.search(text)
                assert token
                text = self.patiently(
                    "POST",
                    action[1],
                    {"csrfmiddlewaretoken": token[1], "category": self.category(action[1]), "key": key[1]},
                )
                if text:
                    self.acknowledged.append(key[1])

    def category(self, action: str) -> str:
        """Return the answer to the form that is sent to this address."""
        return "0"

    def patiently(self, method: str, path: str, fields: dict[str, str] | None = None) -> str:
        """Return the page, requested again while the site gives 503. Returns an empty text for any other status."""
        last = None
        while last is None or time.monotonic() < last:
            began = time.monotonic()
            try:
                status, wait, text = self._ask(method, path, fields)
            except (OSError, http.client.HTTPException):
                self.broken += 1
                self.server = self._connection()
                status, wait, text = 0, None, ""
            if status == 200:
                return text
            if status == 503:
                self.away.append((time.monotonic() - began, wait))
            elif status:
                self.odd.append((status, f"{method} {path} {text[:300]}"))
                return ""
            if self.stop.is_set() and last is None:
                last = time.monotonic() + _LAST
            time.sleep(0.3)
        return ""

    def _ask(self, method: str, path: str, fields: dict[str, str] | None) -> tuple[int, str | None, str]:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if fields is not None:
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true", "HX-Target": "bench"}
        self.server.request(method, path, urlencode(fields) if fields else None, headers)
        answer = self.server.getresponse()
        text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer.status, answer.headers["Retry-After"], text

    def _connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)


class Crowd:
    """Several visitors of one project."""

    def __init__(self, port: int, filled: dict[str, Any], person: type[Visitor] = Visitor) -> None:
        self.stop = threading.Event()
        self.visitors = [person(port, filled["slug"], session, self.stop) for session in filled["sessions"]]
        for visitor in self.visitors:
            visitor.start()

    @property
    def acknowledged(self) -> list[str]:
        """The keys of all forms that the site has confirmed."""
        return [key for visitor in self.visitors for key in visitor.acknowledged]

    @property
    def away(self) -> list[tuple[float, str | None]]:
        """The 503 answers: seconds until each answer, and its Retry-After."""
        return [wait for visitor in self.visitors for wait in visitor.away]

    @property
    def odd(self) -> list[tuple[int, str]]:
        """The answers that are neither 200 nor 503."""
        return [answer for visitor in self.visitors for answer in visitor.odd]

    def labels(self, more: int, seconds: float = 60) -> None:
        """Wait until `more` further forms are confirmed. Fails after `seconds`."""
        target = len(self.acknowledged) + more
        until = time.monotonic() + seconds
        while len(self.acknowledged) < target:
            assert time.monotonic() < until, f"{len(self.acknowledged)} of {target} labels; odd: {self.odd[:3]}"
            assert all(visitor.is_alive() for visitor in self.visitors), "somebody went home"
            time.sleep(0.05)

    def go_home(self) -> None:
        """Stop all visitors after their current requests."""
        self.stop.set()
        for visitor in self.visitors:
            visitor.join(_LAST + 30)
            assert not visitor.is_alive()
