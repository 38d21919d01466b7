"""What the models of a project take, in sentences: what the site knows of each, and what its server taught."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from providers import bindings, wiring
from providers.profiles import Fact, JsonForm, Lesson, ModelProfile
from runs.queue import model_facts
from runs.queue.model_facts import StoredFact


@dataclass(frozen=True)
class LearntTrait:
    """One fact that a server taught: our sentence, the server's own, and when."""

    text: str
    sentence: str
    learnt_at: datetime


@dataclass(frozen=True)
class ModelTraits:
    """How one model is asked at present, and what of that was learnt."""

    name: str
    profile_texts: list[str]
    learnt: list[LearntTrait]


def traits_of_models(names: Iterable[str]) -> list[ModelTraits]:
    """Return what these models take, each once, in alphabetical order; built-in ones are left out."""
    learnt: dict[str, list[StoredFact]] = {}
    for fact in _facts_in_force():
        learnt.setdefault(fact.name, []).append(fact)
    asked_over_a_network = {name for name in names if name.partition(":")[0] in bindings.servers()}
    return [_traits(name, learnt.get(name, [])) for name in sorted(asked_over_a_network)]


def learnt_texts(name: str) -> list[str]:
    """Return what was learnt of one model, in sentences."""
    return [lesson_text(fact.lesson) for fact in _facts_in_force() if fact.name == name]


def _facts_in_force() -> list[StoredFact]:
    """Return what was learnt, without the end of an address that stands in the settings by now."""
    return [
        fact
        for fact in model_facts.stored_facts()
        if fact.lesson.fact is not Fact.ROOT or not _address(fact.name).endswith(fact.lesson.value)
    ]


def _address(name: str) -> str:
    server = bindings.servers().get(name.partition(":")[0])
    return server.address.rstrip("/") if server else ""


def _traits(name: str, facts: list[StoredFact]) -> ModelTraits:
    profile = wiring.profile_of(name, [fact.lesson for fact in facts])
    learnt = [LearntTrait(lesson_text(fact.lesson), fact.sentence, fact.learnt_at) for fact in facts]
    return ModelTraits(name, profile_texts(profile), learnt)


def profile_texts(profile: ModelProfile) -> list[str]:
    """Return how a model of this profile is asked, in sentences."""
    texts = [_json_text(profile.json)]
    if profile.rejects:
        texts.append(_("Not sent: %(parameters)s") % {"parameters": ", ".join(sorted(profile.rejects))})
    if profile.thinks:
        room = {"count": f"{profile.room_to_think:,}"}
        texts.append(_("It thinks first, and has room for %(count)s tokens more to do so") % room)
    if profile.most_tokens:
        texts.append(lesson_text(Lesson(Fact.MOST_TOKENS, str(profile.most_tokens))))
    if profile.effort:
        texts.append(_("Reasoning effort: %(effort)s") % {"effort": profile.effort})
    if profile.pictures and profile.picture_side:
        texts.append(_("Pictures: %(side)s pixels on the longest side") % {"side": f"{profile.picture_side:,}"})
    elif not profile.pictures:
        texts.append(_("Pictures: none, as far as is known"))
    return texts


def lesson_text(lesson: Lesson) -> str:
    """Return the sentence for one fact about a model."""
    if plain := _PLAIN.get(lesson.fact):
        return _(plain)
    match lesson.fact:
        case Fact.REJECTS:
            return _("It rejects the parameter %(parameter)s") % {"parameter": lesson.value}
        case Fact.LIMIT_NAME:
            return _("It knows the limit of an answer as %(parameter)s") % {"parameter": lesson.value}
        case Fact.MOST_TOKENS:
            return _("It gives an answer %(count)s tokens at most") % {"count": f"{int(lesson.value):,}"}
        case Fact.JSON:
            return _("It takes no JSON schema") if lesson.value == "object" else _("It takes no response format")
    sentence = _("It answers below %(path)s: add that to the address of its server in the settings")
    return sentence % {"path": lesson.value}


_PLAIN = {
    Fact.LEAST_TEMPERATURE: gettext_noop("It wants a temperature above 0"),
    Fact.NO_PICTURES: gettext_noop("It takes no pictures"),
    Fact.MUST_NOT_THINK: gettext_noop("It answers only with its thinking switched off"),
    Fact.THINKS: gettext_noop("It thinks before it answers"),
    Fact.STREAMS: gettext_noop("It answers in a stream only"),
    Fact.NO_SYSTEM: gettext_noop("It knows no system role: the instructions stand in the question"),
    Fact.WORDY: gettext_noop("It needs twice the usual room for an answer"),
    Fact.REMINDED: gettext_noop("It keeps to the form of an answer if the question ends with a reminder"),
}
"""The sentences of facts without a value."""


def _json_text(form: JsonForm) -> str:
    match form:
        case "schema":
            return _("JSON is asked for by its schema")
        case "object":
            return _("JSON is asked for as any object")
        case "off":
            return _("JSON is asked for in words alone")
