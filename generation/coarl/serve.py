"""Answer over the OpenAI protocol, for models that vLLM does not serve: an encoder-decoder with an adapter.

One model, one request at a time on it. Known are `messages`, `n`, `temperature`, `top_p`, `max_tokens`,
`max_completion_tokens` and `seed`. What else changes an answer (`stream`, `tools`, `response_format`) is refused.
"""

import json
import sys
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Annotated, Any, Literal
from uuid import uuid4

import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from generation.coarl.language_models import device, open_policy
from generation.coarl.policy import Policy
from generation.coarl.settings_file import LengthSettings, SamplingSettings, Served

_MOST_BYTES = 1_000_000
_GREEDY = 1e-3  # a lower temperature is the most likely reply


class _Part(BaseModel):
    type: Literal["text"]
    text: str


class _Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[_Part] | None = None

    @property
    def words(self) -> str:
        """The text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class _Asked(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(extra="ignore")

    model: str
    messages: Annotated[list[_Message], Field(min_length=1)]
    n: Annotated[int, Field(ge=1, le=32)] = 1
    temperature: Annotated[float, Field(ge=0, le=2)] = 1.0
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    seed: int | None = None
    stream: Literal[False] | None = None
    tools: None = None
    response_format: None = None


class Writer:
    """The model, with a lock: replies are drawn for one request at a time."""

    def __init__(self, settings: Served) -> None:
        self._settings, self._lock = settings, threading.Lock()
        opened = open_policy(settings.model)
        opened.model.to(device()).eval()
        self._policy = Policy(opened, LengthSettings(source=settings.source, target=settings.new_tokens))

    def answer(self, asked: _Asked) -> dict[str, Any]:
        """Return the body of the answer. The last message of the user is the instruction; the model knows no other."""
        instruction = next(message.words for message in reversed(asked.messages) if message.role == "user")
        tokens = min(asked.max_completion_tokens or asked.max_tokens or 10**9, self._settings.new_tokens)
        with self._lock:
            if asked.seed is not None:
                torch.manual_seed(asked.seed)
            rows = self._replies(asked, instruction, tokens)
        ids, _mask = self._policy.prompts([instruction])
        return {
            "id": f"chatcmpl-{uuid4().hex}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self._settings.name,
            "choices": [
                {
                    "index": place,
                    "message": {"role": "assistant", "content": text},
                    "finish_reason": "stop" if ended else "length",
                    "logprobs": None,
                }
                for place, (text, ended, _count) in enumerate(rows)
            ],
            "usage": _usage(ids.shape[1], sum(count for _text, _ended, count in rows)),
        }

    def _replies(self, asked: _Asked, instruction: str, tokens: int) -> list[tuple[str, bool, int]]:
        """Return for each reply its text, whether it ended by itself, and its length in tokens."""
        greedy = asked.temperature < _GREEDY
        drawn = self._policy.sample([instruction] * (1 if greedy else asked.n), SamplingSettings(
            replies_per_post=2, temperature=max(asked.temperature, _GREEDY), top_k=1 if greedy else 0,
            top_p=asked.top_p, new_tokens=tokens,
        ))  # fmt: skip
        end = self._policy.language_model.tokenizer.eos_token_id
        rows = zip(self._policy.texts(drawn), drawn.ids.tolist(), drawn.mask.sum(1).tolist(), strict=True)
        replies = [(text, end in ids[:count], int(count)) for text, ids, count in rows]
        return replies * asked.n if greedy else replies


def _usage(prompt: int, completion: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def server(settings: Served) -> ThreadingHTTPServer:
    """Return a server that is bound to its address and has its model open; `serve_forever` starts it."""
    writer = Writer(settings)

    class Handler(_Handler):
        def answer(self, asked: _Asked) -> dict[str, Any]:
            return writer.answer(asked)

        name = settings.name

    return ThreadingHTTPServer((settings.host, settings.port), Handler)


def serve(settings: Served) -> None:
    """Serve until the process is stopped."""
    if settings.threads:
        torch.set_num_threads(settings.threads)
    with server(settings) as http:
        host, port = http.server_address[:2]
        print(f"{settings.name} answers on http://{host!s}:{port}/v1", file=sys.stderr, flush=True)
        try:
            http.serve_forever()
        except KeyboardInterrupt:
            print("Stopped.", file=sys.stderr)


class _Handler(BaseHTTPRequestHandler):
    """The two addresses of the protocol that are needed."""

    name = ""
    protocol_version = "HTTP/1.1"

    def answer(self, asked: _Asked) -> dict[str, Any]:
        raise NotImplementedError

    def do_GET(self) -> None:
        if self.path.rstrip("/") == "/v1/models":
            row = {"id": self.name, "object": "model", "created": 0, "owned_by": "interplay"}
            self._send(200, {"object": "list", "data": [row]})
        else:
            self._refuse(404, "There is no such address.")

    def do_POST(self) -> None:
        body = self.rfile.read(min(self._length(), _MOST_BYTES))
        if self._length() > _MOST_BYTES:
            self.close_connection = True
            return self._refuse(413, "The request is too large.")
        if self.path.rstrip("/") != "/v1/chat/completions":
            return self._refuse(404, "There is no such address.")
        try:
            asked = _Asked.model_validate_json(body)
        except ValidationError as fault:
            first = fault.errors()[0]
            return self._refuse(400, f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}")
        if asked.model != self.name:
            return self._refuse(404, f"The model {asked.model!r} is not served here; {self.name!r} is.")
        if not any(message.role == "user" for message in asked.messages):
            return self._refuse(400, "messages: one has to be the user's.")
        self._send(200, self.answer(asked))

    def _length(self) -> int:
        written = self.headers.get("Content-Length", "0")
        return int(written) if written.isdigit() else 0

    def _refuse(self, status: int, sentence: str) -> None:
        self._send(status, {"error": {"message": sentence, "type": "invalid_request_error", "code": None}})

    def _send(self, status: int, body: Mapping[str, Any]) -> None:
        content = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Log no request: it holds a post."""
