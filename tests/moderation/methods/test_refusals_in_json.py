"""A model that refuses within the form that it was asked for has refused, whichever method asks."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotation.domain.priors.schema import answer_shape
from annotation.domain.votes import Category
from annotation.models import Item
from antihateagent_web import TELLING, Investigator, act, article, investigate, results, verdict
from moderation.domain import arcade_statements as arcade
from moderation.domain.antihateagent.actions import extract_evidence
from moderation.domain.baseline import AgentAnswer
from moderation.domain.predict.answers import Argument, Judgement, view_shape
from moderation.domain.predict.perspectives import SEEDED
from moderation.domain.task import Task
from moderation.domain.verdicts import BinaryVerdict, verdict_shape
from moderation.methods.baseline import declines
from moderation.methods.picture_description import Description
from providers.messages import Request
from providers.structured_output import is_refused, only_refuses
from runs.domain.states import Reason, RunState
from runs.models import Run
from wire.family_servers import Family, server_of
from wire.server import Exchange

pytestmark = pytest.mark.django_db(transaction=True)

REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "죄송하지만 도와드릴 수 없습니다.",
    "很抱歉，我无法协助处理该内容。",
)
VERDICTS = (
    "I cannot find anything hateful here.",
    "I can't call this harmless: it names a group. Conclusion: hateful.",
    "혐오라고 볼 근거를 찾을 수 없습니다.",
    "我看不出任何仇恨内容。",
)
CATEGORIES = (Category(0, "NotHate", False), Category(1, "Racist", True))
CUE = {"id": "c1", "cue_type": "Metaphor", "target_group": "people", "hate_type": 1}
FORMS: dict[str, Callable[[str], Any]] = {
    "a judge": lambda words: verdict_shape(CATEGORIES, Task.SIX)(reason=words, category=0),
    "a judge of two": lambda words: BinaryVerdict(reason=words, hateful=False),
    "a base agent": lambda words: AgentAnswer(label="not hateful", reason=words),
    "a prior": lambda words: answer_shape(CATEGORIES)(explanation=words, category=0, severity=0),
    "PREDICT's judge": lambda words: Judgement(reason=words, label="non-hateful"),
    "PREDICT's side": lambda words: Argument(argument=words),
    "a perspective": lambda words: view_shape(SEEDED[0])(reason=words, label=SEEDED[0].hateful_label),
    "a gatekeeper": lambda words: arcade.gate_shape(CATEGORIES, 1)(cues=[{"claim": words, "cue_type": "Metaphor"}]),
    "a defence": lambda words: arcade.rebuttals_shape(["c1"])(
        rebuttals=[{"id": "c1", "evidence": words, "rebuttal": words}]
    ),
    "a describer": lambda words: Description(words="", description=words),
    "an investigator": lambda words: extract_evidence()(
        thought=words, action="ExtractEvidence", action_input={"segments": []}
    ),
}
"""Each form of an answer, with these words where the model speaks itself."""


@pytest.mark.parametrize("form", FORMS)
def test_a_refusal_in_a_models_own_words_is_one_in_every_form(form: str) -> None:
    assert [words for words in REFUSALS if not is_refused(FORMS[form](words))] == []


@pytest.mark.parametrize("form", FORMS)
def test_a_verdict_that_begins_like_a_refusal_is_none(form: str) -> None:
    assert [words for words in VERDICTS if is_refused(FORMS[form](words))] == []


def test_who_refuses_one_of_several_cues_or_only_thinks_so_has_answered() -> None:
    spoken = [CUE | {"claim": words, "justification": words} for words in (REFUSALS[0], "It calls people weeds.")]
    assert not is_refused(arcade.cues_shape(CATEGORIES, 2)(cues=spoken))
    assert is_refused(arcade.cues_shape(CATEGORIES, 2)(cues=spoken[:1]))
    passage = {"quote": "weeds", "stance": "supports", "relevance": 3, "bearing": "It explains the word."}
    thought = act("ExtractEvidence", segments=[passage]) | {"thought": REFUSALS[0]}
    assert not is_refused(extract_evidence().model_validate(thought))


@pytest.mark.parametrize("words", REFUSALS)
def test_an_answer_without_its_form_that_says_nothing_else_is_a_refusal_and_not_unreadable(words: str) -> None:
    assert only_refuses(json.dumps({"reason": words, "label": None}))
    assert only_refuses(f"```json\n{json.dumps([{'error': {'message': words}, 'label': 'non-hateful'}])}\n```")
    assert not only_refuses(json.dumps({"reason": "It compares people with weeds.", "quote": words}))
    assert not only_refuses(json.dumps({"reason": "", "label": None}))


# ── Over the wire ─────────────────────────────────────────────────────────────

REFUSED = {
    "reason": REFUSALS[0],
    "argument": REFUSALS[0],
    "category": 0,
    "label": "non-hateful",
    "position": "agree",
    "cues": [CUE | {"claim": REFUSALS[0], "justification": REFUSALS[0]}],
}
METHODS = (("baseline",), ("baseline", "--variant", "agent"), ("arcade", "--track", "deep"), ("predict",))


def in_json(exchange: Exchange) -> None:
    exchange.send(200, exchange.reply(json.dumps(REFUSED)))


def in_its_field(exchange: Exchange) -> None:
    body = exchange.reply(None)
    (body.get("output") or body)["choices"][0]["message"]["refusal"] = REFUSALS[0]
    exchange.send(200, body)


def in_a_part(exchange: Exchange) -> None:
    body = exchange.reply(None)
    parts = [{"type": "text", "text": ""}, {"type": "refusal", "refusal": REFUSALS[0]}]
    (body.get("output") or body)["choices"][0]["message"]["content"] = parts
    exchange.send(200, body)


def in_a_call(exchange: Exchange) -> None:
    body = exchange.reply(None)
    call = {"id": "1", "type": "function", "function": {"name": "answer", "arguments": json.dumps(REFUSED)}}
    (body.get("output") or body)["choices"][0]["message"]["tool_calls"] = [call]
    exchange.send(200, body)


@pytest.mark.parametrize("manner", [in_json, in_its_field, in_a_part, in_a_call])
@pytest.mark.parametrize("model", ["openai:house-model", "dashscope:qwen-plus"])
def test_every_method_ends_refused_however_a_server_says_it(
    item: Item, settings: Any, monkeypatch: pytest.MonkeyPatch, model: str, manner: Callable[[Exchange], None]
) -> None:
    settings.MODEL_BINDINGS = {"MODEL_TEXT": model, "MODEL_VISION": model}
    with server_of(Family(model, manner, 0, ""), lambda heard: "", settings, monkeypatch):
        for method, *options in METHODS:
            out = StringIO()
            command = ("run", method, "garden", *options, "--json", "--wait", "--threads", "1")
            call_command(*command, stdout=out, stderr=StringIO())
            (found,) = json.loads(out.getvalue())
            assert (method, found["state"], found["hateful"]) == (method, RunState.REFUSED, None)
    assert {run.reason for run in Run.objects.all()} == {Reason.REFUSED}


def test_an_investigation_whose_judgment_refuses_ends_refused(net: Any, item: Item) -> None:
    def refuse(request: Request) -> Any:
        said = verdict(request)
        return said | {"action_input": said["action_input"] | {"rationale": REFUSALS[0]}}

    net.engine.pages["/search"] = results("http://a.example/weeds")
    net.outer.pages["/weeds"] = article(TELLING)
    run = investigate(item, Investigator(verdict=refuse))
    assert (run.state, run.reason) == (RunState.REFUSED, Reason.REFUSED)


def test_prose_in_a_fixed_form_whose_reason_refuses_is_no_verdict() -> None:
    assert declines(f"Not hate speech: {REFUSALS[0]}") and not declines("Not hate speech: I cannot find any hate.")
