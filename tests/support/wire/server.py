"""A local server that speaks two vendors' chat and embedding protocols, and misbehaves on command.

In tests: `with WireServer() as wire: wire.queue(status(503), say("{}"))`. By hand:
`python tests/support/wire/server.py --port 8111`, then OPENAI_BASE_URL=http://127.0.0.1:8111/v1 or
DASHSCOPE_HTTP_BASE_URL=http://127.0.0.1:8111/api/v1.

What it does with a request: the next behaviour queued for the model, else the next queued for all, else what the
model's name says (`wire-503` and the other names of NAMED), else `--behaviour`, else a sensible, deterministic answer.
Behaviours can be queued from outside too: POST /wire/queue {"model": "…", "behaviours": ["429-3", "503"]};
GET /wire/heard lists what was asked; POST /wire/reset forgets it; POST /wire/delay {"seconds": 0.2} slows it down.
"""

import argparse
import hashlib
import json
import re
import struct
import threading
import time
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import MSG_DONTWAIT, MSG_PEEK, SO_LINGER, SOL_SOCKET
from typing import Any, Self

Behaviour = Callable[["Exchange"], None]

OPENAI_PATH = "/chat/completions"
DASHSCOPE_TEXT_PATH = "/services/aigc/text-generation/generation"
DASHSCOPE_PICTURE_PATH = "/services/aigc/multimodal-generation/generation"
OPENAI_VECTORS_PATH = "/embeddings"
DASHSCOPE_VECTORS_PATH = "/services/embeddings/text-embedding/text-embedding"


@dataclass(frozen=True)
class Heard:
    """One request as it was received; header names are in lower case."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def model(self) -> str:
        """The model that was asked."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation, in the vendor's form."""
        input_part = self.body.get("input")
        messages = (
            self.body.get("messages") or (input_part.get("messages") if isinstance(input_part, dict) else None) or []
        )
        return list(messages)

    def said(self, role: str = "user") -> str:
        """Return all texts of one role, a line break between them."""
        return "\n".join(_texts(message["content"]) for message in self.messages if message["role"] == role)

    @property
    def pictures(self) -> list[str]:
        """All pictures that were sent, as URLs."""
        parts = [part for message in self.messages for part in message["content"] if isinstance(part, dict)]
        openai = [part["image_url"]["url"] for part in parts if "image_url" in part]
        return openai + [part["image"] for part in parts if "image" in part]

    @property
    def texts(self) -> list[str]:
        """The texts to be embedded; empty for a chat request."""
        texts = self.body.get("input")
        if self.path.endswith(DASHSCOPE_VECTORS_PATH) and isinstance(texts, dict):
            return list(texts["texts"])
        return list(texts) if self.path.endswith(OPENAI_VECTORS_PATH) and isinstance(texts, list) else []

    @property
    def dimensions(self) -> int:
        """The requested number of dimensions; 0 if none was requested."""
        return int(self.body.get("dimensions") or self.body.get("parameters", {}).get("dimension") or 0)

    @property
    def digest(self) -> str:
        """A short hash of the conversation, to recognise repeated questions."""
        return hashlib.sha256(json.dumps(self.messages, sort_keys=True).encode()).hexdigest()[:16]


def _texts(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if "text" in part)


class Exchange:
    """One request that is being answered, and the ways to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, heard: Heard, stopped: threading.Event, due: float) -> None:
        self.heard = heard
        self.stopped = stopped
        self._handler = handler
        self._due = due

    @property
    def speaks_openai(self) -> bool:
        """Whether the request uses OpenAI's protocol; otherwise it is DashScope's."""
        return self.heard.path.endswith((OPENAI_PATH, OPENAI_VECTORS_PATH))

    def reply(
        self, text: str | None, *, finish: str = "stop", usage: bool = True, thought: int = 0, **message: Any
    ) -> dict[str, Any]:
        """Return a complete answer in the vendor's form; `thought`: further tokens, which went into thinking."""
        if self.speaks_openai:
            return self._openai(text, finish, usage, thought, message)
        pictured = self.heard.path.endswith(DASHSCOPE_PICTURE_PATH)
        content: Any = [{"text": text}] if pictured and text is not None else text
        choice = {"finish_reason": finish, "message": {"role": "assistant", "content": content}}
        body: dict[str, Any] = {"request_id": self.heard.digest, "output": {"choices": [choice]}}
        if usage:
            body["usage"] = {"input_tokens": 120, "output_tokens": 30 + thought, "total_tokens": 150 + thought}
            body["usage"] |= {"output_tokens_details": {"reasoning_tokens": thought}} if thought else {}
        return body

    def _openai(
        self, text: str | None, finish: str, usage: bool, thought: int, message: dict[str, Any]
    ) -> dict[str, Any]:
        full_message = {"role": "assistant", "content": text, **message}
        body: dict[str, Any] = {
            "id": f"chatcmpl-{self.heard.digest}",
            "object": "chat.completion",
            "created": 1_760_000_000,
            "model": self.heard.model,
            "choices": [{"index": 0, "message": full_message, "finish_reason": finish}],
        }
        if usage:
            body["usage"] = {
                "prompt_tokens": 120,
                "completion_tokens": 30 + thought,
                "total_tokens": 150 + thought,
                "completion_tokens_details": {"reasoning_tokens": thought},
            }
        return body

    def vectors(self, rows: list[tuple[int, list[float]]]) -> dict[str, Any]:
        """Return a complete answer of vectors in the vendor's form, each with its index."""
        if self.speaks_openai:
            data = [{"object": "embedding", "index": index, "embedding": numbers} for index, numbers in rows]
            usage = {"prompt_tokens": 9, "total_tokens": 9}
            return {"object": "list", "data": data, "model": self.heard.model, "usage": usage}
        embeddings = [{"text_index": index, "embedding": numbers} for index, numbers in rows]
        return {"request_id": self.heard.digest, "output": {"embeddings": embeddings}, "usage": {"total_tokens": 9}}

    def fault(self, code: str, message: str, parameter: str | None = None) -> dict[str, Any]:
        """Return an error body in the vendor's form; only OpenAI's has a place for the parameter at fault."""
        if self.speaks_openai:
            return {"error": {"message": message, "type": "error", "param": parameter, "code": code}}
        return {"code": code, "message": message, "request_id": self.heard.digest}

    def send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        """Send a complete JSON body."""
        self.send_bytes(status, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})

    def send_bytes(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        """Send a complete body."""
        self.begin(status, {"Content-Length": str(len(content)), **headers})
        self.write(content)

    def begin(self, status: int, headers: dict[str, str]) -> None:
        """Prepare the status and the headers; they go out with the first bytes of the body."""
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()

    def write(self, content: bytes) -> None:
        """Send some bytes, the first ones when the answer is due."""
        self._wait_until_due()
        self._handler.wfile.write(content)
        self._handler.wfile.flush()

    def pause(self, seconds: float) -> bool:
        """Wait for some seconds. Return False if the server is being stopped."""
        return not self.stopped.wait(seconds)

    def _wait_until_due(self) -> None:
        """Wait for the rest of the delay: what the server takes for an answer is a part of it."""
        if self.stopped.wait(max(0.0, self._due - time.monotonic())):
            raise ConnectionAbortedError("the server is being stopped")

    def is_abandoned(self) -> bool:
        """Return whether whoever asked has closed the connection."""
        try:
            return self._handler.connection.recv(1, MSG_PEEK | MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def hang_up(self) -> None:
        """Reset the connection."""
        self._wait_until_due()
        self._handler.close_connection = True
        self._handler.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self._handler.connection.close()


# ── Behaviours ────────────────────────────────────────────────────────────────


def say(text: str | None, *, finish: str = "stop", usage: bool = True, **message: Any) -> Behaviour:
    """Answer with this text."""
    return lambda exchange: exchange.send(200, exchange.reply(text, finish=finish, usage=usage, **message))


def cached(behaviour: Behaviour, tokens: int) -> Behaviour:
    """Do the same, and state that so many of the prompt's tokens had been read shortly before."""

    def behave(exchange: Exchange) -> None:
        send = exchange.send

        def with_details(code: int, answer: Any, headers: dict[str, str] | None = None) -> None:
            answer["usage"]["prompt_tokens_details"] = {"cached_tokens": tokens}
            send(code, answer, headers)

        exchange.send = with_details  # type: ignore[method-assign]
        behaviour(exchange)

    return behave


def status(code: int, word: str = "", message: str = "as it was asked to", **headers: str) -> Behaviour:
    """Answer with an error; headers as retry_after="3"."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return lambda exchange: exchange.send(code, exchange.fault(word, message), named)


def body(content: bytes, kind: str = "text/html", **headers: str) -> Behaviour:
    """Answer 200 with these bytes."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return lambda exchange: exchange.send_bytes(200, content, {"Content-Type": kind, **named})


def hang(seconds: float = 600) -> Behaviour:
    """Accept the request and never answer."""

    def behave(exchange: Exchange) -> None:
        exchange.pause(seconds)
        exchange.hang_up()

    return behave


def drip(every: float = 0.5, *, headers: bool = False) -> Behaviour:
    """Send a good answer, or its headers, one byte at a time, so that no read timeout is reached."""

    def behave(exchange: Exchange) -> None:
        content = json.dumps(exchange.reply("drop by drop")).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode()
        if not headers:
            exchange.write(head)
        for letter in (head if headers else b"") + content:
            exchange.write(bytes([letter]))
            if not exchange.pause(every):
                return

    return behave


def cut(after: int = 60) -> Behaviour:
    """Announce a complete answer and stop in the middle."""

    def behave(exchange: Exchange) -> None:
        content = json.dumps(exchange.reply("this will not arrive in one piece")).encode()
        exchange.begin(200, {"Content-Type": "application/json", "Content-Length": str(len(content))})
        exchange.write(content[:after])
        exchange.hang_up()

    return behave


def hang_up(exchange: Exchange) -> None:
    """Reset the connection before anything is sent."""
    exchange.hang_up()


def huge(megabytes: int = 80) -> Behaviour:
    """Answer without end."""

    def behave(exchange: Exchange) -> None:
        exchange.begin(200, {"Content-Type": "application/json", "Content-Length": str(megabytes * 2**20)})
        for _ in range(megabytes):
            exchange.write(b" " * 2**20)

    return behave


def bomb(exchange: Exchange) -> None:
    """Answer with a small gzip body that expands to 50 MB."""
    packer = zlib.compressobj(wbits=31)
    packed = b"".join(packer.compress(b" " * 2**20) for _ in range(50)) + packer.flush()
    exchange.send_bytes(200, packed, {"Content-Type": "application/json", "Content-Encoding": "gzip"})


def packed(exchange: Exchange) -> None:
    """Answer sensibly, but compressed by gzip although the client did not ask for it."""
    packer = zlib.compressobj(wbits=31)
    content = packer.compress(json.dumps(exchange.reply(answer_for(exchange.heard))).encode()) + packer.flush()
    exchange.send_bytes(200, content, {"Content-Type": "application/json", "Content-Encoding": "gzip"})


def blocked(exchange: Exchange) -> None:
    """Answer that the content was blocked, in the vendor's form."""
    code = "content_filter" if exchange.speaks_openai else "DataInspectionFailed"
    exchange.send(400, exchange.fault(code, "Input data may contain inappropriate content."))


def sensible(exchange: Exchange) -> None:
    """Answer the question in the requested form; the same question always gets the same answer."""
    if exchange.heard.texts:
        return vectors()(exchange)
    exchange.send(200, exchange.reply(answer_for(exchange.heard)))


Rows = list[tuple[int, list[float]]]


def vectors(change: Callable[[Rows], Rows] = lambda rows: rows, *, dimensions: int = 0) -> Behaviour:
    """Answer with one vector per text, from hashes of its words: texts that share words are near to each other."""

    def behave(exchange: Exchange) -> None:
        width = dimensions or exchange.heard.dimensions or 1024
        rows = [(index, _numbers(text, width)) for index, text in enumerate(exchange.heard.texts)]
        exchange.send(200, exchange.vectors(change(rows)))

    return behave


def _numbers(text: str, width: int) -> list[float]:
    numbers = [0.0] * width
    for word in text.casefold().split():
        numbers[int(hashlib.sha256(word.encode()).hexdigest(), 16) % width] += 1.0
    return numbers


def altered(change: Callable[[str], str], *, finish: str = "stop") -> Behaviour:
    """Answer sensibly, with a change of the text."""
    return lambda exchange: exchange.send(200, exchange.reply(change(answer_for(exchange.heard)), finish=finish))


def _with(**fields: Any) -> Callable[[str], str]:
    return lambda text: json.dumps({**json.loads(text), **fields})


NAMED: dict[str, Behaviour] = {
    "sensible": sensible,
    "429": status(429, "rate_limit_exceeded"),
    "429-3": status(429, "rate_limit_exceeded", retry_after="3"),
    "429-600": status(429, "rate_limit_exceeded", retry_after="600"),
    "quota": status(429, "insufficient_quota", "You exceeded your current quota."),
    "401": status(401, "invalid_api_key", "Incorrect API key provided."),
    "403": status(403, "AccessDenied", "Access denied."),
    "404": status(404, "model_not_found", "The model does not exist."),
    "context": status(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."),
    "500": status(500, "server_error"),
    "502": status(502, "bad_gateway"),
    "503": status(503, "unavailable"),
    "529": status(529, "overloaded"),
    "html": body(b"<html><body>It works!</body></html>"),
    "html-502": lambda exchange: exchange.send_bytes(502, b"<html>Bad gateway</html>", {"Content-Type": "text/html"}),
    "empty": body(b"", "application/json"),
    "garbage": body(b'{"choices": [{"mess', "application/json"),
    "list": body(b"[1, 2]", "application/json"),
    "nested": body(b"[" * 90_000 + b"]" * 90_000, "application/json"),
    "redirect": lambda exchange: exchange.send_bytes(302, b"", {"Location": "http://127.0.0.1:9/elsewhere"}),
    "hang": hang(),
    "hang-up": hang_up,
    "drip": drip(),
    "drip-headers": drip(headers=True),
    "cut": cut(),
    "huge": huge(),
    "bomb": bomb,
    "packed": packed,
    "refusal": say(None, refusal="I will not label this."),
    "decline": say("I'm sorry, but I can't help with that."),
    "filter": say(None, finish="content_filter"),
    "blocked": blocked,
    "null": say(None),
    "blank": say("  \n"),
    "no-choices": lambda exchange: exchange.send(
        200, {**exchange.reply("x"), "choices": [], "output": {"choices": []}}
    ),
    "no-usage": lambda exchange: exchange.send(200, exchange.reply(answer_for(exchange.heard), usage=False)),
    "repeat": say("and so on " * 400, finish="length"),
    "half": altered(lambda text: text[: len(text) // 2], finish="length"),
    "prose": say("I would call this harmless, all in all."),
    "fenced": altered(lambda text: f"```json\n{text}\n```"),
    "wrapped": altered(lambda text: f"Here is my answer: {text} I hope it helps."),
    "label": altered(_with(category="very hateful")),
    "severity": altered(_with(severity=1.7)),
    "severity-word": altered(_with(severity="high")),
    "severity-nan": altered(_with(severity=float("nan"))),
    "missing": altered(lambda text: json.dumps({"category": json.loads(text).get("category")})),
    "extra": altered(_with(mood="grey")),
    "two": altered(lambda text: f"{text}\n{_with(explanation='Something else.')(text)}"),
    "array": altered(lambda text: f"[{text}, {text}]"),
    "echo-system": lambda exchange: exchange.send(200, exchange.reply(exchange.heard.said("system"))),
}
"""By name, for models called wire-<name>, for the queue over HTTP and for the command line."""


# ── Sensible answers ──────────────────────────────────────────────────────────


def answer_for(heard: Heard) -> str:
    """Return a JSON answer for the requested schema: values drawn from a hash of the user's text."""
    digest = hashlib.sha256((heard.said() + "".join(heard.pictures)).encode()).digest()
    form = heard.body.get("response_format") or heard.body.get("parameters", {}).get("response_format") or {}
    schema = form.get("json_schema", {}).get("schema") or _described(heard)
    return json.dumps(_value(schema, schema, digest, heard), ensure_ascii=False)


def _value(schema: dict[str, Any], root: dict[str, Any], digest: bytes, heard: Heard, name: str = "") -> Any:
    if "$ref" in schema:
        return _value(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root, digest, heard, name)
    if "anyOf" in schema:
        return _value(schema["anyOf"][0], root, digest, heard, name)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][digest[0] % len(schema["enum"])]
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        return {key: _value(inner, root, digest, heard, key) for key, inner in schema.get("properties", {}).items()}
    if kind == "array":
        return [_value(schema.get("items", {}), root, digest, heard, name)]
    if kind in ("integer", "number"):
        least, most = int(schema.get("minimum", 0)), int(schema.get("maximum", 3))
        return least + digest[1] % (most - least + 1)
    if kind == "boolean":
        return bool(digest[2] % 2)
    if name in ("category", "label") and (codes := _codes(heard)):
        return codes[digest[0] % len(codes)]
    if name == "id":
        return "c1"  # what one speaker names another finds again
    sentence = f"A {'picture' if heard.pictures else 'text'} that the wire server looked at ({digest.hex()[:6]})."
    return sentence[: schema.get("maxLength", len(sentence))]


def _described(heard: Heard) -> dict[str, Any]:
    """Return the schema of a prior, whose form is only described in the prompt."""
    whole = {"type": "integer", "minimum": 0, "maximum": 3}
    return {"properties": {"category": {"type": "string"}, "explanation": {"type": "string"}, "severity": whole}}


_LISTED = re.compile(r"^\s*[-*] *[`\"]?([A-Za-z0-9_.-]{1,40})[`\"]? *[:—–-] ", re.MULTILINE)


def _codes(heard: Heard) -> list[str]:
    """Return the category codes that a prompt lists, one per line, as `- code: name`."""
    return re.findall(
        r"^\s*[-*] *[`\"]?([A-Za-z0-9_.-]{1,40})[`\"]? *[:—–-] ", heard.said("system") + "\n" + heard.said(), re.M
    )


# ── The server ────────────────────────────────────────────────────────────────


@dataclass
class _Script:
    """The queued behaviours and the requests so far."""

    queues: dict[str, deque[Behaviour]] = field(default_factory=lambda: defaultdict(deque))
    heard: list[Heard] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    delay: float = 0.0
    otherwise: Behaviour = sensible

    def take(self, heard: Heard) -> Behaviour:
        """Record a request and return the behaviour for it."""
        with self.lock:
            self.heard.append(heard)
            for key in (heard.model, ""):
                if self.queues[key]:
                    return self.queues[key].popleft()
        return NAMED.get(heard.model.removeprefix("wire-"), self.otherwise)


class WireServer:
    """The server on a free local port. Each answer comes `delay` seconds after its request."""

    def __init__(self, port: int = 0, *, delay: float = 0.0, otherwise: Behaviour = sensible) -> None:
        self._script = _Script(delay=delay, otherwise=otherwise)
        self._stopped = threading.Event()
        self._server = _Server(("127.0.0.1", port), _handler(self._script, self._stopped))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End all open requests and free the port."""
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        """The port of the server."""
        return int(self._server.server_address[1])

    @property
    def openai_url(self) -> str:
        """The value of OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def dashscope_url(self) -> str:
        """The value of DASHSCOPE_HTTP_BASE_URL."""
        return f"http://127.0.0.1:{self.port}/api/v1"

    @property
    def heard(self) -> list[Heard]:
        """All requests so far, in the order of arrival."""
        with self._script.lock:
            return list(self._script.heard)

    def queue(self, *behaviours: Behaviour | str, model: str = "") -> None:
        """Queue behaviours for the next requests, for one model or for any."""
        chosen = [NAMED[behaviour] if isinstance(behaviour, str) else behaviour for behaviour in behaviours]
        with self._script.lock:
            self._script.queues[model].extend(chosen)

    def always(self, behaviour: Behaviour | str) -> None:
        """Set the behaviour for when nothing is queued and the model is not called wire-<name>."""
        self._script.otherwise = NAMED[behaviour] if isinstance(behaviour, str) else behaviour

    def delay(self, seconds: float) -> None:
        """Set the seconds that pass before each answer."""
        self._script.delay = seconds

    def forget(self) -> None:
        """Delete the recorded requests and the queued behaviours."""
        with self._script.lock:
            self._script.heard.clear()
            self._script.queues.clear()


_PATHS = (OPENAI_PATH, DASHSCOPE_TEXT_PATH, DASHSCOPE_PICTURE_PATH, OPENAI_VECTORS_PATH, DASHSCOPE_VECTORS_PATH)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore the error: clients that disconnect are part of these tests."""


def _handler(script: _Script, stopped: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1  # headers and body in one piece

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

        def do_GET(self) -> None:
            if self.path != "/wire/heard":
                return self._json(404, {"error": "unknown path"})
            with script.lock:
                rows = [
                    {"model": h.model, "path": h.path, "digest": h.digest, "user": h.said(), "at": h.at}
                    for h in script.heard
                ]
            return self._json(200, {"heard": rows})

        def do_POST(self) -> None:
            due = time.monotonic() + script.delay
            announced = int(self.headers.get("Content-Length", 0))
            content = self.rfile.read(announced)
            if len(content) < announced:  # the client was killed while it sent: this is no request
                self.close_connection = True
                return None
            request_body = json.loads(content or b"{}")
            if self.path.startswith("/wire/"):
                return self._control(request_body)
            if not self.path.endswith(_PATHS):
                return self._json(404, {"error": "unknown path"})
            headers = {name.lower(): value for name, value in self.headers.items()}
            heard = Heard(self.path, headers, request_body, time.time())
            script.take(heard)(Exchange(self, heard, stopped, due))

        def _control(self, request_body: dict[str, Any]) -> None:
            with script.lock:
                match self.path:
                    case "/wire/queue":
                        script.queues[request_body.get("model", "")].extend(
                            NAMED[name] for name in request_body["behaviours"]
                        )
                    case "/wire/reset":
                        script.heard.clear()
                        script.queues.clear()
                    case "/wire/delay":
                        script.delay = float(request_body["seconds"])
            self._json(200, {"ok": True})

        def _json(self, code: int, answer: Any) -> None:
            content = json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def main(arguments: Iterable[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8111, help="0 takes a free one (default 8111)")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds from each request to its answer")
    parser.add_argument("--behaviour", choices=sorted(NAMED), default="sensible", help="what any other model does")
    options = parser.parse_args(None if arguments is None else list(arguments))
    with WireServer(options.port, delay=options.delay, otherwise=NAMED[options.behaviour]) as server:
        print(f"OPENAI_BASE_URL={server.openai_url}\nDASHSCOPE_HTTP_BASE_URL={server.dashscope_url}", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
