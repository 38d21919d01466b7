"""The models of roles, ready to be asked: connected, and behind retries, limits and circuit breakers.

Which model a role has, `bindings` says. This module knows the vendors' own modules and what a server's models take.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from providers.bindings import (
    DETOXIFY,
    KEYWORD,
    Binding,
    NotConfigured,
    bind_role,
    missing_key,
    require_usable,
    servers,
)
from providers.keyword.model import SLOW, SlowKeywordModel, site_model
from providers.learnt_facts import site_facts
from providers.messages import Model, ModelPaused, ProviderError, Refused, Reply, Request, WrongAddress
from providers.pictures import ScaledPictures
from providers.profiles import Lesson, ModelProfile, less_demanding, site_profile
from providers.resilience.adaptation import AdaptingModel
from providers.resilience.circuit_breaker import CircuitBreaker, CircuitBreakingModel
from providers.resilience.rate_limit import ProviderRateLimit, RateLimitedModel
from providers.resilience.retry import RetryingModel, RetryPolicy
from providers.roles import ModelRole
from providers.servers import ModelServer
from providers.vendors.embeddings import Batched, Embedder, LocalEmbedding, Sender, Vectors

_WORD_VECTORS = "wordllama"

# The SDKs cost up to a second each to import, which every manage.py call would pay: a vendor's module is imported
# by its path when the first model of that protocol is asked for. It offers `Endpoint` and `connect`.
_MODULES = {"openai": "providers.vendors.openai", "dashscope": "providers.vendors.dashscope"}


@dataclass(frozen=True)
class _Vendor:
    """Everything that a provider's connection, circuit breaker and rate limit depend on; equal settings share them."""

    server: ModelServer
    read: float
    wall: float
    body: int
    at_once: int
    per_minute: int
    rest: int


def model_for(role: str, overrides: Mapping[str, str] | None = None) -> Model:
    """Return the model of a role behind retries, limits and circuit breaker.

    `overrides` maps roles to `provider:model`.

    Raises NotConfigured if the role has no usable model.
    """
    binding = bind_role(ModelRole(role), overrides)
    if binding.provider == KEYWORD:
        return SlowKeywordModel(site_model()) if settings.DEMO and binding.model == SLOW else site_model()
    require_usable(binding)
    if binding.provider == DETOXIFY:
        return _classifier(binding)
    vendor = _vendor(binding.provider)
    thinks = profile_of(binding.name).thinks
    with _building:
        adapter = _adapter(_with_time_to_think(vendor) if thinks else vendor, binding)
        guarded = RateLimitedModel(CircuitBreakingModel(adapter, _breaker(vendor)), _gate(vendor))
    return RetryingModel(_Named(_adapting(guarded), binding.setting), _patience(_breaker(vendor)))


def profile_of(name: str, lessons: Iterable[Lesson] | None = None) -> ModelProfile:
    """Return what the model `provider:model` takes, by these lessons; without them by what is known in this process."""
    return _site_profile(name).with_lessons(site_facts.about(name) if lessons is None else lessons)


def embedder() -> Embedder:
    """Return the site's embedder (MODEL_EMBEDDING), behind the same retries, limits and circuit breaker as the models.

    Raises NotConfigured if the setting names no usable one.
    """
    name = settings.MODEL_EMBEDDING or LocalEmbedding.name
    provider, _colon, model = name.partition(":")
    if name in ("local", LocalEmbedding.name):
        return LocalEmbedding()
    if name == f"local:{_WORD_VECTORS}":
        return _word_vectors()
    if not model or provider not in servers():
        raise NotConfigured(
            _("MODEL_EMBEDDING must be local, local:wordllama, or openai:NAME, dashscope:NAME or SERVER:NAME.")
        )
    if trouble := missing_key(provider, "MODEL_EMBEDDING"):
        raise NotConfigured(trouble)
    vendor, dimensions = _vendor(provider), settings.MODEL_EMBEDDING_DIMENSIONS
    with _building:
        embedding = getattr(_connection(vendor), "embedding", None)
        if embedding is None:
            sentence = _(
                "MODEL_EMBEDDING names %(server)s, whose protocol %(protocol)s gives no vectors: name another."
            )
            raise NotConfigured(sentence % {"server": provider, "protocol": vendor.server.protocol})
        sender = embedding(model, dimensions)
        return Batched(_Guarded(sender, _breaker(vendor), _gate(vendor)), dimensions=dimensions)


def _word_vectors() -> Embedder:
    if find_spec(_WORD_VECTORS) is None:
        raise NotConfigured(
            _("MODEL_EMBEDDING names wordllama, which is not installed here: install the extra embeddings.")
        )
    embedding: Embedder = import_module("providers.vendors.word_vectors").WordVectorEmbedding()
    return embedding


class _Guarded:
    """A vendor's embedding behind rate limit, circuit breaker and retries."""

    def __init__(self, sender: Sender, breaker: CircuitBreaker, gate: ProviderRateLimit) -> None:
        self.name, self.batch = sender.name, sender.batch
        self._sender, self._breaker, self._gate = sender, breaker, gate

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors; see `embeddings.Sender`."""
        return _patience(self._breaker).ask(lambda: self._model_without_retries(texts))[0]

    def _model_without_retries(self, texts: Sequence[str]) -> Vectors:
        with self._gate:
            return self._breaker.watch(
                lambda: self._sender.vectors(texts),
                harmless=lambda: self._sender.vectors(["Good morning."]),
            )


def _patience(breaker: CircuitBreaker) -> RetryPolicy:
    backoff = (min(1.0, settings.MODEL_BACKOFF), settings.MODEL_BACKOFF)
    return RetryPolicy(attempts=settings.MODEL_ATTEMPTS, backoff=backoff, is_away=breaker.is_away)


def _classifier(binding: Binding) -> Model:
    model: Model = import_module("providers.vendors.detoxify").DetoxifyModel(binding.model)
    return model


# ── One test call ─────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class TrialCall:
    """The result of one test call: the answer's `text`, or the sentence of the `fault`."""

    name: str
    text: str = ""
    fault: str = ""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the model answered."""
        return not self.fault


def try_model(role: ModelRole, request: Request, overrides: Mapping[str, str] | None = None) -> TrialCall:
    """Ask the model of a role once: no retries, no circuit breaker, 20 s at most, 50 s for one that thinks.

    A fault of the provider is a value, not an exception.
    """
    binding = bind_role(role, overrides)
    try:
        reply = _model_without_retries(binding).reply(request)
    except (ProviderError, Refused) as error:
        return TrialCall(binding.name, fault=str(error))
    fault = "" if reply.text.strip() else _("The model answered with nothing.")
    return TrialCall(binding.name, reply.text.strip(), fault, reply.seconds)


def _model_without_retries(binding: Binding) -> Model:
    if binding.provider == KEYWORD:
        return site_model()
    require_usable(binding)
    if binding.provider == DETOXIFY:
        return _classifier(binding)
    vendor = _vendor(binding.provider)
    if profile_of(binding.name).thinks:
        patient = _with_time_to_think(vendor)
        brief = replace(patient, wall=min(50.0, patient.wall))
    else:
        brief = replace(vendor, wall=min(20.0, vendor.wall))
    return _Named(_adapting(_adapter(brief, binding)), binding.setting)


# ── Connections ───────────────────────────────────────────────────────────────

_building = threading.Lock()  # two threads must not make two breakers
_pictures = ScaledPictures()


class _Named:
    """A model that names its setting where the model or the request is at fault (threats L18)."""

    def __init__(self, model: Model, setting: str) -> None:
        self.name, self.sees_pictures = model.name, model.sees_pictures
        self._model, self._setting = model, setting

    def reply(self, request: Request) -> Reply:
        """Answer the request; see `Model.reply`."""
        try:
            return self._model.reply(request)
        except ProviderError as fault:
            origin = f"{self.name} comes from {self._setting}."
            if isinstance(fault, ModelPaused):
                fault.args = (f"{fault} {origin}",)
                raise
            if fault.code != "bad_request" or isinstance(fault, WrongAddress):
                raise
            named = ProviderError(f"{fault}. {origin}", code=fault.code)
            named.attempts, named.is_final = fault.attempts, fault.is_final
            raise named from fault


def _adapter(vendor: _Vendor, binding: Binding) -> Model:
    model: Model = _connection(vendor).model(binding.model)
    return model


def _with_time_to_think(vendor: _Vendor) -> _Vendor:
    """Return the vendor with longer deadlines: nothing is sent while a model thinks."""
    seconds = settings.MODEL_THINKING_SECONDS
    return replace(vendor, read=max(vendor.read, seconds), wall=max(vendor.wall, seconds))


def _adapting(model: Model) -> Model:
    return AdaptingModel(model, _site_profile(model.name), site_facts, _pictures)


def _site_profile(name: str) -> ModelProfile:
    """Return what the settings and the model's family say of it, without what was learnt."""
    profile = site_profile(name, settings.MODEL_PROFILES)
    if profile.picture_side > settings.MODEL_PICTURE_SIDE:
        profile = replace(profile, picture_side=settings.MODEL_PICTURE_SIDE)
    provider = name.partition(":")[0]
    form = profile.json
    if provider == "openai":
        form = less_demanding(form, settings.OPENAI_JSON)
    elif (server := servers().get(provider)) is not None and server.protocol == "dashscope":
        form = less_demanding(form, "object")  # its own protocol has no schemas
    return profile if form == profile.json else replace(profile, json=form)


def _vendor(provider: str) -> _Vendor:
    return _Vendor(
        servers()[provider],
        settings.MODEL_READ_SECONDS,
        settings.MODEL_WALL_SECONDS,
        settings.MODEL_BODY_BYTES,
        settings.MODEL_CALLS_AT_ONCE,
        settings.MODEL_CALLS_PER_MINUTE,
        settings.MODEL_REST_SECONDS,
    )


@lru_cache(maxsize=32)
def _connection(vendor: _Vendor) -> Any:
    server = vendor.server
    module = import_module(_MODULES[server.protocol])
    bounds = module.Bounds(read=vendor.read, wall=vendor.wall, body=vendor.body)
    connect: Callable[..., Any] = module.connect
    return connect(module.Endpoint(key=server.key, address=server.address, bounds=bounds), provider=server.name)


@lru_cache(maxsize=32)
def _breaker(vendor: _Vendor) -> CircuitBreaker:
    return CircuitBreaker(vendor.server.name, open_for=vendor.rest)


@lru_cache(maxsize=32)
def _gate(vendor: _Vendor) -> ProviderRateLimit:
    return ProviderRateLimit(vendor.at_once, vendor.per_minute)
