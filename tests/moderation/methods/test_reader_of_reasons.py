"""The role `reader` and the reasons in a form (JSON): what the rules read no conclusion in, or take for a refusal."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.domain.votes import Category
from annotation.models import Item
from builders import make_item, make_member, make_project
from moderation.debates import start
from moderation.domain.antihateagent.actions import InvestigationOptions
from moderation.domain.arcade import CourtOptions
from moderation.domain.baseline import BaselineOptions
from moderation.domain.predict.answers import HATE
from moderation.domain.predict.perspectives import SEEDED
from moderation.domain.predict.protocol import PredictRun
from moderation.methods.antihateagent.method import AntiHateAgent
from moderation.methods.antihateagent.questions import InvestigationCase
from moderation.methods.arcade.method import Arcade, ArcadeCase
from moderation.methods.baseline import Baseline, BaselineCase
from moderation.methods.post_case import Post
from moderation.methods.post_method import PostMethod
from moderation.methods.predict.method import Predict, PredictCase
from moderation.methods.registry import METHODS
from moderation.methods.second_reader import KEY
from runs.domain.states import Reason, TurnState
from runs.execution import runner, worker
from runs.methods.method import LIMIT_KEY, Finish, GiveUp, SavedTurn
from runs.models import Run
from wire.server import say
from wire.site import models_at_a_server

OPEN = "It calls the migrants a plague, and nobody who reads that will wonder what is meant."
SURE = "“Weeds” demeans the migrants. Conclusion: hateful"
DECLINES = "I'm sorry, but I can't help with that."
NULL = {"refusal": False, "conclusion": None, "group": None, "tie": None}
POST = Post("Weeds again.", None, (Category(0, "NotHate", False), Category(1, "Racist", True)), "nonce")
CUE = {"id": "c1", "cue_type": "Metaphor", "target_group": "g", "hate_type": 1, "claim": "c", "justification": "j"}
ANSWERED = {"rebuttals": [{"id": "c1", "evidence": "e", "rebuttal": "r", "verdict": "rebutted"}]}
VIEW = {"label": SEEDED[0].hateful_label, "reason": "r", "abstain": False}


def turn(key: str, value: Any, **more: Any) -> SavedTurn:
    return SavedTurn(key, more.pop("state", TurnState.OK), value, more.pop("reply", ""), "m", "", **more)


def cases(post: Post) -> dict[str, tuple[PostMethod, Any, Mapping[str, Any], str, dict[str, Any]]]:
    """Name → method, its case, the turns before the verdict, its key, and a verdict for hateful without its reason."""
    no_web = InvestigationOptions.model_validate({"retrieval": "none"})
    arcade = {"gate": {"cues": [CUE]}, "prosecutor.1": {"cues": [CUE]}, "defender.1": ANSWERED}
    predict = {f"perspective.{SEEDED[0].code}": VIEW, "nonhate.1": {"argument": "a"}, "hate.1": {"argument": "b"}}
    panel = PredictRun(perspectives=SEEDED[:1], rounds=1, examples=False)
    agent = {"thought": "t", "action": "FinalJudgment"}
    return {
        "baseline": (
            Baseline(),
            BaselineCase(post, BaselineOptions.model_validate({"variant": "binary"})),
            {},
            "answer",
            {"hateful": True},
        ),
        "base agent": (
            Baseline(),
            BaselineCase(post, BaselineOptions.model_validate({"variant": "agent"})),
            {},
            "answer",
            {"label": "hateful"},
        ),
        "arcade": (Arcade(), ArcadeCase(post, CourtOptions()), arcade, "judge", {"category": 1}),
        "predict": (
            Predict(),
            PredictCase(uuid4(), post, panel, SEEDED[:1], {}),
            predict,
            "judge",
            {"label": HATE},
        ),
        "agent": (AntiHateAgent(), InvestigationCase(post, no_web, (), uuid4()), {}, "verdict", agent),
    }


METHOD_NAMES = list(cases(POST))


def ended(
    name: str,
    reason: str,
    second: dict[str, Any] | None = None,
    *,
    refused: bool = False,
    reader: str = "x:r",
    **more: Any,
) -> Any:
    """What the method does after a verdict with this reason, and after the second reading if there is one."""
    post = Post(POST.text, None, POST.categories, POST.nonce, reader=reader)
    method, case, before, key, verdict = cases(post)[name]
    value = verdict | {"reason": reason}
    if name == "agent":
        said = {"text": POST.text, "verdict": "HATE", "confidence": 0.9, "rationale": reason}
        value = verdict | {"action_input": said}
    turns = {each: turn(each, said) for each, said in before.items()}
    turns[key] = (
        turn(key, None, state=TurnState.REFUSED, reply=json.dumps(value), reason=Reason.REFUSED, detail="It declined.")
        if refused
        else turn(key, value)
    )
    if second is not None:
        turns[KEY] = turn(KEY, second)
    turns |= more.get("turns", {})
    return method.next_steps(case, turns)


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_the_reader_is_asked_where_the_rules_are_not_sure_and_only_there(name: str) -> None:
    (step,) = ended(name, OPEN)
    assert (step.key, step.role, step.optional) == (KEY, "reader", True)
    assert OPEN in step.messages[-1].text and POST.text not in step.messages[-1].text
    (step,) = ended(name, DECLINES, refused=True)
    assert DECLINES in step.messages[-1].text
    sure = ended(name, SURE).value
    assert (sure["hateful"], sure["read_by"], sure.get("warnings")) == (True, {"by": "rules"}, None)


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_the_verdict_stands_and_what_the_reader_reads_warns_or_refuses(name: str) -> None:
    agrees = ended(name, OPEN, NULL | {"conclusion": True}).value
    assert (agrees["hateful"], agrees["read_by"]["by"], agrees.get("warnings")) == (True, "reader", None)
    opposite = ended(name, OPEN, NULL | {"conclusion": False}).value
    assert (opposite["hateful"], opposite["warnings"]) == (True, ["reason_disagrees"])
    nothing = ended(name, OPEN, NULL).value
    assert (nothing["hateful"], nothing["read_by"]["by"]) == (True, "nobody")
    for refused in (False, True):
        refusal = ended(name, DECLINES, NULL | {"refusal": True}, refused=refused)
        assert isinstance(refusal, GiveUp)
        assert (refusal.reason, refusal.detail) == (Reason.REFUSED, "reader: x:r reads a refusal.")
    kept = ended(name, DECLINES, NULL, refused=True).value
    assert (kept["hateful"], kept["reason"]) == (True, DECLINES)


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_without_a_reader_or_room_for_it_the_rules_decide(name: str) -> None:
    alone = ended(name, OPEN, reader="")
    assert isinstance(alone, Finish) and alone.value["hateful"] is True and "read_by" not in alone.value
    limit = {LIMIT_KEY: turn(LIMIT_KEY, {"limit": "calls", "detail": "2 calls"})}
    near = ended(name, OPEN, turns=limit).value
    assert (near["hateful"], near["read_by"], near["limit"]["name"]) == (True, {"by": "nobody"}, "calls")
    declined = ended(name, DECLINES, refused=True, turns=limit)
    assert isinstance(declined, GiveUp) and declined.detail.endswith(": It declined.")


def test_every_method_that_judges_knows_the_reader_and_counts_its_call() -> None:
    for method in METHODS.values():
        plan = {str(role): "x:m" for role in method.roles}
        assert method.calls_at_most({}, plan | {"reader": "x:r"}) == method.calls_at_most({}, plan) + 1


@pytest.mark.django_db(transaction=True)
def test_a_reason_is_read_in_a_run_and_its_page_says_by_whom(settings: Any, client: Client) -> None:
    project = make_project("garden")
    item = make_item(project, "Weeds in the white roses again.")
    with models_at_a_server(settings, ("baseline", "reader"), attempts=1) as wire:
        wire.queue(say(json.dumps({"reason": DECLINES, "category": 1})), model="baseline")
        wire.queue(say(json.dumps(NULL | {"conclusion": True})), model="reader")
        wish = start.DebateRequest("baseline")
        start.start_runs(project, Item.objects.filter(pk=item.pk), wish, ring=False)
        run = Run.objects.get(method="baseline")
        runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()
    assert (run.state, run.calls, (run.outcome or {})["hateful"]) == ("succeeded", 2, True)
    assert (run.outcome or {})["read_by"]["by"] == "reader"
    client.force_login(make_member(project, Role.ADMIN).user)
    page = client.get(reverse("moderation:run", args=["garden", run.public_id])).content.decode()
    assert "openai:reader read this one" in " ".join(page.split())
