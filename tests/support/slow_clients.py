"""Clients that hold connections and say or take nearly nothing, beside people who label. One program, no Django.

`python slow_clients.py PLAN`, a JSON object (`Plan`), prints what the people met (`Figures`), undisturbed and attacked.
"""

import asyncio
import json
import random
import re
import socket
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlencode

KINDS = ("heads", "bodies", "readers", "silent")
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
ACTION = re.compile(r'action="(/p/[^"]+/label/[0-9a-f-]{36}/)"')
KEY = re.compile(r'name="key" value="([0-9a-f-]{36})"')
_LONGEST = 60.0
"""Seconds after which somebody gives a page up."""


@dataclass
class Plan:
    """What is tried: clients of these kinds, from these addresses, beside one person for each session.

    People label undisturbed for `alone` seconds, then for `seconds` beside the clients.
    """

    port: int
    slug: str
    sessions: list[str]
    kinds: list[str]
    clients: int
    alone: float
    seconds: float
    addresses: list[str]
    host: str = "localhost"
    thinks: float = 1.0
    pages: list[str] = field(default_factory=lambda: ["/accounts/login/"])


@dataclass
class Figures:
    """What people met in one part of the time: seconds of each request, labels that were stored, refused requests."""

    times: list[float] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def p95(self) -> float:
        return sorted(self.times)[int(len(self.times) * 0.95)] if self.times else _LONGEST


class SlowClient:
    """A client of one kind that connects again whenever it is sent away."""

    sent_away = connected = 0

    def __init__(self, plan: Plan, number: int) -> None:
        self.plan, self.kind = plan, plan.kinds[number % len(plan.kinds)]
        self.source = plan.addresses[number % len(plan.addresses)]
        self.page = plan.pages[number % len(plan.pages)]

    async def attack(self) -> None:
        while True:
            with suppress(OSError):
                await self._hold(self._socket())
                SlowClient.sent_away += 1
            await asyncio.sleep(random.uniform(1.5, 2.5))

    def _socket(self) -> socket.socket:
        line = socket.socket()
        line.setblocking(False)
        if self.kind == "readers":
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        line.bind((self.source, 0))
        return line

    async def _hold(self, line: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with line:
            await loop.sock_connect(line, ("127.0.0.1", self.plan.port))
            SlowClient.connected += 1
            head = f"Host: {self.plan.host}:{self.plan.port}\r\nUser-Agent: slow\r\n"
            if self.kind == "heads":
                await loop.sock_sendall(line, b"GET /accounts/login/ HTTP/1.1\r\nX-Slow: ")
            elif self.kind == "bodies":
                head = f"POST /accounts/logout/ HTTP/1.1\r\n{head}Cookie: csrftoken={'a' * 32}\r\n"
                head += "Content-Length: 50000\r\n"
                form = "Content-Type: application/x-www-form-urlencoded\r\n\r\ncsrfmiddlewaretoken="
                await loop.sock_sendall(line, (head + form).encode())
            elif self.kind == "readers":
                await loop.sock_sendall(line, f"GET {self.page} HTTP/1.1\r\n{head}\r\n".encode())
            while True:
                await asyncio.sleep(random.uniform(1.5, 2.5))
                if self.kind in ("heads", "bodies"):
                    await loop.sock_sendall(line, b"x")
                if self.kind == "readers":
                    if not await loop.sock_recv(line, 1):
                        return
                    continue
                with suppress(BlockingIOError):
                    if not line.recv(4096):
                        return


class Annotator:
    """Somebody who labels one post after the other and thinks in between, over a connection that is kept."""

    def __init__(self, plan: Plan, session: str) -> None:
        self.plan, self.page = plan, f"/p/{plan.slug}/label/"
        self.cookies = {"sessionid": session}
        self.line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.figures = Figures()

    async def label(self) -> None:
        text = ""
        while True:
            await asyncio.sleep(random.uniform(0.5, 1.5) * self.plan.thinks)
            action, key, token = ACTION.search(text), KEY.search(text), TOKEN.search(text)
            if action and key and token:
                fields = {"csrfmiddlewaretoken": token[1], "category": "0", "key": key[1]}
                text = await self._timed("POST", action[1], fields)
                if text:
                    self.figures.acknowledged.append(key[1])
            else:
                text = await self._timed("GET", self.page)

    async def _timed(self, method: str, path: str, fields: dict[str, str] | None = None) -> str:
        began = time.monotonic()
        try:
            status, text = await asyncio.wait_for(self._ask(method, path, fields), _LONGEST)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as fault:
            status, text, self.line = 0, repr(fault), None
        figures = self.figures  # the part in which the answer came, or did not
        figures.times.append(time.monotonic() - began)
        if status == 200:
            return text
        figures.refused.append(f"{status} {method} {path} {text[:200]}")
        return ""

    async def _ask(self, method: str, path: str, fields: dict[str, str] | None) -> tuple[int, str]:
        kept = self.line is not None
        try:
            return await self._exchange(method, path, fields)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.line = None
            if not kept:
                raise
            return await self._exchange(method, path, fields)  # a kept connection has ended: browsers make a new one

    async def _exchange(self, method: str, path: str, fields: dict[str, str] | None) -> tuple[int, str]:
        if self.line is None:
            self.line = await asyncio.open_connection("127.0.0.1", self.plan.port)
        reader, writer = self.line
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.plan.host}:{self.plan.port}\r\nCookie: {cookies}\r\n"
        body = urlencode(fields or {})
        if fields is not None:
            head += "Content-Type: application/x-www-form-urlencoded\r\nHX-Request: true\r\nHX-Target: bench\r\n"
            head += f"Content-Length: {len(body)}\r\n"
        writer.write(f"{head}\r\n{body}".encode())
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
        content = await self._content(reader, dict(headers))
        for cookie in (value for name, value in headers if name == "set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        if dict(headers).get("connection", "").lower() == "close":
            writer.close()
            self.line = None
        return int(lines[0].split()[1]), content.decode(errors="replace")

    async def _content(self, reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
        if "content-length" in headers:
            return await reader.readexactly(int(headers["content-length"]))
        content = b""
        while size := int((await reader.readline()).strip(), 16):  # a proxy may send it in chunks
            content += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
        return content


async def tried(plan: Plan) -> dict[str, Any]:
    """Let people label, first alone where the plan says so and then under attack. Return the figures of each part."""
    people = [Annotator(plan, session) for session in plan.sessions]
    labelling = [asyncio.create_task(person.label()) for person in people]
    await asyncio.sleep(3 * plan.thinks)  # everybody has opened the page
    parts = {}
    attack: list[asyncio.Task[None]] = []
    for part, seconds in (("undisturbed", plan.alone), ("attacked", plan.seconds)):
        if not seconds:
            continue
        if part == "attacked":
            attack = [asyncio.create_task(SlowClient(plan, number).attack()) for number in range(plan.clients)]
            for person in people:
                person.figures = Figures()
            await asyncio.sleep(min(5.0, plan.seconds / 2))  # all have connected
        figures = Figures()
        for person in people:
            person.figures = figures
        await asyncio.sleep(seconds)
        parts[part] = figures
    until = time.monotonic() + _LONGEST
    while len(parts["attacked"].times) < len(people) and time.monotonic() < until:
        await asyncio.sleep(0.5)  # whoever still waits is counted too
    for task in (*labelling, *attack):
        task.cancel()
    shown = {name: asdict(part) | {"p95": part.p95, "requests": len(part.times)} for name, part in parts.items()}
    return shown | {"connected": SlowClient.connected, "sent_away": SlowClient.sent_away}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(tried(Plan(**json.loads(sys.argv[1]))))))
