"""Models by role, from settings.

Beside `wiring_web` this is the only module of the package that knows Django or the vendors' names. A setting binds a
role to `provider:model`, split at the first colon; the provider is a vendor or a server of MODEL_SERVERS. Addresses
and keys come from settings only; a project or run may choose another model for a role within the allow-list, never an
address.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from providers.keyword.model import KeywordModel, site_model
from providers.learnt_facts import site_facts
from providers.messages import Model, ProviderError, Refused, Reply, Request
from providers.pictures import ScaledPictures
from providers.profiles import Lesson, ModelProfile, less_demanding, site_profile
from providers.resilience.adaptation import AdaptingModel
from providers.resilience.circuit_breaker import CircuitBreaker, CircuitBreakingModel
from providers.resilience.rate_limit import ProviderRateLimit, RateLimitedModel
from providers.resilience.retry import RetryingModel, RetryPolicy
from providers.roles import ModelRole
from providers.servers import ModelServer
from providers.vendors.embeddings import Batched, Embedder, LocalEmbedding, Sender, Vectors

KEYWORD, DETOXIFY, WORD_VECTORS = "keyword", "detoxify", "wordllama"

# The SDKs cost up to a second each to import, which every manage.py call would pay: a vendor's module is imported
# by its path when the first model of that protocol is asked for. It offers `Endpoint` and `connect`.
_MODULES = {"openai": "providers.vendors.openai", "dashscope": "providers.vendors.dashscope"}
_DASHSCOPE_TEXT, _DASHSCOPE_VISION = "dashscope:qwen-plus", "dashscope:qwen3-vl-plus"
_PREFERRED_ROLE = {ModelRole.GATEKEEPER: ModelRole.PROSECUTOR, ModelRole.TOXICITY: ModelRole.CRITIC}


class NotConfigured(ProviderError):
    """The settings name no usable model for a role; the message says which setting to change."""

    code = "bad_request"


@dataclass(frozen=True)
class Binding:
    """The model of a role: `why` it is that one, and its `problem`, each a sentence or empty.

    `setting` is the variable to change for another model.
    """

    role: ModelRole
    name: str
    setting: str
    why: str
    problem: str = ""

    @property
    def provider(self) -> str:
        """The part of the name before the first colon."""
        return self.name.partition(":")[0]

    @property
    def model(self) -> str:
        """The part of the name after the first colon."""
        return self.name.partition(":")[2]

    @property
    def is_language_model(self) -> bool:
        """False for the built-in keyword model: every page that shows its answers says so."""
        return self.provider != KEYWORD


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
        return site_model()
    _require_usable(binding)
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


def server_names() -> list[str]:
    """Return the names of the servers that models may be asked at."""
    return list(_servers())


def embedder() -> Embedder:
    """Return the site's embedder (MODEL_EMBEDDING), behind the same retries, limits and circuit breaker as the models.

    Raises NotConfigured if the setting names no usable one.
    """
    name = settings.MODEL_EMBEDDING or LocalEmbedding.name
    provider, _colon, model = name.partition(":")
    if name in ("local", LocalEmbedding.name):
        return LocalEmbedding()
    if name == f"local:{WORD_VECTORS}":
        return _word_vectors()
    if not model or provider not in _servers():
        raise NotConfigured(
            _("MODEL_EMBEDDING must be local, local:wordllama, or openai:NAME, dashscope:NAME or SERVER:NAME.")
        )
    if trouble := _missing_key(provider, "MODEL_EMBEDDING"):
        raise NotConfigured(trouble)
    vendor, dimensions = _vendor(provider), settings.MODEL_EMBEDDING_DIMENSIONS
    with _building:
        sender = _connection(vendor).embedding(model, dimensions)
        return Batched(_Guarded(sender, _breaker(vendor), _gate(vendor)), dimensions=dimensions)


def _word_vectors() -> Embedder:
    if find_spec(WORD_VECTORS) is None:
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
            return self._breaker.watch(lambda: self._sender.vectors(texts))


def _patience(breaker: CircuitBreaker) -> RetryPolicy:
    backoff = (min(1.0, settings.MODEL_BACKOFF), settings.MODEL_BACKOFF)
    return RetryPolicy(attempts=settings.MODEL_ATTEMPTS, backoff=backoff, is_away=breaker.is_away)


def bind_role(role: ModelRole, overrides: Mapping[str, str] | None = None) -> Binding:
    """Return which model a role has and why, including problems.

    Raises NotConfigured for an override that is not allowed.
    """
    own = _bind_by_settings(role)
    chosen = (overrides or {}).get(role)
    if not chosen or (chosen == own.name and not own.problem):
        return own  # where nobody named a model, the baseline is a fault, and chosen by name it is none
    if not is_model_allowed(chosen):
        sentence = _("The model %(name)s is not on the list of this site (MODEL_ALLOWED).")
        raise NotConfigured(sentence % {"name": chosen})
    return _checked(Binding(role, chosen, role.setting, _("chosen for this project or run")))


def allowed_models() -> list[str]:
    """Return what a project or run may choose: names and patterns of `provider:model`."""
    own = [*settings.MODEL_BINDINGS.values(), *settings.MODEL_ALLOWED, KeywordModel().name]
    if settings.DASHSCOPE_API_KEY:
        own += [_DASHSCOPE_TEXT, _DASHSCOPE_VISION]
    return sorted({name for name in own if name})


def is_model_allowed(name: str) -> bool:
    """Return whether a project or run may choose this `provider:model`."""
    return any(fnmatchcase(name, pattern) for pattern in (*allowed_models(), f"{KEYWORD}:*", f"{DETOXIFY}:*"))


def _bind_by_settings(role: ModelRole) -> Binding:
    family = "MODEL_VISION" if role.is_shown_pictures else "MODEL_TEXT"
    preferred = _PREFERRED_ROLE.get(role)
    for setting in (role.setting, preferred.setting if preferred else "", family):
        if named := settings.MODEL_BINDINGS.get(setting):
            return _checked(Binding(role, named, setting, _("%(setting)s names it") % {"setting": setting}))
    return _checked(_unnamed(role, family))


def _unnamed(role: ModelRole, family: str) -> Binding:
    """Return the binding of a role that no setting names."""
    text = settings.MODEL_BINDINGS.get("MODEL_TEXT", "")
    if settings.DASHSCOPE_API_KEY and (not text or text.startswith("dashscope:")):
        name = _DASHSCOPE_VISION if role.is_shown_pictures else _DASHSCOPE_TEXT
        why = _("DASHSCOPE_API_KEY is set and %(setting)s is not: DashScope's default") % {"setting": family}
        return Binding(role, name, family, why)
    name = KeywordModel().name
    if (example := _server_that_is_set_up()) or text:
        problem = _("A provider is set up, but no model is named: set %(setting)s to %(provider)s:NAME.") % {
            "setting": family,
            "provider": example or "openai",
        }
        return Binding(role, name, family, _("%(setting)s is not set") % {"setting": family}, problem)
    return Binding(role, name, family, _("no provider is set up: the built-in baseline"))


def _server_that_is_set_up() -> str:
    """Return the name of a server that could be asked; empty if none could."""
    if settings.DASHSCOPE_API_KEY:
        return "dashscope"
    if settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL:
        return "openai"
    return next(iter(settings.MODEL_SERVERS), "")


def _checked(binding: Binding) -> Binding:
    """Return the binding with its problem, if its provider cannot be asked."""
    return binding if binding.problem else replace(binding, problem=_trouble(binding))


def _trouble(binding: Binding) -> str:
    providers = (*_servers(), DETOXIFY, KEYWORD)
    fields = {"setting": binding.setting, "providers": ", ".join(sorted(providers))}
    if not binding.model or binding.provider not in providers:
        return _("%(setting)s must look like provider:model, with one of the providers %(providers)s.") % fields
    if binding.provider == DETOXIFY and binding.role not in (ModelRole.TOXICITY, ModelRole.ESTIMATOR):
        return _("%(setting)s names detoxify, which answers the roles toxicity and estimator alone.") % fields
    if binding.provider == DETOXIFY and find_spec(DETOXIFY) is None:
        return _("%(setting)s names detoxify, which is not installed here: install the extra detoxify.") % fields
    return _missing_key(binding.provider, binding.setting)


def _missing_key(provider: str, setting: str) -> str:
    fields = {"setting": setting}
    if provider == "dashscope" and not settings.DASHSCOPE_API_KEY:
        return _("%(setting)s names a model of dashscope, but DASHSCOPE_API_KEY is not set.") % fields
    if provider == "openai" and not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return _("%(setting)s names a model of openai, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set.") % fields
    server = settings.MODEL_SERVERS.get(provider)
    if server is not None and server.protocol == "dashscope" and not server.key:
        sentence = _("%(setting)s names a model of %(server)s, but MODEL_SERVERS gives that server no key.")
        return sentence % {**fields, "server": provider}
    return ""


def _classifier(binding: Binding) -> Model:
    model: Model = import_module("providers.vendors.detoxify").DetoxifyModel(binding.model)
    return model


def _require_usable(binding: Binding) -> None:
    if trouble := _trouble(binding):
        raise NotConfigured(trouble)


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
    _require_usable(binding)
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
    """A model that names its setting in a final fault of the request (threats L18)."""

    def __init__(self, model: Model, setting: str) -> None:
        self.name, self.sees_pictures = model.name, model.sees_pictures
        self._model, self._setting = model, setting

    def reply(self, request: Request) -> Reply:
        """Answer the request; see `Model.reply`."""
        try:
            return self._model.reply(request)
        except ProviderError as fault:
            if fault.code != "bad_request":
                raise
            named = ProviderError(f"{fault}. {self.name} comes from {self._setting}.", code=fault.code)
            named.attempts = fault.attempts
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
    profile = replace(profile, picture_side=min(profile.picture_side, settings.MODEL_PICTURE_SIDE))
    provider = name.partition(":")[0]
    if provider == "openai":
        return replace(profile, json=less_demanding(profile.json, settings.OPENAI_JSON))
    server = _servers().get(provider)
    if server is not None and server.protocol == "dashscope":  # its own protocol has no schemas
        return replace(profile, json=less_demanding(profile.json, "object"))
    return profile


def _servers() -> Mapping[str, ModelServer]:
    """Return the servers that models may be asked at, by name."""
    return {
        "openai": ModelServer("openai", "openai", settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY),
        "dashscope": ModelServer(
            "dashscope", "dashscope", settings.DASHSCOPE_HTTP_BASE_URL, settings.DASHSCOPE_API_KEY
        ),
        **settings.MODEL_SERVERS,
    }


def _vendor(provider: str) -> _Vendor:
    return _Vendor(
        _servers()[provider],
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
