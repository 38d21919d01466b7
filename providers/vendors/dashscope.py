"""Models of DashScope through its own SDK: text generation, multimodal conversation for pictures, embeddings.

The SDK uploads any part of a user message that is a path or a `file:` address of a local file, **text parts too**, to
the vendor's public storage, whatever base address is set. So its upload step is removed here, only data URIs are made,
and texts that look like paths stay texts.
"""

import base64
import io
import json
import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import dashscope
import httpx2
import requests
from dashscope.aigc.multimodal_conversation import MultiModalConversation
from requests.adapters import BaseAdapter

from providers import tokens
from providers.answer_places import said_in
from providers.http.blame import Asked
from providers.http.bounds import Bounds, TransportFault
from providers.http.errors import (
    error_of,
    error_of_transport,
    hide_key,
    read_end,
    read_success,
    refusal_by_end,
)
from providers.http.stated_fault import read_answer, read_body
from providers.http.transport import BoundedTransport
from providers.messages import (
    BadRequest,
    Part,
    ProviderBusy,
    ProviderError,
    Refused,
    Reply,
    Request,
    Text,
    Usage,
    WrongAddress,
)
from providers.profiles import family_profile
from providers.servers import address_advice
from providers.vendors.embeddings import Vectors, read_vectors

# The SDK logs whole requests, that is, items' texts, and a traceback for each fault that we handle.
logging.getLogger("dashscope").setLevel(logging.CRITICAL + 1)

_PICTURE_URI = re.compile(r"data:image/(png|jpeg|webp|gif);base64,")
_SEES = re.compile(r"-vl\b|-vl-|omni|qvq|ocr", re.IGNORECASE)

if not callable(getattr(MultiModalConversation, "_preprocess_messages", None)):
    raise RuntimeError("this dashscope release hides its upload step elsewhere: see providers/vendors/dashscope.py")


class _Conversation(MultiModalConversation):
    """The SDK's call without its upload step."""

    @classmethod
    def _preprocess_messages(cls, model: str, messages: list[Any], api_key: str) -> bool:
        return False  # "nothing was uploaded"


@dataclass(frozen=True)
class Endpoint:
    """The server to call. An empty address is the SDK's (DASHSCOPE_HTTP_BASE_URL); `key` is left out of the repr."""

    key: str = field(repr=False)
    address: str = ""
    bounds: Bounds = Bounds()


def connect(endpoint: Endpoint, *, provider: str = "dashscope") -> "Connection":
    """Return a session to one endpoint, shared by all its models and threads."""
    return Connection(endpoint, provider)


class _NotAnswered(Exception):
    """The server told of a fault, with an error status or without an output."""

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        super().__init__(status)
        self.status, self.headers, self.content = status, headers, content


class _Exchange(BaseAdapter):
    """Sends a requests call over our bounded transport, so that both SDKs use the same one.

    Faults pass as our own exceptions, because the SDK repeats a request after any ConnectionError of requests.
    """

    def __init__(self, transport: BoundedTransport, provider: str) -> None:
        super().__init__()
        self._transport, self._provider = transport, provider

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        """Make one exchange; timeouts, proxies and certificates are the transport's.

        Raises _NotAnswered for what the SDK would read without care, and ProviderBusy for what is no JSON.
        """
        body = request.body if isinstance(request.body, str | bytes) else None
        headers = {name: str(value) for name, value in request.headers.items()}
        sent = httpx2.Request(str(request.method), str(request.url), headers=headers, content=body)
        response = self._transport.handle_request(sent)
        content = response.content
        if response.status_code != 200:
            raise _NotAnswered(response.status_code, dict(response.headers), content)
        decoded = read_success(self._provider, content, response.headers.get("content-type", ""))
        if not isinstance(decoded.get("output"), dict):
            raise _NotAnswered(200, dict(response.headers), json.dumps(decoded).encode())
        answer = requests.Response()
        answer.status_code = response.status_code
        answer.headers.update(response.headers)
        answer.raw = io.BytesIO(json.dumps(decoded).encode())
        answer.url, answer.request, answer.encoding = str(request.url), request, "utf-8"
        return answer

    def close(self) -> None:
        """Close the pooled connections."""
        self._transport.close()


class Connection:
    """One session: no proxies from the environment, no hidden retries, bounded bodies."""

    def __init__(self, endpoint: Endpoint, provider: str) -> None:
        self.endpoint = endpoint
        self.provider = provider
        self._session = requests.Session()
        self._session.trust_env = False
        adapter = _Exchange(BoundedTransport(endpoint.bounds), provider)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)

    def model(self, name: str) -> "DashScopeChat":
        """Return the model of that name behind this connection."""
        return DashScopeChat(self, name)

    def embedding(self, name: str, dimensions: int) -> "DashScopeEmbedding":
        """Return the embedding model of that name; with `dimensions` 0 the model decides them."""
        return DashScopeEmbedding(self, name, dimensions)

    def send(self, call: Callable[..., Any], body: dict[str, Any]) -> Mapping[str, Any]:
        """Return the SDK's answer with status 200 and an output; raise as `Model.reply` does."""
        try:
            answer = call(
                **body,
                api_key=self.endpoint.key,
                base_address=self.endpoint.address or None,
                session=self._session,
                request_timeout=self.endpoint.bounds.wall,
            )
        except TransportFault as fault:
            raise error_of_transport(self.provider, fault) from fault
        except _NotAnswered as told:
            raise self._error(told, body) from None
        if not isinstance(answer, Mapping) or answer.get("status_code") != 200:
            raise ProviderBusy(f"{self.provider} answered with something that is not its JSON")
        return answer

    def _error(self, told: "_NotAnswered", body: Mapping[str, Any]) -> ProviderError | Refused:
        asked = Asked(str(body.get("model", "")), int(body.get("max_tokens") or 0))
        stated = read_body(told.content, told.headers.get("content-type", ""))
        unkeyed = replace(stated, sentence=hide_key(stated.sentence, self.endpoint.key))
        error = error_of(self.provider, told.status, unkeyed, told.headers, asked=asked)
        if isinstance(error, BadRequest):
            error.sent = frozenset(body)
        if isinstance(error, WrongAddress):
            return WrongAddress(f"{error}. {address_advice(self.provider, self.endpoint.address)}")
        return error

    def fault_of(self, answer: object, model: str) -> ProviderError | Refused:
        """Return the exception for a decoded part of an answer with status 200 that tells of a fault."""
        stated = read_answer(answer)
        unkeyed = replace(stated, sentence=hide_key(stated.sentence, self.endpoint.key))
        return error_of(self.provider, 200, unkeyed, {}, asked=Asked(model))


class DashScopeChat:
    """One model; those that see pictures are called through the multimodal interface, all others as text."""

    def __init__(self, connection: Connection, model: str) -> None:
        self._connection = connection
        self._model = model
        self.name = f"{connection.provider}:{model}"
        self.sees_pictures = bool(_SEES.search(model))

    def reply(self, request: Request) -> Reply:
        """Answer the request in one exchange; see `Model.reply`."""
        if request.among:
            raise ProviderError(
                f"{self._connection.provider} gives no log-probabilities here: "
                "take another estimator, such as the model itself.",
                code="bad_request",
            )
        began = time.monotonic()
        if self.sees_pictures or request.has_pictures:
            answer = self._connection.send(_Conversation.call, self._body(request) | _parted(request))
        else:
            plain = [{"role": message.role, "content": message.text} for message in request.messages]
            body = self._body(request) | {"messages": plain, "result_format": "message"}
            answer = self._connection.send(dashscope.Generation.call, body)
        return self._read(request, answer, time.monotonic() - began)

    def _body(self, request: Request) -> dict[str, Any]:
        profile = request.profile or family_profile(self._model)
        limit = min(request.max_tokens, profile.most_tokens or request.max_tokens)
        body: dict[str, Any] = {"model": self._model, "max_tokens": limit, **dict(profile.send)}
        if request.temperature is not None:
            body["temperature"] = max(request.temperature, profile.least_temperature)
        if profile.streams:
            body |= {"headers": {"X-DashScope-SSE": "enable"}, "incremental_output": True}
        # DashScope refuses its JSON mode unless the prompt has the word.
        if request.schema is not None and profile.json != "off" and request.names_json:
            body["response_format"] = {"type": "json_object"}
        return {name: value for name, value in body.items() if name not in profile.rejects - {"model"}}

    def _read(self, request: Request, answer: Mapping[str, Any], seconds: float) -> Reply:
        output = answer["output"]
        choices = output.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
        is_fault = str(choice.get("finish_reason")).lower() == "error"
        if is_fault or (not choice and not isinstance(output.get("text"), str)):
            raise self._connection.fault_of(choice if is_fault else dict(output), self._model)
        said = said_in(choice or output)
        text, thought, declined = (hide_key(part, self._connection.endpoint.key) for part in said)
        finish = read_end((choice or output).get("finish_reason"))
        if refusal := refusal_by_end(self.name, finish, empty=not text.strip()):
            raise refusal
        if declined:
            raise Refused(f"{self.name}: {declined[:300]}")
        usage = _usage(answer.get("usage")) or tokens.estimated_usage(request, text)
        profile = request.profile or family_profile(self._model)
        is_without = request.temperature is not None and "temperature" in profile.rejects
        left_out = ("temperature",) if is_without else ()
        return Reply(text, self._model, usage, seconds, finish, without=left_out, thought=thought)


class DashScopeEmbedding:
    """One embedding model."""

    batch = 10  # what the vendor takes of its newest models

    def __init__(self, connection: Connection, model: str, dimensions: int) -> None:
        self._connection = connection
        self._model = model
        self._dimensions = dimensions
        self.name = f"{connection.provider}:{model}"

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of one exchange; see `embeddings.Sender`."""
        body: dict[str, Any] = {"model": self._model, "input": list(texts)}
        if self._dimensions:
            body["dimension"] = self._dimensions
        output = self._connection.send(dashscope.TextEmbedding.call, body).get("output")
        rows = output.get("embeddings") if isinstance(output, Mapping) else None
        if not isinstance(rows, list):
            raise ProviderBusy(f"{self._connection.provider} answered 200 without vectors")
        pairs = [
            (row.get("text_index"), row.get("embedding")) if isinstance(row, Mapping) else (None, None) for row in rows
        ]
        return read_vectors(self.name, pairs, len(texts), self._dimensions)


def _parted(request: Request) -> dict[str, Any]:
    messages = [
        {"role": message.role, "content": [_part(part) for part in message.parts]} for message in request.messages
    ]
    return {"messages": messages}


def _part(part: Part) -> dict[str, str]:
    if isinstance(part, Text):
        return {"text": part.text}
    uri = f"data:{part.media_type};base64,{base64.b64encode(part.content).decode()}"
    if not _PICTURE_URI.match(uri):
        raise ProviderError(f"a picture of type {part.media_type} cannot be sent", code="bad_request")
    return {"image": uri}


def _usage(stated: Any) -> Usage | None:
    """Return the usage that the provider reports. Zeros are ignored: no call has an empty prompt."""
    if not isinstance(stated, Mapping):
        return None
    details = stated.get("output_tokens_details")
    thought = details.get("reasoning_tokens") if isinstance(details, Mapping) else 0
    cached = tokens.stated_cached(stated)
    return tokens.stated_usage(stated.get("input_tokens"), stated.get("output_tokens"), thought, cached)
