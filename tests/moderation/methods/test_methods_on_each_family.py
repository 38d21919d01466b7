"""Every method comes to a verdict on a server of each family, and what a server rejects is sent to it once."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import Sum

from annotation.models import Item
from antihateagent_web import POST, TELLING, act, article, results
from moderation.models import Evidence
from runs.models import Run
from wire.family_servers import FAMILIES, nothing_rejected, server_of
from wire.server import Heard

pytestmark = pytest.mark.django_db(transaction=True)

METHODS = (
    ("baseline",),
    ("explain",),
    ("arcade", "--track", "deep", "--rounds", "2"),
    ("predict",),
)
CUE = {"id": "c1", "cue_type": "Metaphor", "target_group": "people", "hate_type": 1, "claim": "c", "justification": "j"}
ANSWER = {
    "reason": "It is about weeds. Conclusion: non-hateful",
    "category": 0,
    "label": "non-hateful",
    "position": "agree",
    "argument": "It is about weeds.",
    "cues": [CUE | {"counter_argument": "c"}],
    "rebuttals": [],
}
"""What every question of these methods takes for an answer: fields that it does not ask for are left out."""
PASSAGE = {"quote": "call newcomers weeds", "stance": "supports", "relevance": 3, "bearing": "explains it"}
ACTIONS = {
    "SearchWeb": {"queries": ["weeds meaning", "weeds slang", "weeds garden"]},
    "SelectPages": {"pages": [1], "other_queries_may_help": False},
    "ExtractEvidence": {"segments": [PASSAGE]},
    "ReconfirmText": {"text": POST, "judgment": "HATE", "confidence": 0.8, "effect": "explains", "sufficient": True},
    "FinalJudgment": {"text": POST, "verdict": "HATE", "confidence": 0.9, "rationale": "It is explained [1]."},
}


def next_action(heard: Heard) -> str:
    """Return the action that the instructions show the form of."""
    (asked,) = (name for name in ACTIONS if f'"{name}"' in heard.said("system"))
    return json.dumps(act(asked, **ACTIONS[asked]))


def run_on(method: str, *options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("run", method, "garden", *options, "--json", "--wait", "--threads", "1", stdout=out, stderr=StringIO())
    (found,) = json.loads(out.getvalue())
    assert found["state"] == "succeeded", (method, Run.objects.latest("id").detail)
    return dict(found)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_method_comes_to_a_verdict_and_a_rejected_parameter_is_sent_once(
    item: Item, settings: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    family = FAMILIES[name]
    settings.MODEL_BINDINGS = {"MODEL_TEXT": family.model, "MODEL_VISION": family.model}
    with server_of(family, lambda heard: json.dumps(ANSWER), settings, monkeypatch) as server:
        for method, *options in METHODS:
            found = run_on(method, *options)
            assert method == "explain" or found["hateful"] is False
    paid = Run.objects.aggregate(calls=Sum("calls"), retries=Sum("retries"))
    assert (len(server.heard) - paid["calls"], paid["retries"]) == (family.rejected, family.rejected)
    nothing_rejected(server.heard[family.rejected :], family)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_agent_searches_reads_and_judges(
    net: Any, item: Item, settings: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    family = FAMILIES[name]
    settings.MODEL_BINDINGS = {"MODEL_TEXT": family.model, "MODEL_VISION": family.model}
    net.engine.pages["/search"] = results("http://a.example/weeds")
    net.outer.pages["/weeds"] = article(TELLING)
    with server_of(family, next_action, settings, monkeypatch) as server:
        found = run_on("antihateagent")
    run = Run.objects.get()
    assert (found["hateful"], Evidence.objects.get().url) == (True, "http://a.example/weeds")
    assert len(server.heard) - run.calls == run.retries <= family.rejected
    nothing_rejected(server.heard[family.rejected :], family)
