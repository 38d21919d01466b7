"""What one model takes: known families, what an operator says of it, and what its server's own refusals told."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Literal

JsonForm = Literal["schema", "object", "off"]
"""How JSON is requested: by its schema, as any object, or in the words of the prompt alone."""
LimitName = Literal["max_tokens", "max_completion_tokens"]

JSON_FORMS: tuple[JsonForm, ...] = ("schema", "object", "off")
LIMIT_NAMES: tuple[LimitName, ...] = ("max_tokens", "max_completion_tokens")
_SET_ELSEWHERE = {
    *("model", "messages", "input", "n", "stream", "response_format", "result_format", "temperature", *LIMIT_NAMES),
    *("api_key", "base_address", "base_url", "session", "headers", "request_timeout", "workspace"),
}


class Fact(StrEnum):
    """The kinds of things that a server can tell of a model."""

    REJECTS = "rejects"
    """It rejects the parameter that the value names."""
    LIMIT_NAME = "limit_name"
    """It knows the limit of an answer's tokens by the name in the value."""
    MOST_TOKENS = "most_tokens"
    """It allows an answer no more tokens than the value."""
    LEAST_TEMPERATURE = "least_temperature"
    """It wants a temperature above 0; the value is the least that is sent."""
    JSON = "json"
    """It takes JSON in the form that the value names, and none that asks for more."""
    NO_PICTURES = "no_pictures"
    """It takes no pictures."""
    MUST_NOT_THINK = "must_not_think"
    """It answers in one piece only if its thinking is switched off."""
    THINKS = "thinks"
    """It thinks before it answers, and the limit of an answer's tokens includes that."""
    STREAMS = "streams"
    """It answers in a stream only."""
    NO_SYSTEM = "no_system"
    """It knows no system role: instructions stand in the first message of the user."""
    REMINDED = "reminded"
    """It keeps to the form of an answer only if the end of the question says so once more."""
    WORDY = "wordy"
    """Its answers need twice the room that questions give them."""
    ROOT = "root"
    """Its server answers below the path in the value, which its address in the settings lacks."""


@dataclass(frozen=True)
class Lesson:
    """One fact about one model, for example that it rejects `temperature`."""

    fact: Fact
    value: str = ""

    def replaces(self, earlier: "Lesson") -> bool:
        """Return whether an earlier lesson no longer counts: only of rejected parameters there are several."""
        return self.fact == earlier.fact and (self.fact is not Fact.REJECTS or self.value == earlier.value)

    def is_told_by(self, known: "Lesson") -> bool:
        """Return whether a known lesson tells this already.

        Of questions that are asked at once, the slower may be told of the schema what another was told of all JSON.
        """
        forms: tuple[str, ...] = JSON_FORMS
        if self.fact is known.fact is Fact.JSON and {self.value, known.value} <= set(forms):
            return forms.index(self.value) <= forms.index(known.value)
        return self == known


@dataclass(frozen=True)
class ModelProfile:
    """What one model takes. A parameter that it `rejects` is not sent.

    `limit_name` is the parameter that limits an answer's tokens (empty: the protocol's usual one) and `most_tokens`
    its highest value (0: not known). If the model `thinks`, that limit includes its thinking, for which
    `thinking_tokens` are added. `effort` is sent as `reasoning_effort`, and `send` are further parameters.
    `picture_side` is the longest side, in pixels, that a picture is worth sending with. A model without `pictures`
    is sent them all the same, because only its server knows, unless the operator says so (`is_sent_pictures`). One
    that `streams` answers in no other way, one without `system` gets its instructions from the user, and one is
    `reminded` of the form with each question.

    Three facts only an operator can say. A `plain` model answers an instruction with one text and knows no JSON. One
    that takes `n` gives several answers in one call. `trained` names what a model was trained as (say `CoARL`) that
    writes by its weights; it is empty for one that is prompted.
    """

    rejects: frozenset[str] = frozenset()
    limit_name: LimitName | Literal[""] = ""
    most_tokens: int = 0
    least_temperature: float = 0.0
    json: JsonForm = "schema"
    thinks: bool = False
    thinking_tokens: int = 4000
    effort: str = ""
    pictures: bool = True
    is_sent_pictures: bool = True
    streams: bool = False
    system: bool = True
    reminded: bool = False
    wordy: bool = False
    picture_side: int = 2048
    send: tuple[tuple[str, Any], ...] = ()
    plain: bool = False
    n: bool = False
    trained: str = ""

    @property
    def takes_n(self) -> bool:
        """Whether several answers may be wanted in one call; its server may have told otherwise."""
        return self.n and "n" not in self.rejects

    @property
    def room_to_think(self) -> int:
        """The tokens that an answer's limit needs for thinking, beside those for what is said."""
        return self.thinking_tokens if self.thinks else 0

    def room_beside(self, tokens: int) -> int:
        """Return the tokens that an answer's limit needs beside those that its question gives it."""
        return self.room_to_think + (tokens if self.wordy else 0)

    def with_lesson(self, lesson: Lesson) -> "ModelProfile":
        """Return the profile with one more fact; a value that makes no sense changes nothing."""
        value = lesson.value
        if switch := _SWITCHED_BY.get(lesson.fact):
            return replace(self, **switch)
        match lesson.fact:
            case Fact.REJECTS:
                return replace(self, rejects=self.rejects | {value})
            case Fact.LIMIT_NAME if value in LIMIT_NAMES:
                return replace(self, limit_name=value)
            case Fact.MOST_TOKENS if value.isdecimal():
                return replace(self, most_tokens=int(value))
            case Fact.JSON if value in JSON_FORMS:
                return replace(self, json=less_demanding(self.json, value))
            case Fact.MUST_NOT_THINK:
                return replace(self, send=(*self.send, ("enable_thinking", False)))
        return self

    def with_lessons(self, lessons: Iterable[Lesson]) -> "ModelProfile":
        """Return the profile with these facts."""
        profile = self
        for lesson in lessons:
            profile = profile.with_lesson(lesson)
        return profile


_SWITCHED_BY: Mapping[Fact, Mapping[str, Any]] = {
    Fact.LEAST_TEMPERATURE: {"least_temperature": 0.01},
    Fact.NO_PICTURES: {"pictures": False},
    Fact.THINKS: {"thinks": True},
    Fact.STREAMS: {"streams": True},
    Fact.NO_SYSTEM: {"system": False},
    Fact.REMINDED: {"reminded": True},
    Fact.WORDY: {"wordy": True},
}
"""The fields that a fact without a value sets."""


def less_demanding(first: JsonForm, second: str) -> JsonForm:
    """Return the one of two forms that asks for less."""
    return JSON_FORMS[max(JSON_FORMS.index(first), JSON_FORMS.index(second))]


# ── Families ──────────────────────────────────────────────────────────────────

_REASONING = ModelProfile(
    rejects=frozenset({"temperature"}), limit_name="max_completion_tokens", thinks=True, thinking_tokens=6000
)
_THINKING = ModelProfile(thinks=True)
_TEXT = ModelProfile(pictures=False)

FAMILIES: tuple[tuple[str, ModelProfile], ...] = (
    ("gpt-[5-9]*chat*", ModelProfile(limit_name="max_completion_tokens")),
    ("gpt-[5-9]*", _REASONING),
    ("o1*", _REASONING),
    ("o3*", _REASONING),
    ("o4*", _REASONING),
    ("gpt-4*", ModelProfile()),
    ("chatgpt-4o*", ModelProfile()),
    ("gpt-3.5*", ModelProfile(json="object", pictures=False)),
    ("gpt-oss*", ModelProfile(thinks=True, pictures=False)),
    ("gemini-2.5*", ModelProfile(thinks=True, picture_side=3072)),
    ("gemini-3*", ModelProfile(thinks=True, picture_side=3072)),
    ("claude*", ModelProfile(picture_side=1568)),
    ("qwen3-vl*thinking*", _THINKING),
    ("qvq*", _THINKING),
    ("qwen*-vl*", ModelProfile()),
    ("qwen*omni*", ModelProfile()),
    ("qwen*thinking*", ModelProfile(thinks=True, pictures=False)),
    ("qwq*", ModelProfile(thinks=True, pictures=False)),
    ("qwen-plus*", _TEXT),
    ("qwen-max*", _TEXT),
    ("qwen-turbo*", _TEXT),
    ("qwen2.5-?*b*", _TEXT),
    ("qwen3-?*b*", _TEXT),
    ("deepseek-r*", ModelProfile(thinks=True, pictures=False)),
    ("deepseek-v3*", _TEXT),
    ("llama-3.2-*vision*", ModelProfile(picture_side=1120)),
    ("llama-3*", _TEXT),
    ("llama3*", _TEXT),
    ("*", ModelProfile()),
)
"""The first pattern that fits a model's name decides. A name that fits no other is believed to take everything."""


@lru_cache(maxsize=1024)  # it is asked with every call
def family_profile(model: str) -> ModelProfile:
    """Return the profile of the family that a model's name belongs to.

    The name is without the server's; what routers put before a slash is not looked at.
    """
    name = model.rpartition("/")[2].lower()
    return next(profile for pattern, profile in FAMILIES if fnmatchcase(name, pattern))


# ── What an operator says ─────────────────────────────────────────────────────

Amendment = Mapping[str, Any]
"""Fields of a profile by name, and `temperature = true | false`, which says whether that parameter is taken."""
Amendments = tuple[tuple[str, Amendment], ...]
"""Amendments by a pattern of `server:model`; the first pattern that fits decides."""


def read_amendments(tables: Mapping[str, Any]) -> Amendments:
    """Return the amendments of a settings file: one table for each pattern of `server:model`.

    Raises ValueError, with a sentence, for a name or value that makes no sense.
    """
    return tuple((pattern, _read_amendment(pattern, table)) for pattern, table in tables.items())


def site_profile(name: str, amendments: Amendments) -> ModelProfile:
    """Return the profile of `server:model` by its family and by what the operator says of it."""
    profile = family_profile(name.partition(":")[2])
    amendment = next((amendment for pattern, amendment in amendments if fnmatchcase(name, pattern)), None)
    if amendment is None:
        return profile
    changed = {key: value for key, value in amendment.items() if key != "temperature"}
    changed["is_sent_pictures"] = changed.get("pictures", True)
    if "temperature" in amendment:
        rejects = changed.get("rejects", profile.rejects)
        changed["rejects"] = rejects - {"temperature"} if amendment["temperature"] else rejects | {"temperature"}
    return replace(profile, **changed)


def _read_amendment(pattern: str, table: Any) -> Amendment:
    if ":" not in pattern or not isinstance(table, Mapping):
        raise ValueError(f'[{pattern!r}] must be a table named like ["openai:some-model*"].')
    return {key: _read_field(pattern, key, value) for key, value in table.items()}


def _read_field(pattern: str, key: str, value: Any) -> Any:
    if key == "rejects" and isinstance(value, list) and all(isinstance(word, str) for word in value):
        return frozenset(value)
    if key == "send" and isinstance(value, Mapping) and not _SET_ELSEWHERE & set(value):
        return tuple(value.items())
    if (key in _SWITCHES and isinstance(value, bool)) or _is_fitting(key, value):
        return value
    raise ValueError(f"{key} = {value!r} of {pattern} makes no sense. {_EXPLAINED}")


def _is_fitting(key: str, value: Any) -> bool:
    match key:
        case "json":
            return value in JSON_FORMS
        case "limit_name":
            return value in LIMIT_NAMES
        case "effort":
            return isinstance(value, str) and len(value) <= 40
        case "trained":
            return isinstance(value, str) and len(value) <= MOST_TRAINED and value.isprintable()
        case "least_temperature":
            return isinstance(value, float) and 0 <= value <= 2
        case "most_tokens" | "thinking_tokens":
            return type(value) is int and 0 <= value <= 1_000_000
        case "picture_side":
            return type(value) is int and 64 <= value <= 16_384
    return False


_SWITCHES = ("temperature", "thinks", "pictures", "plain", "n", "streams", "system", "reminded", "wordy")
MOST_TRAINED = 80
"""The most characters of what a model was trained as."""
_EXPLAINED = (
    "A model may have: temperature, thinks, pictures, plain, n, streams, system, reminded, wordy (true or false); "
    "json (schema, object, off); limit_name (max_tokens, max_completion_tokens); most_tokens, thinking_tokens, "
    "picture_side (whole numbers); "
    "least_temperature; effort, trained (words); rejects (a list of parameters); send (a table of further parameters)."
)
