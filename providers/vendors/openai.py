"""Chat and embedding models behind the OpenAI protocol: OpenAI itself and every server that speaks it."""

import base64
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2
import openai

from providers import tokens
from providers.http.errors import error_of_status, error_of_transport, hide_key
from providers.http.transport import BoundedTransport, Bounds, TransportFault
from providers.logprobs import word_probability
from providers.messages import Message, Part, ProviderBusy, ProviderError, Refused, Reply, Request, Text, Usage
from providers.vendors.embeddings import Vectors, read_vectors

# The SDK's debug lines hold whole requests, that is, items' texts.
logging.getLogger("openai").setLevel(logging.WARNING)
logging.getLogger("httpx2").setLevel(logging.WARNING)

JsonWish = Literal["schema", "object", "off"]

# Headers in which the SDK describes this machine; no server needs them.
_MACHINE = "Lang Package-Version OS Arch Runtime Runtime-Version Async Retry-Count Read-Timeout"
_OMITTED_HEADERS: dict[str, Any] = {f"X-Stainless-{name}": openai.Omit() for name in _MACHINE.split()}


@dataclass(frozen=True)
class Endpoint:
    """The server to call, and how. An empty address is the SDK's default; `key` is left out of the repr."""

    key: str = field(repr=False)
    address: str = ""
    json_wish: JsonWish = "schema"
    bounds: Bounds = Bounds()


def connect(endpoint: Endpoint, *, provider: str = "openai") -> "Connection":
    """Return a connection pool to one endpoint, shared by all its models and threads."""
    return Connection(endpoint, provider)


class Connection:
    """One client of the SDK: no retries of its own, no proxies, bounded bodies."""

    def __init__(self, endpoint: Endpoint, provider: str) -> None:
        self.endpoint = endpoint
        self.provider = provider
        self._client = openai.OpenAI(
            api_key=endpoint.key or "no-key",  # local servers ask for none, the SDK insists on one
            base_url=endpoint.address or None,
            max_retries=0,
            timeout=httpx2.Timeout(endpoint.bounds.read),
            http_client=httpx2.Client(transport=BoundedTransport(endpoint.bounds), trust_env=False),
        )

    def model(self, name: str) -> "OpenAIChat":
        """Return the model of that name behind this connection."""
        return OpenAIChat(self, name)

    def embedding(self, name: str, dimensions: int) -> "OpenAIEmbedding":
        """Return the embedding model of that name; with `dimensions` 0 the model decides them."""
        return OpenAIEmbedding(self, name, dimensions)

    def send(self, body: dict[str, Any]) -> Any:
        """Return the decoded JSON answer to a chat; raise as `Model.reply` does."""
        return self._exchange("/chat/completions", body)

    def embeddings(self, body: dict[str, Any]) -> Any:
        """Return the decoded JSON answer with vectors; raise as `Model.reply` does."""
        return self._exchange("/embeddings", body)

    def _exchange(self, path: str, body: dict[str, Any]) -> Any:
        try:
            # The client's own `post`: `completions.create` walks through every message by its type hints first, which
            # costs as much as the rest of the call, and changes nothing in a body that is JSON already.
            answer = self._client.post(path, body=body, cast_to=httpx2.Response, options={"headers": _OMITTED_HEADERS})
            return json.loads(answer.content)
        except openai.APIStatusError as fault:
            raise self._status_fault(fault) from None
        except TransportFault as fault:
            raise error_of_transport(self.provider, fault) from fault
        except openai.APIConnectionError as fault:  # the SDK's own wrapping, where it knows the exception
            raise ProviderBusy(f"{self.provider}: {fault}") from fault
        except ValueError as fault:  # JSON and Unicode errors: an HTML page, an empty or a cut body
            raise ProviderBusy(f"{self.provider} answered 200 with something that is not JSON") from fault

    def _status_fault(self, fault: openai.APIStatusError) -> ProviderError | Refused:
        error: dict[str, Any] = fault.body if isinstance(fault.body, dict) else {}
        inner = error["error"] if isinstance(error.get("error"), dict) else error
        code, message = str(inner.get("code") or inner.get("type") or ""), str(inner.get("message") or "")
        message = hide_key(message, self.endpoint.key)
        return error_of_status(self.provider, fault.status_code, code, message, dict(fault.response.headers))


class OpenAIChat:
    """One model. Only the server knows whether it sees pictures, so they are sent and it may refuse them."""

    sees_pictures = True

    def __init__(self, connection: Connection, model: str) -> None:
        self._connection = connection
        self._model = model
        self.name = f"{connection.provider}:{model}"

    def reply(self, request: Request) -> Reply:
        """Answer the request in one exchange; see `Model.reply`."""
        began = time.monotonic()
        answer = self._connection.send(self._body(request))
        return self._read(request, answer, time.monotonic() - began)

    def _body(self, request: Request) -> dict[str, Any]:
        own = not self._connection.endpoint.address
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [_message(message) for message in request.messages],
            # OpenAI's newer models refuse the old name, other servers know only that one.
            "max_completion_tokens" if own else "max_tokens": request.max_tokens,
        }
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.among:
            return body | {"logprobs": True, "top_logprobs": 20}
        wanted = _response_format(request, self._connection.endpoint.json_wish)
        return body | ({"response_format": wanted} if wanted else {})

    def _read(self, request: Request, answer: Any, seconds: float) -> Reply:
        if not isinstance(answer, dict):
            raise ProviderBusy(f"{self._connection.provider} answered 200 with JSON that is no chat completion")
        choice = _first(answer.get("choices"))
        message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        text = hide_key(_text(message.get("content")), self._connection.endpoint.key)
        finish = str(choice.get("finish_reason") or "stop")
        if finish == "content_filter":
            raise Refused(f"{self.name}: the provider's filter stopped the answer", code="provider_blocked")
        if message.get("refusal") and not text:
            raise Refused(f"{self.name}: {str(message['refusal'])[:300]}")
        if request.among:
            text = word_probability(choice.get("logprobs"), request.among, text, self.name)
            finish = "stop"  # one word is all that was wanted
        usage = _usage(answer.get("usage")) or tokens.estimated_usage(request, text)
        return Reply(text, _name(answer.get("model")) or self._model, usage, seconds, finish)


class OpenAIEmbedding:
    """One embedding model."""

    def __init__(self, connection: Connection, model: str, dimensions: int) -> None:
        self._connection = connection
        self._model = model
        self._dimensions = dimensions
        self.name = f"{connection.provider}:{model}"
        self.batch = 32 if dimensions else 8  # numbers in writing: a batch must fit into the bounds of an answer

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of one exchange; see `embeddings.Sender`."""
        wanted = {"dimensions": self._dimensions} if self._dimensions else {}
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"} | wanted
        answer = self._connection.embeddings(body)
        rows = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise ProviderBusy(f"{self._connection.provider} answered 200 with JSON that holds no vectors")
        pairs = [(row.get("index"), row.get("embedding")) if isinstance(row, dict) else (None, None) for row in rows]
        return read_vectors(self.name, pairs, len(texts), self._dimensions)


def _message(message: Message) -> dict[str, Any]:
    if all(isinstance(part, Text) for part in message.parts):
        return {"role": message.role, "content": message.text}
    return {"role": message.role, "content": [_part(part) for part in message.parts]}


def _part(part: Part) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    content = base64.b64encode(part.content).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{content}"}}


def _response_format(request: Request, wish: JsonWish) -> dict[str, Any] | None:
    if request.schema is None or wish == "off":
        return None
    if wish == "object":
        return {"type": "json_object"}
    strict = _closed(request.schema)
    return {"type": "json_schema", "json_schema": {"name": request.role, "schema": request.schema, "strict": strict}}


def _closed(schema: Any) -> bool:
    """Return whether every object of the schema is closed and complete, as the protocol's strict mode demands."""
    if isinstance(schema, list):
        return all(_closed(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if "properties" in schema and (
        schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(schema["properties"])
    ):
        return False
    return all(_closed(part) for part in schema.values())


def _first(choices: Any) -> dict[str, Any]:
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}


def _text(content: Any) -> str:
    """Return the answer's text: a string, or from some servers a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _usage(stated: Any) -> Usage | None:
    """Return the usage that the provider reports. Zeros are ignored: no call has an empty prompt."""
    if not isinstance(stated, dict):
        return None
    return tokens.stated_usage(stated.get("prompt_tokens"), stated.get("completion_tokens"))


def _name(stated: Any) -> str:
    """Return the model that the provider says has answered; empty if that is no name."""
    return stated if isinstance(stated, str) and len(stated) <= 160 and stated.isprintable() else ""
