"""Chat and embedding models behind the OpenAI protocol: OpenAI itself and every server that speaks it."""

import base64
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from providers import tokens
from providers.answer_places import choices_in, said_in
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
from providers.http.stated_fault import StatedFault, read_answer, read_body
from providers.http.transport import BoundedTransport
from providers.learnt_facts import LearntFact, site_facts
from providers.logprobs import word_probability
from providers.messages import (
    BadRequest,
    Message,
    Part,
    ProviderBusy,
    ProviderError,
    ProviderPaused,
    Refused,
    Reply,
    Request,
    Sample,
    Text,
    Usage,
    WrongAddress,
)
from providers.profiles import LIMIT_NAMES, Fact, JsonForm, Lesson, ModelProfile, family_profile
from providers.servers import address_advice, address_setting
from providers.vendors.embeddings import Vectors, read_vectors

log = logging.getLogger(__name__)
_USUAL_ROOT = "/v1"

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
        self._root = ""  # /v1, if the address of the settings lacks it
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

    def send(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the decoded JSON answer to a chat; raise as `Model.reply` does."""
        return self._exchange("/chat/completions", body)

    def embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the decoded JSON answer with vectors; raise as `Model.reply` does."""
        return self._exchange("/embeddings", body)

    def _exchange(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Make one exchange; where nothing serves the path, try once below /v1, and stay there if that is answered."""
        if self._root:
            return self._post(self._root + path, body)
        try:
            return self._post(path, body)
        except WrongAddress as absent:
            if not self.endpoint.address or urlsplit(self.endpoint.address).path.rstrip("/").endswith(_USUAL_ROOT):
                raise self._told_of_address(absent) from None
            return self._try_usual_root(path, body, absent)

    def _try_usual_root(self, path: str, body: dict[str, Any], absent: WrongAddress) -> dict[str, Any]:
        try:
            answer = self._post(_USUAL_ROOT + path, body)
        except WrongAddress:
            absent.attempts = 2
            raise self._told_of_address(absent) from None
        except (ProviderError, Refused) as fault:
            if isinstance(fault, (BadRequest, Refused, ProviderPaused)):  # a model server speaks there
                self._stay_below_usual_root(str(body.get("model", "")))
            fault.attempts += 1
            raise
        self._stay_below_usual_root(str(body.get("model", "")))
        return answer

    def _stay_below_usual_root(self, model: str) -> None:
        self._root = _USUAL_ROOT
        site_facts.learn(LearntFact(f"{self.provider}:{model}", Lesson(Fact.ROOT, _USUAL_ROOT)))
        right = f"{self.endpoint.address.rstrip('/')}{_USUAL_ROOT}"
        log.warning("%s answers at %s: set %s to it", self.provider, right, address_setting(self.provider))

    def _told_of_address(self, absent: WrongAddress) -> WrongAddress:
        told = WrongAddress(f"{absent}. {address_advice(self.provider, self.endpoint.address)}")
        told.attempts = absent.attempts
        return told

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        asked = Asked(str(body.get("model", "")), max(int(body.get(name) or 0) for name in LIMIT_NAMES))
        try:
            # The client's own `post`: `completions.create` walks through every message by its type hints first, which
            # costs as much as the rest of the call, and changes nothing in a body that is JSON already.
            answer = self._client.post(path, body=body, cast_to=httpx2.Response, options={"headers": _OMITTED_HEADERS})
        except openai.APIStatusError as fault:
            raise self._status_fault(fault.response, asked, body) from None
        except TransportFault as fault:
            raise error_of_transport(self.provider, fault) from fault
        except openai.APIConnectionError as fault:  # the SDK's own wrapping, where it knows the exception
            raise ProviderBusy(f"{self.provider}: {fault}") from fault
        return self._decoded(answer, asked)

    def _decoded(self, answer: httpx2.Response, asked: Asked) -> dict[str, Any]:
        """Return the JSON object of an answer with status 200.

        Raises as `Model.reply` does if it is none, or tells of a fault.
        """
        decoded = read_success(self.provider, answer.content, answer.headers.get("content-type", ""))
        if not decoded.get("choices") and not decoded.get("data") and not choices_in(decoded):
            raise self.fault_of(decoded, 200, asked, dict(answer.headers))
        return decoded

    def _status_fault(self, response: httpx2.Response, asked: Asked, sent: dict[str, Any]) -> ProviderError | Refused:
        stated = read_body(response.content, response.headers.get("content-type", ""))
        error = self._error(stated, response.status_code, asked, dict(response.headers))
        if isinstance(error, BadRequest):
            error.sent = frozenset(sent)
        return error

    def fault_of(
        self, answer: Any, status: int, asked: Asked, headers: Mapping[str, str] | None = None
    ) -> ProviderError | Refused:
        """Return the exception for a decoded part of an answer that tells of a fault."""
        return self._error(read_answer(answer), status, asked, headers or {})

    def _error(
        self, stated: StatedFault, status: int, asked: Asked, headers: Mapping[str, str]
    ) -> ProviderError | Refused:
        unkeyed = replace(stated, sentence=hide_key(stated.sentence, self.endpoint.key))
        return error_of(self.provider, status, unkeyed, headers, asked=asked)


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
        if profile.streams:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
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
        choices = choices_in(answer)
        if not choices or str(choices[0].get("finish_reason")).lower() == "error":
            inner = choices[0].get("error") if choices else None
            told = {**answer, "choices": None} if inner is None else {"error": inner}
            raise self._connection.fault_of(told, 200, Asked(self._model, request.max_tokens))
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
        left_out = self._left_out(request)
        return Reply(text, named, usage, seconds, finish, without=left_out, samples=samples, thought=first.thought)

    def _samples(self, choices: Sequence[Mapping[str, Any]]) -> Iterator[Sample]:
        """Yield every answer of the exchange; one that was refused has no text."""
        for choice in choices:
            try:
                yield self._sample(choice)
            except Refused:
                yield Sample("", "refused")

    def _sample(self, choice: Mapping[str, Any]) -> Sample:
        """Return one answer. Raises Refused if the model declined it or a filter stopped it."""
        text, thought, declined = (hide_key(part, self._connection.endpoint.key) for part in said_in(choice))
        finish = read_end(choice.get("finish_reason"))
        ends = (finish, choice.get("native_finish_reason"), _filtered(choice))
        if refusal := refusal_by_end(self.name, *ends, empty=not text.strip()):
            raise refusal
        if declined:
            raise Refused(f"{self.name}: {declined[:300]}")
        return Sample(text, finish, thought)

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


def _usage(stated: Any) -> Usage | None:
    """Return the usage that the provider reports. Zeros are ignored: no call has an empty prompt."""
    if not isinstance(stated, dict):
        return None
    details = stated.get("completion_tokens_details")
    thought = details.get("reasoning_tokens") if isinstance(details, dict) else stated.get("reasoning_tokens")
    cached = tokens.stated_cached(stated)
    return tokens.stated_usage(stated.get("prompt_tokens"), stated.get("completion_tokens"), thought, cached)


def _filtered(choice: Mapping[str, Any]) -> str:
    """Return a word for an answer that a filter of Azure's took away; empty if none did."""
    results = choice.get("content_filter_results")
    verdicts = results.values() if isinstance(results, dict) else ()
    return (
        "safety" if any(isinstance(verdict, dict) and verdict.get("filtered") is True for verdict in verdicts) else ""
    )


def _name(stated: Any) -> str:
    """Return the model that the provider says has answered; empty if that is no name."""
    return stated if isinstance(stated, str) and len(stated) <= 160 and stated.isprintable() else ""
