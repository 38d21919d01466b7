"""The built-in keyword baseline for a machine without any key: it finds open cues of its own list and says so.

It is no language model: deterministic, offline, and in the same form as the others. It sees no picture and says so, and
it misses everything that is not said openly. Its list is `cues.toml`.
"""

import json
import re
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from providers.messages import Model, ProviderError, Reply, Request, Usage
from vocabulary.registration import complete

OWN_WORDS = "Built-in keyword baseline, no language model was used."
_SENTENCES = re.compile(r"[^.!?。！？\n]+")
_FILE = Path(__file__).with_name("cues.toml")


@dataclass(frozen=True)
class KeywordGroup:
    """People, the words a project may use for hate against them, and sayings that need no group word beside them."""

    kinds: tuple[str, ...]
    terms: tuple[str, ...]
    sayings: tuple[str, ...]


@dataclass(frozen=True)
class Cues:
    """The list; `hostile` holds sayings with their severity, worst first."""

    version: str
    groups: tuple[KeywordGroup, ...]
    hostile: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Hit:
    """A cue found in a text."""

    group: KeywordGroup
    words: tuple[str, ...]
    severity: int


@cache
def own_cues() -> Cues:
    """Read the list of cues."""
    table = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    groups = tuple(KeywordGroup(tuple(g["kinds"]), tuple(g["terms"]), tuple(g["sayings"])) for g in table["group"])
    hostile = sorted(((h["severity"], saying) for h in table["hostile"] for saying in h["sayings"]), reverse=True)
    return Cues(table["version"], groups, tuple(hostile))


def worst_hit(text: str, cues: Cues) -> Hit | None:
    """Return the most severe cue of the text, the first in the order of the list if several are equal.

    Returns None if there is no cue.
    """
    worst: Hit | None = None
    for sentence in _SENTENCES.findall(text.casefold().replace("’", "'")):
        for group in cues.groups:
            hit = _hit(sentence, group, cues)
            if hit and (worst is None or hit.severity > worst.severity):
                worst = hit
    return worst


def _hit(sentence: str, group: KeywordGroup, cues: Cues) -> Hit | None:
    saying = _first(group.sayings, sentence)
    standing_alone = Hit(group, (saying,), 2) if saying else None
    term = _first(group.terms, sentence)
    if not term:
        return standing_alone
    for severity, hostile in cues.hostile:
        if _says(sentence, hostile):
            return Hit(group, (term, hostile), severity)
    return standing_alone


def _first(phrases: Sequence[str], sentence: str) -> str | None:
    return next((phrase for phrase in phrases if _says(sentence, phrase)), None)


def _says(sentence: str, phrase: str) -> bool:
    """Whether the phrase stands in the sentence, on word boundaries where its script has any."""
    if not phrase.isascii():
        return phrase in sentence
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", sentence) is not None


SLOW = "slow-sample"
"""The name of the baseline that takes its time; only sites with a sample campaign have it."""
_PAUSE = 30.0
"""Seconds."""

KeywordAnswer = Callable[[Request, Cues], Any]
"""What the baseline answers in a role: prose, or a value of the form that is asked for."""


class KeywordModel:
    """The baseline as a model. It answers the roles that its answers name."""

    sees_pictures = False

    def __init__(self, answers: Mapping[str, KeywordAnswer] | None = None) -> None:
        self._cues = own_cues()
        self._answers = ANSWERS if answers is None else answers
        self.name = f"keyword:cues-{self._cues.version}"

    def reply(self, request: Request) -> Reply:
        """Answer at once, from `request.context`.

        Raises ProviderError `bad_request` for a role without an answer.
        """
        answer = self._answers.get(request.role)
        if answer is None:
            raise ProviderError(
                f"The built-in keyword baseline does not answer the role {request.role}: "
                f"set MODEL_{request.role.upper()}.",
                code="bad_request",
            )
        content = answer(request, self._cues)
        return Reply(
            content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), self.name, Usage()
        )


class SlowKeywordModel:
    """The baseline of a sample site that waits before each answer, so that a debate can be watched under way."""

    sees_pictures = False
    name = f"keyword:{SLOW}"

    def __init__(self, baseline: Model, pause: float = _PAUSE) -> None:
        self._baseline, self._pause = baseline, pause

    def reply(self, request: Request) -> Reply:
        """Answer as the baseline does, after the pause."""
        time.sleep(self._pause)
        return replace(self._baseline.reply(request), model=self.name)


def text_prior(request: Request, cues: Cues) -> dict[str, Any]:
    """`{"category", "explanation", "severity"}` for `context["text"]` among `context["categories"]`.

    A category is `{"code", "name", "hateful", "aliases"?}`.
    """
    hit = worst_hit(str(request.context.get("text", "")), cues)
    category = category_for(request.context.get("categories", ()), hit)
    if hit is None:
        explanation = f"{OWN_WORDS} It found none of its cues; it does not understand anything that is not said openly."
        return {"category": category["code"], "explanation": explanation, "severity": 0}
    quoted = " with ".join(f"“{words}”" for words in hit.words)
    return {
        "category": category["code"],
        "explanation": f"{OWN_WORDS} It found {quoted} in one sentence."
        if len(hit.words) > 1
        else f"{OWN_WORDS} It found {quoted}.",
        "severity": hit.severity,
    }


def image_prior(request: Request, cues: Cues) -> dict[str, Any]:
    """Answer in the form of `text_prior` without a category, so that the item has no image prior."""
    return {"category": None, "explanation": f"{OWN_WORDS} It cannot see pictures.", "severity": None}


def no_description(request: Request, cues: Cues) -> dict[str, Any]:
    """Return no description: the keyword baseline has no vision."""
    return {"words": "", "description": ""}


ANSWERS: Mapping[str, KeywordAnswer] = {
    "prior_text": text_prior,
    "prior_image": image_prior,
    "describer": no_description,
}
_registered: dict[str, KeywordAnswer] = dict(ANSWERS)


def register_answers(answers: Mapping[str, KeywordAnswer]) -> None:
    """Teach the site's baseline further roles; called from `ready()` of the app whose roles they are."""
    _registered.update(answers)


def site_model() -> KeywordModel:
    """Return the baseline with all answers that were registered."""
    complete()
    return KeywordModel(_registered)


def category_for(categories: Sequence[Mapping[str, Any]], hit: Hit | None) -> Mapping[str, Any]:
    """Return the project's category for a hit: the one of its kind, else one for other hate, else by severity."""
    among = [category for category in categories if bool(category["hateful"]) is (hit is not None)]
    if not among:
        side = "hateful" if hit else "not hateful"
        raise ProviderError(f"The project has no category that is {side}.", code="bad_request")
    if hit is None:
        return among[0]
    for kinds in (hit.group.kinds, ("other", "otherhate")):
        for category in among:
            if _names(category) & set(kinds):
                return category
    outright = [category for category in among if any("hate" in name for name in _names(category))]
    milder = [category for category in among if category not in outright]
    return (outright or among)[0] if hit.severity > 1 else (milder or among)[0]


def _names(category: Mapping[str, Any]) -> set[str]:
    given = [category["code"], category["name"], *category.get("aliases", ())]
    return {re.sub(r"[\W_]", "", str(name).casefold()) for name in given}
