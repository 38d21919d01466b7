"""Families of models that mean the same and say it each in its manner: all is read, nothing wrongly, with one call.

Every form that a method asks for, about posts in three languages, over the wire; `wire/manners.py` has the manners.
Each question has a mark, by which the server knows what is meant. CI asks about all posts.
"""

import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.priors.schema import answer_shape
from moderation.domain import arcade_statements
from moderation.domain.antihateagent import actions
from moderation.domain.baseline import AgentAnswer
from moderation.domain.hatexscore.estimate import Estimate
from moderation.domain.predict import answers
from moderation.domain.predict.perspectives import SEEDED
from moderation.domain.task import Task
from moderation.domain.verdicts import verdict_shape
from providers import wiring
from providers.learnt_facts import LearntFacts
from providers.messages import Message
from runs.domain.states import TurnState
from runs.execution.step import PendingStep, StepAnswer
from runs.methods.method import Step
from wire import manners
from wire.manners import FAMILIES, NEVER_READ, Content, Family, Manner
from wire.passed_on import PASSED_ON
from wire.server import Exchange, WireServer

pytestmark = pytest.mark.once

POSTS = {
    "en": ("Weeds in the roses again.", "They grow everywhere.", "He said they are weeds. They are not."),
    "ko": ("장미밭에 또 잡초가 있다.", "그들은 잡초가 아니다."),
    "zh": ("玫瑰里又有杂草。", "他们不是杂草。"),
}
SENTENCES = {"en": "It calls people weeds.", "ko": "사람들을 잡초라고 부른다.", "zh": "它把人叫作杂草。"}
ALL_POSTS = [(tongue, text) for tongue, texts in POSTS.items() for text in texts]
CASES = ALL_POSTS if os.environ.get("CI") else ALL_POSTS[::3]
SAY, REASON = "<sentence>", {"reason": "<sentence>"}
CUE = {"id": "c1", "target_group": "<sentence>", "claim": "<sentence>", "justification": "<sentence>"}
ANSWER_TO_CUE = {"id": "c1", "evidence": "<sentence>", "rebuttal": "<sentence>"}


def act(action: str, **arguments: Any) -> dict[str, Any]:
    return {"thought": SAY, "action": action, "action_input": arguments}


PASSAGE = {"quote": "<sentence>", "stance": "supports", "relevance": 3, "bearing": "<sentence>"}
CLAIM = "Weeds are people."
OFFENSIVE, HATE = (answers.view_shape(SEEDED[place]) for place in (0, 1))
SIX, BINARY = (verdict_shape(DEFAULT_CATEGORIES, task) for task in (Task.SIX, Task.BINARY))
COURT = arcade_statements
QUESTIONS: list[tuple[str, type[BaseModel] | None, Any]] = [
    ("baseline", SIX, REASON | {"category": 1}),
    ("baseline", BINARY, REASON | {"hateful": True}),
    ("baseline", AgentAnswer, REASON | {"label": "not hateful"}),
    ("baseline", None, "not hate speech: <sentence>"),
    ("explainer", None, "The post is about weeds.\n\n<sentence>\n\nConclusion: hateful."),
    ("gatekeeper", COURT.gate_shape(DEFAULT_CATEGORIES, 2), {"cues": [CUE]}),
    (
        "prosecutor",
        COURT.cues_shape(DEFAULT_CATEGORIES, 2),
        {
            "cues": [
                CUE | {"cue_type": "Metaphor", "hate_type": 1},
                CUE | {"id": "c2", "cue_type": "Direct", "hate_type": 2},
            ]
        },
    ),
    ("defender", COURT.rebuttals_shape(["c1"]), {"rebuttals": [ANSWER_TO_CUE]}),
    ("defender", COURT.rebuttals_shape(["c1"], later=True), {"rebuttals": [], "conceded": ["c1"]}),
    ("judge", SIX, REASON | {"category": 0}),
    ("perspective", OFFENSIVE, REASON | {"label": "Not offensive"}),
    ("perspective", HATE, REASON | {"label": "Hate speech"}),
    ("debater", answers.Response, {"argument": SAY, "position": "rebut"}),
    ("debate_judge", answers.Judgement, REASON | {"label": "Non-hate"}),
    ("investigator", actions.select_pages({1, 2}, 2), act("SelectPages", pages=[1], other_queries_may_help=False)),
    ("investigator", actions.extract_evidence(), act("ExtractEvidence", segments=[PASSAGE])),
    (
        "investigator",
        actions.final_judgment(CLAIM),
        act("FinalJudgment", text=CLAIM, verdict="HATE", confidence=0.8, rationale=SAY),
    ),
    ("prior_text", answer_shape(DEFAULT_CATEGORIES), {"explanation": SAY, "category": 5, "severity": 2}),
    ("estimator", Estimate, {"probability": 0.86}),
]

NAMES = {category.code: category.name for category in DEFAULT_CATEGORIES}
YES_NO = {"en": ("True", "False"), "ko": ("예", "아니오"), "zh": ("是", "否")}
CODES = {
    "en": {code: name.lower() for code, name in NAMES.items()},
    "ko": {0: "비혐오", 1: "인종차별", 2: "성차별", 5: "기타"},
    "zh": {0: "非仇恨", 1: "种族歧视", 2: "性别歧视", 5: "其他"},
}
LOCAL: dict[str, dict[Any, str]] = {
    "en": {"Non-hate": "not hateful"},
    "ko": {
        "not hateful": "혐오 아님",
        "Direct": "직접적",
        "Metaphor": "은유",
        "Not offensive": "공격적이지 않음",
        "Hate speech": "혐오 표현",
        "Non-hate": "비혐오",
        "rebut": "반박",
        "supports": "지지",
        "HATE": "혐오",
    },
    "zh": {
        "not hateful": "非仇恨",
        "Direct": "直接",
        "Metaphor": "隐喻",
        "Not offensive": "不冒犯",
        "Hate speech": "仇恨言论",
        "Non-hate": "非仇恨",
        "rebut": "反驳",
        "supports": "支持",
        "HATE": "仇恨言论",
    },
}
OTHER_CODE = {0: 1, 1: 2, 2: 1, 5: 0}
OPPOSITE: dict[Any, Any] = {
    "not hateful": "hateful",
    "Direct": "Metaphor",
    "Metaphor": "Direct",
    "Not offensive": "Offensive",
    "Hate speech": "Not hate speech",
    "Non-hate": "Hate",
    "rebut": "agree",
    "supports": "refutes",
    "HATE": "NON-HATE",
}
_CODES, _FREE = ("category", "hate_type"), ("id", "text", "action", "pages", "conceded")


def changed(value: Any, change: Any, key: str = "") -> Any:
    """Return the value with each of its ends changed by its key."""
    if isinstance(value, dict):
        return {name: changed(part, change, name) for name, part in value.items()}
    if isinstance(value, list):
        return [changed(part, change, key) for part in value]
    return value if key in _FREE else change(key, value)


def loosely(key: str, value: Any) -> Any:
    if key in _CODES:
        return f"{value} ({NAMES[value]})"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.0%}"
    if key == "cue_type":
        return {"Direct": "Direct cue", "Metaphor": "Metaphorical"}[value]
    return str(value).upper() if value in OPPOSITE else value


def in_words(tongue: str) -> Any:
    def localized(key: str, value: Any) -> Any:
        if key in _CODES:
            return CODES[tongue][value]
        if isinstance(value, bool):
            return YES_NO[tongue][not value]
        if isinstance(value, int | float):
            return str(value)
        return LOCAL[tongue].get(value, value.lower() if value in OPPOSITE else value)

    return localized


def opposite(key: str, value: Any) -> Any:
    if key in _CODES:
        return OTHER_CODE[value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return round(1 - value, 2)
    return OPPOSITE.get(value, f"DRAFT {value}") if isinstance(value, str) else value


class Question(NamedTuple):
    step: Step
    content: Content
    wanted: Any


def questions() -> Iterator[Question]:
    for tongue, text in CASES:
        for number, (role, shape, value) in enumerate(QUESTIONS):

            def spoken(_key: str, part: Any, tongue: str = tongue) -> Any:
                return part.replace("<sentence>", SENTENCES[tongue]) if isinstance(part, str) else part

            meant = changed(value, spoken)
            mark = f"Q{tongue}-{ALL_POSTS.index((tongue, text))}-{number}"
            messages = (Message.of("system", "Answer in JSON."), Message.of("user", f"{mark}\n{text}"))
            step = Step(mark, role, messages, shape, max_tokens=manners.USUAL_ROOM)
            if shape is None:
                yield Question(step, Content(prose=meant), meant)
                continue
            wanted = shape.model_validate(meant).model_dump(mode="json")
            forms = (changed(meant, change) for change in (loosely, in_words(tongue), opposite))
            yield Question(step, Content(meant, *forms), wanted)


ASKED = list(questions())
IN_DOUBT = [question for question in ASKED[: len(QUESTIONS)] if question.content.value != question.content.opposite]
MEANT = {question.step.key: question.content for question in ASKED}


def content_of(exchange: Exchange) -> Content:
    found = re.search(r"Q\w\w-\d+-\d+", exchange.heard.said())
    assert found
    return MEANT[found[0]]


@pytest.fixture
def facts(monkeypatch: pytest.MonkeyPatch) -> LearntFacts:
    made = LearntFacts()
    monkeypatch.setattr(wiring, "site_facts", made)
    return made


def answered(question: Question, model: str, facts: LearntFacts) -> StepAnswer:
    """Ask as a run does, until there is an answer."""
    profile = wiring.profile_of(model)
    room = profile.room_beside(question.step.max_tokens)
    pending = PendingStep.of(question.step, thinking_tokens=room, most_tokens=16_000)
    answer = None
    while answer is None:
        answer = pending.accept_reply(
            wiring.model_for(question.step.role, {question.step.role: model}).reply(pending.request)
        )
    if question.step.shape is not None:
        facts.note_answer(model, question.step.role, pending.habits)
    return answer


@pytest.mark.parametrize("manner", NEVER_READ.values(), ids=NEVER_READ.keys())
def test_what_never_keeps_to_a_form_is_never_read_wrongly(manner: Manner, facts: LearntFacts, settings: Any) -> None:
    with WireServer(otherwise=manners.speaks(Family(manner), content_of)) as wire:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = wire.openai_url, "sk-CANARY-1"
        settings.MODEL_ALLOWED, settings.MODEL_BACKOFF = ["*:*"], 0
        states = {answered(question, "openai:house-model", facts).state for question in IN_DOUBT}
    assert states == {TurnState.UNREADABLE}


EVERY = FAMILIES | PASSED_ON


@pytest.mark.parametrize("family", EVERY.values(), ids=EVERY.keys())
def test_a_family_is_read_to_the_last_answer_and_soon_with_one_call_each(
    family: Family, facts: LearntFacts, settings: Any
) -> None:
    with WireServer(otherwise=manners.speaks(family, content_of)) as wire:
        settings.OPENAI_BASE_URL, settings.DASHSCOPE_HTTP_BASE_URL = wire.openai_url, wire.dashscope_url
        settings.OPENAI_API_KEY = settings.DASHSCOPE_API_KEY = "sk-CANARY-1"
        settings.MODEL_ALLOWED, settings.MODEL_BACKOFF, settings.MODEL_ATTEMPTS = ["*:*"], 0, 3
        got, calls = [], []
        for question in ASKED:
            before = len(wire.heard)
            got.append(answered(question, family.model, facts))
            calls.append(len(wire.heard) - before)
    unread = [question.step.key for question, answer in zip(ASKED, got, strict=True) if answer.state != TurnState.OK]
    wrong = [
        (question.wanted, answer.value)
        for question, answer in zip(ASKED, got, strict=True)
        if answer.state == TurnState.OK and answer.value != question.wanted
    ]
    assert wrong == []
    assert len(unread) <= 0.005 * len(ASKED), (unread, next(answer for answer in got if answer.state != TurnState.OK))
    assert sum(calls[10:]) <= 1.05 * len(calls[10:]), calls
