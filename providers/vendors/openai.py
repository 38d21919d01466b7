"""Chat and embedding models behind the OpenAI protocol: OpenAI itself and every server that speaks it."""

import base64
import json
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2
import openai

from providers import tokens
from providers.http.bounds import Bounds, TransportFault
from providers.http.errors import error_of_status, error_of_transport, hide_key, read_end, refusal_by_end, telling_word
from providers.http.transport import BoundedTransport
from providers.logprobs import word_probability
from providers.messages import (
    BadRequest,
    Message,
    Part,
    ProviderBusy,
    ProviderError,
    Refused,
    Reply,
    Request,
    Sample,
    Text,
    Usage,
)
from providers.profiles import JsonForm, ModelProfile, family_profile
from providers.vendors.embeddings import Vectors, read_vectors

# The SDK's debug lines hold whole requests, that is, items' texts.
logging.getLogger("openai").setLevel(logging.WARNING)
logging.getLogger("httpx2").setLevel(logging.WARNING)

# Headers in which the SDK describes this machine; no server needs them.
_MACHINE = "Lang Package-Version OS Arch Runtime Runtime-Version Async Retry-Count Read-Timeout"
_OMITTED_HEADERS: dict[str, Any] = {f"X-Stainless-{name}": openai.Omit() for name in _MACHINE.split()}


@dataclass(frozen=True)
class Endpoint:
    """The server to call, and how. An empty address is the SDK's default; `key` is left out of the repr."""

    key: str = field(repr=False)
    address: str = ""
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
            raise self._status_fault(fault, body) from None
        except TransportFault as fault:
            raise error_of_transport(self.provider, fault) from fault
        except openai.APIConnectionError as fault:  # the SDK's own wrapping, where it knows the exception
            raise ProviderBusy(f"{self.provider}: {fault}") from fault
        except (ValueError, RecursionError) as fault:  # an HTML page, an empty or a cut body, JSON nested too deep
            raise ProviderBusy(f"{self.provider} answered 200 with something that is not JSON") from fault

    def _status_fault(self, fault: openai.APIStatusError, sent: dict[str, Any]) -> ProviderError | Refused:
        error = self.error_of(fault.body, fault.status_code, dict(fault.response.headers))
        if isinstance(error, BadRequest):
            error.sent = frozenset(sent)
        return error

    def error_of(self, answer: Any, status: int, headers: dict[str, str]) -> ProviderError | Refused:
        """Return the exception for the body of an answer that tells of a fault."""
        error = _error_in(answer)
        inner = error.get("innererror")
        inner_code = inner.get("code") if isinstance(inner, dict) else ""
        message = hide_key(_sentence_in(error), self.endpoint.key)
        return error_of_status(
            self.provider,
            status,
            telling_word(error.get("code"), error.get("type"), inner_code),
            message,
            headers,
            parameter=str(error.get("param") or ""),
        )


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
        profile = request.profile or family_profile(self._model)
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [_message(message) for message in request.messages],
            self._limit_name(profile): min(request.max_tokens, profile.most_tokens or request.max_tokens),
            **dict(profile.send),
        }
        if request.temperature is not None:
            body["temperature"] = max(request.temperature, profile.least_temperature)
        if profile.effort:
            body["reasoning_effort"] = profile.effort
        if request.among:
            return _without(body, profile) | {"logprobs": True, "top_logprobs": 20}
        if response_format := _response_format(request, profile.json):
            body["response_format"] = response_format
        if request.samples > 1 and profile.takes_n:
            body["n"] = request.samples
        return _without(body, profile)

    def _limit_name(self, profile: ModelProfile) -> str:
        # OpenAI's newer models refuse the old name, many other servers know only that one.
        return profile.limit_name or ("max_tokens" if self._connection.endpoint.address else "max_completion_tokens")

    def _read(self, request: Request, answer: Any, seconds: float) -> Reply:
        if not isinstance(answer, dict):
            raise ProviderBusy(f"{self._connection.provider} answered 200 with JSON that is no chat completion")
        choices = _choices(answer.get("choices"))
        if not choices and isinstance(answer.get("error"), dict):  # routers pass on a model's fault in this way
            raise self._connection.error_of(answer, _status_in(answer["error"]), {})
        samples = tuple(self._samples(choices)) if request.samples > 1 else ()
        said = [sample for sample in samples if sample.finish != "refused"]
        first = said[0] if said else self._sample(choices[0] if choices else {})
        text, finish = first.text, first.finish
        if request.among:
            text = word_probability(choices[0].get("logprobs") if choices else None, request.among, text, self.name)
            finish = "stop"  # one word is all that was wanted
        written = "".join(sample.text for sample in samples) or text
        usage = _usage(answer.get("usage")) or tokens.estimated_usage(request, written)
        named = _name(answer.get("model")) or self._model
        return Reply(text, named, usage, seconds, finish, without=self._left_out(request), samples=samples)

    def _samples(self, choices: Sequence[dict[str, Any]]) -> Iterator[Sample]:
        """Yield every answer of the exchange; one that was refused has no text."""
        for choice in choices:
            try:
                yield self._sample(choice)
            except Refused:
                yield Sample("", "refused")

    def _sample(self, choice: dict[str, Any]) -> Sample:
        """Return one answer. Raises Refused if the model declined it or a filter stopped it."""
        message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        text = hide_key(_text(message.get("content")), self._connection.endpoint.key)
        finish = read_end(choice.get("finish_reason"))
        ends = (finish, choice.get("native_finish_reason"), _filtered(choice))
        if refusal := refusal_by_end(self.name, *ends, empty=not text.strip()):
            raise refusal
        if message.get("refusal") and not text:
            raise Refused(f"{self.name}: {str(message['refusal'])[:300]}")
        return Sample(text, finish)

    def _left_out(self, request: Request) -> tuple[str, ...]:
        profile = request.profile or family_profile(self._model)
        is_missing = request.temperature not in (None, 1) and "temperature" in profile.rejects  # 1 is the default
        return ("temperature",) if is_missing else ()


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
        size_field = {"dimensions": self._dimensions} if self._dimensions else {}
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"} | size_field
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


def _without(body: dict[str, Any], profile: ModelProfile) -> dict[str, Any]:
    """Return the body without what the model rejects."""
    return {name: value for name, value in body.items() if name not in profile.rejects - {"model", "messages"}}


def _response_format(request: Request, form: JsonForm) -> dict[str, Any] | None:
    if request.schema is None or form == "off":
        return None
    if form == "object":  # refused unless the prompt has the word
        return {"type": "json_object"} if request.names_json else None
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


def _choices(choices: Any) -> list[dict[str, Any]]:
    return [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []


def _text(content: Any) -> str:
    """Return the answer's text: a string, or from some servers a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _usage(stated: Any) -> Usage | None:
    """Return the usage that the provider reports. Zeros are ignored: no call has an empty prompt."""
    if not isinstance(stated, dict):
        return None
    details = stated.get("completion_tokens_details")
    thought = details.get("reasoning_tokens") if isinstance(details, dict) else stated.get("reasoning_tokens")
    cached = tokens.stated_cached(stated)
    return tokens.stated_usage(stated.get("prompt_tokens"), stated.get("completion_tokens"), thought, cached)


def _filtered(choice: dict[str, Any]) -> str:
    """Return a word for an answer that a filter of Azure's took away; empty if none did."""
    results = choice.get("content_filter_results")
    verdicts = results.values() if isinstance(results, dict) else ()
    return (
        "safety" if any(isinstance(verdict, dict) and verdict.get("filtered") is True for verdict in verdicts) else ""
    )


def _error_in(answer: Any) -> dict[str, Any]:
    """Return the fields of a fault: servers send an object, one inside another or a list, or a mere sentence."""
    if isinstance(answer, list):
        answer = answer[0] if answer else {}
    if isinstance(answer, dict) and isinstance(answer.get("error"), dict | str):
        answer = answer["error"]
    if isinstance(answer, str):
        return {"message": answer}
    return answer if isinstance(answer, dict) else {}


def _sentence_in(error: dict[str, Any]) -> str:
    """Return what a fault says, with the words of the server behind a router where they are passed on."""
    metadata = error.get("metadata")
    behind = metadata.get("raw") if isinstance(metadata, dict) else error.get("cause")
    own = str(error.get("message") or error.get("detail") or "")
    return f"{own}: {behind}" if isinstance(behind, str) and behind else own


def _status_in(error: dict[str, Any]) -> int:
    """Return the status that an error in the body of an answer states; 502 if it states none."""
    code = error.get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else 502


def _name(stated: Any) -> str:
    """Return the model that the provider says has answered; empty if that is no name."""
    return stated if isinstance(stated, str) and len(stated) <= 160 and stated.isprintable() else ""
