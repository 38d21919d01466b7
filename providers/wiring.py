"""From settings to models by role: the one module of this package that knows Django, and the vendors' names.

A setting binds a role to `provider:model`, split at the first colon. Endpoints and keys come from settings alone; a
project or a run may name another model for a role only within the allow-list, never an address.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from providers.breaking import Breaker, Breaking
from providers.embedding import Batched, Embedder, LocalEmbedding, Sender, Vectors
from providers.keyword import ANSWERS, KeywordModel
from providers.keyword_counterspeech import COUNTERSPEECH
from providers.keyword_court import COURT
from providers.keyword_estimator import ESTIMATES
from providers.keyword_investigator import INVESTIGATION
from providers.keyword_predict import PREDICT
from providers.limiting import Gate, Limiting
from providers.messages import Model, ProviderError, Refused, Reply, Request
from providers.retrying import Patience, Retrying
from providers.roles import ModelRole

KEYWORD, DETOXIFY = "keyword", "detoxify"
_BUILT_IN = {**ANSWERS, **COURT, **COUNTERSPEECH, **ESTIMATES, **INVESTIGATION, **PREDICT}

# The SDKs cost up to a second each to import, which every manage.py call would pay: a vendor's module is imported
# by its path when the first model of that vendor is asked for. It offers `Endpoint` and `connect`.
_MODULES = {"openai": "providers.openai_chat", "dashscope": "providers.dashscope_chat"}
_DASHSCOPE_TEXT, _DASHSCOPE_VISION = "dashscope:qwen-plus", "dashscope:qwen3-vl-plus"
_PREFERRED_ROLE = {ModelRole.GATEKEEPER: ModelRole.PROSECUTOR, ModelRole.TOXICITY: ModelRole.CRITIC}


class NotConfigured(ProviderError):
    """The settings name no usable model for a role; says which setting to change."""

    code = "bad_request"


@dataclass(frozen=True)
class Binding:
    """The model of a role: `why` it is that one, and what is wrong with that, each as a sentence or empty.

    `setting` is the variable to change for another model.
    """

    role: ModelRole
    name: str
    setting: str
    why: str
    problem: str = ""

    @property
    def provider(self) -> str:
        """The part before the first colon."""
        return self.name.partition(":")[0]

    @property
    def model(self) -> str:
        """The part after it."""
        return self.name.partition(":")[2]

    @property
    def is_language_model(self) -> bool:
        """False for the built-in baseline: every page it touched says so."""
        return self.provider != KEYWORD


@dataclass(frozen=True)
class _Vendor:
    """Everything that a provider's connection, breaker and gate depend on; equal settings share them."""

    provider: str
    key: str = field(repr=False)
    address: str
    json_wish: str
    read: float
    wall: float
    body: int
    at_once: int
    per_minute: int
    rest: int


def model_for(role: str, overrides: Mapping[str, str] | None = None) -> Model:
    """The model of a role behind retries, limits and breaker; `overrides` maps roles to `provider:model`."""
    binding = bind(ModelRole(role), overrides)
    if binding.provider == KEYWORD:
        return KeywordModel(_BUILT_IN)
    _require_usable(binding)
    if binding.provider == DETOXIFY:
        return _classifier(binding)
    vendor = _vendor(binding.provider)
    with _building:
        guarded = Limiting(Breaking(_adapter(vendor, binding), _breaker(vendor)), _gate(vendor))
    return Retrying(guarded, _patience(_breaker(vendor)))


def embedder() -> Embedder:
    """The site's embedding (MODEL_EMBEDDING), behind the same retries, limits and breaker as the models.

    Raises NotConfigured.
    """
    name = settings.MODEL_EMBEDDING or LocalEmbedding.name
    provider, _colon, model = name.partition(":")
    if provider == "local":
        return LocalEmbedding()
    if not model or provider not in _MODULES:
        raise NotConfigured(_("MODEL_EMBEDDING must be local, or openai:NAME or dashscope:NAME."))
    if trouble := _missing_key(provider, "MODEL_EMBEDDING"):
        raise NotConfigured(trouble)
    vendor, dimensions = _vendor(provider), settings.MODEL_EMBEDDING_DIMENSIONS
    with _building:
        sender = _connection(vendor).embedding(model, dimensions)
        return Batched(_Guarded(sender, _breaker(vendor), _gate(vendor)), dimensions=dimensions)


class _Guarded:
    """A vendor's embedding behind gate, breaker and patience."""

    def __init__(self, sender: Sender, breaker: Breaker, gate: Gate) -> None:
        self.name, self.batch = sender.name, sender.batch
        self._sender, self._breaker, self._gate = sender, breaker, gate

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """See `embedding.Sender`."""
        return _patience(self._breaker).ask(lambda: self._once(texts))[0]

    def _once(self, texts: Sequence[str]) -> Vectors:
        with self._gate:
            return self._breaker.watch(lambda: self._sender.vectors(texts))


def _patience(breaker: Breaker) -> Patience:
    backoff = (min(1.0, settings.MODEL_BACKOFF), settings.MODEL_BACKOFF)
    return Patience(attempts=settings.MODEL_ATTEMPTS, backoff=backoff, is_away=breaker.is_away)


def bind(role: ModelRole, overrides: Mapping[str, str] | None = None) -> Binding:
    """Which model a role has and why, problems included; raises NotConfigured for an override that is not allowed."""
    own = _bind_by_settings(role)
    chosen = (overrides or {}).get(role)
    if not chosen or (chosen == own.name and not own.problem):
        return own  # where nobody named a model, the baseline is a fault, and chosen by name it is none
    if not is_allowed(chosen):
        sentence = _("The model %(name)s is not on the list of this site (MODEL_ALLOWED).")
        raise NotConfigured(sentence % {"name": chosen})
    return _checked(Binding(role, chosen, role.setting, _("chosen for this project or run")))


def allowed() -> list[str]:
    """What a project or run may choose: names and patterns of `provider:model`."""
    own = [*settings.MODEL_BINDINGS.values(), *settings.MODEL_ALLOWED, KeywordModel().name]
    if settings.DASHSCOPE_API_KEY:
        own += [_DASHSCOPE_TEXT, _DASHSCOPE_VISION]
    return sorted({name for name in own if name})


def is_allowed(name: str) -> bool:
    """Whether a project or run may choose this `provider:model`."""
    return any(fnmatchcase(name, pattern) for pattern in (*allowed(), f"{KEYWORD}:*", f"{DETOXIFY}:*"))


def _bind_by_settings(role: ModelRole) -> Binding:
    family = "MODEL_VISION" if role.is_shown_pictures else "MODEL_TEXT"
    preferred = _PREFERRED_ROLE.get(role)
    for setting in (role.setting, preferred.setting if preferred else "", family):
        if named := settings.MODEL_BINDINGS.get(setting):
            return _checked(Binding(role, named, setting, _("%(setting)s names it") % {"setting": setting}))
    return _checked(_unnamed(role, family))


def _unnamed(role: ModelRole, family: str) -> Binding:
    """What a role gets that no setting names."""
    text = settings.MODEL_BINDINGS.get("MODEL_TEXT", "")
    if settings.DASHSCOPE_API_KEY and (not text or text.startswith("dashscope:")):
        name = _DASHSCOPE_VISION if role.is_shown_pictures else _DASHSCOPE_TEXT
        why = _("DASHSCOPE_API_KEY is set and %(setting)s is not: DashScope's default") % {"setting": family}
        return Binding(role, name, family, why)
    name = KeywordModel().name
    if settings.DASHSCOPE_API_KEY or settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL or text:
        example = "dashscope" if settings.DASHSCOPE_API_KEY else "openai"
        problem = _("A provider is set up, but no model is named: set %(setting)s to %(provider)s:NAME.") % {
            "setting": family,
            "provider": example,
        }
        return Binding(role, name, family, _("%(setting)s is not set") % {"setting": family}, problem)
    return Binding(role, name, family, _("no provider is set up: the built-in baseline"))


def _checked(binding: Binding) -> Binding:
    """The binding with its problem, if its provider cannot be asked."""
    return binding if binding.problem else replace(binding, problem=_trouble(binding))


def _trouble(binding: Binding) -> str:
    named = {"setting": binding.setting, "providers": ", ".join(sorted([*_MODULES, DETOXIFY, KEYWORD]))}
    if not binding.model or binding.provider not in (*_MODULES, DETOXIFY, KEYWORD):
        return _("%(setting)s must look like provider:model, with one of the providers %(providers)s.") % named
    if binding.provider == DETOXIFY and binding.role not in (ModelRole.TOXICITY, ModelRole.ESTIMATOR):
        return _("%(setting)s names detoxify, which answers the roles toxicity and estimator alone.") % named
    if binding.provider == DETOXIFY and find_spec(DETOXIFY) is None:
        return _("%(setting)s names detoxify, which is not installed here: install the extra detoxify.") % named
    return _missing_key(binding.provider, binding.setting)


def _missing_key(provider: str, setting: str) -> str:
    named = {"setting": setting}
    if provider == "dashscope" and not settings.DASHSCOPE_API_KEY:
        return _("%(setting)s names a model of dashscope, but DASHSCOPE_API_KEY is not set.") % named
    if provider == "openai" and not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return _("%(setting)s names a model of openai, but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set.") % named
    return ""


def _classifier(binding: Binding) -> Model:
    made: Model = import_module("providers.detoxify_model").DetoxifyModel(binding.model)
    return made


def _require_usable(binding: Binding) -> None:
    if trouble := _trouble(binding):
        raise NotConfigured(trouble)


# ── One test call ─────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Trial:
    """What became of one test call: the answer's `text`, or the sentence of the `fault`."""

    name: str
    text: str = ""
    fault: str = ""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the model answered."""
        return not self.fault


def try_out(role: ModelRole, request: Request, overrides: Mapping[str, str] | None = None) -> Trial:
    """Ask the model of a role once: no retries, no breaker, 20 s at most. Never raises for a fault of the provider."""
    binding = bind(role, overrides)
    try:
        reply = _once(binding).reply(request)
    except (ProviderError, Refused) as error:
        return Trial(binding.name, fault=str(error))
    fault = "" if reply.text.strip() else _("The model answered with nothing.")
    return Trial(binding.name, reply.text.strip(), fault, reply.seconds)


def _once(binding: Binding) -> Model:
    if binding.provider == KEYWORD:
        return KeywordModel(_BUILT_IN)
    _require_usable(binding)
    if binding.provider == DETOXIFY:
        return _classifier(binding)
    vendor = _vendor(binding.provider)
    return _adapter(replace(vendor, wall=min(20.0, vendor.wall)), binding)


# ── Connections ───────────────────────────────────────────────────────────────

_building = threading.Lock()  # two threads must not make two breakers


class _Named:
    """A model that says in a final fault of the request which setting named it (threats L18)."""

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
            raise ProviderError(f"{fault}. {self.name} comes from {self._setting}.", code=fault.code) from fault


def _adapter(vendor: _Vendor, binding: Binding) -> Model:
    return _Named(_connection(vendor).model(binding.model), binding.setting)


def _vendor(provider: str) -> _Vendor:
    key, address = {
        "openai": (settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL),
        "dashscope": (settings.DASHSCOPE_API_KEY, settings.DASHSCOPE_HTTP_BASE_URL),
    }[provider]
    return _Vendor(
        provider,
        key,
        address,
        settings.OPENAI_JSON,
        settings.MODEL_READ_SECONDS,
        settings.MODEL_WALL_SECONDS,
        settings.MODEL_BODY_BYTES,
        settings.MODEL_CALLS_AT_ONCE,
        settings.MODEL_CALLS_PER_MINUTE,
        settings.MODEL_REST_SECONDS,
    )


@lru_cache(maxsize=8)
def _connection(vendor: _Vendor) -> Any:
    module = import_module(_MODULES[vendor.provider])
    bounds = module.Bounds(read=vendor.read, wall=vendor.wall, body=vendor.body)
    given: dict[str, Any] = {"key": vendor.key, "address": vendor.address, "bounds": bounds}
    if vendor.provider == "openai":
        given["json_wish"] = vendor.json_wish
    connect: Callable[..., Any] = module.connect
    return connect(module.Endpoint(**given))


@lru_cache(maxsize=8)
def _breaker(vendor: _Vendor) -> Breaker:
    return Breaker(vendor.provider, open_for=vendor.rest)


@lru_cache(maxsize=8)
def _gate(vendor: _Vendor) -> Gate:
    return Gate(vendor.at_once, vendor.per_minute)
