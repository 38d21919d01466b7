"""Which model a role has, by settings, and whether it can be asked.

A setting binds a role to `provider:model`, split at the first colon; the provider is a vendor or a server of
MODEL_SERVERS. Addresses and keys come from settings only; a project or run may choose another model for a role within
the allow-list, never an address.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from importlib.util import find_spec

from django.conf import settings
from django.utils.translation import gettext as _

from providers.keyword.model import KeywordModel, SlowKeywordModel
from providers.messages import ProviderError
from providers.roles import ModelRole
from providers.servers import ModelServer

KEYWORD, DETOXIFY = "keyword", "detoxify"
_DASHSCOPE_TEXT, _DASHSCOPE_VISION = "dashscope:qwen-plus", "dashscope:qwen3-vl-plus"
_PREFERRED_ROLE = {
    ModelRole.GATEKEEPER: ModelRole.PROSECUTOR,
    ModelRole.COUNTER_EXPLAINER: ModelRole.COUNTERSPEAKER,
    ModelRole.TOXICITY: ModelRole.CRITIC,
    ModelRole.TRANSLATOR: ModelRole.COUNTER_EXPLAINER,
}


class NotConfigured(ProviderError):
    """The settings name no usable model for a role; the message says which setting to change."""

    code = "bad_request"


@dataclass(frozen=True)
class Binding:
    """The model of a role: `why` it is that one, and its `problem`, each a sentence or empty.

    `setting` is the variable to change for another model. An optional role that nobody named a model for has no name.
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
        """False for the built-in keyword model, and for nobody: every page that shows its answers says so."""
        return self.provider not in ("", KEYWORD)


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
    if settings.DEMO:
        own.append(SlowKeywordModel.name)
    if settings.DASHSCOPE_API_KEY:
        own += [_DASHSCOPE_TEXT, _DASHSCOPE_VISION]
    return sorted({name for name in own if name})


def is_model_allowed(name: str) -> bool:
    """Return whether a project or run may choose this `provider:model`."""
    return any(fnmatchcase(name, pattern) for pattern in (*allowed_models(), f"{KEYWORD}:*", f"{DETOXIFY}:*"))


def _bind_by_settings(role: ModelRole) -> Binding:
    family = "MODEL_VISION" if role.is_shown_pictures else "MODEL_TEXT"
    preferred = _PREFERRED_ROLE.get(role)
    fallbacks = () if role.is_optional else (preferred.setting if preferred else "", family)
    for setting in (role.setting, *fallbacks):
        if named := settings.MODEL_BINDINGS.get(setting):
            return _checked(Binding(role, named, setting, _("%(setting)s names it") % {"setting": setting}))
    if role.is_optional:
        return Binding(role, "", role.setting, _("%(setting)s is not set: nobody is asked") % {"setting": role.setting})
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
    providers = (*servers(), DETOXIFY, KEYWORD)
    fields = {"setting": binding.setting, "providers": ", ".join(sorted(providers))}
    if not binding.model or binding.provider not in providers:
        return _("%(setting)s must look like provider:model, with one of the providers %(providers)s.") % fields
    if binding.provider == KEYWORD and binding.role.is_optional:
        return _("%(setting)s names the built-in baseline, which answers no optional role: name a model.") % fields
    if binding.provider == DETOXIFY and binding.role not in (ModelRole.TOXICITY, ModelRole.ESTIMATOR):
        return _("%(setting)s names detoxify, which answers the roles toxicity and estimator alone.") % fields
    if binding.provider == DETOXIFY and find_spec(DETOXIFY) is None:
        return (
            _("detoxify is not installed here: install the extra detoxify, or name another model (%(setting)s).")
            % fields
        )
    return missing_key(binding.provider, binding.setting)


def missing_key(provider: str, setting: str) -> str:
    """Return a sentence if the provider cannot be asked without a key that is not set; empty if it can."""
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


def require_usable(binding: Binding) -> None:
    """Raise NotConfigured if the binding's provider cannot be asked."""
    if trouble := _trouble(binding):
        raise NotConfigured(trouble)


def servers() -> Mapping[str, ModelServer]:
    """Return the servers that models may be asked at, by name."""
    return {
        "openai": ModelServer("openai", "openai", settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY),
        "dashscope": ModelServer(
            "dashscope", "dashscope", settings.DASHSCOPE_HTTP_BASE_URL, settings.DASHSCOPE_API_KEY
        ),
        **settings.MODEL_SERVERS,
    }
