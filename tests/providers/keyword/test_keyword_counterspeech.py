"""The built-in baseline at the counterspeech desk, and detoxify where it is not installed."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from providers import bindings, wiring
from providers.keyword.counterspeech import counterspeaker, critic
from providers.keyword.model import OWN_WORDS, own_cues
from providers.messages import Message, ProviderError, Request
from providers.roles import ModelRole
from providers.vendors import detoxify
from providers.vendors.detoxify import DetoxifyModel

POST = "All immigrants are vermin."


def ask(role: str, **context: Any) -> Request:
    return Request(role, (Message.of("user", "…"),), context=context)


def test_it_explains_open_cues_names_itself_and_leaves_the_rest_to_people() -> None:
    found = counterspeaker(ask("counterspeaker", task="explain", explanation="offensiveness", text=POST), own_cues())
    assert found["explanation"].startswith(OWN_WORDS) and found["insults"] == ["are vermin"]
    other = counterspeaker(ask("counterspeaker", task="explain", explanation="implication", text=POST), own_cues())
    assert "write this one yourself" in other["explanation"] and "insults" not in other


def test_its_fixed_sentences_name_the_group_and_are_no_more_than_were_asked_for() -> None:
    said = counterspeaker(ask("counterspeaker", task="write", intent="positive", candidates=2, text=POST), own_cues())
    assert len(said["replies"]) == 2 and all("immigrants" in reply for reply in said["replies"])
    assert said["note"] == OWN_WORDS


@pytest.mark.parametrize(
    ("reply", "task", "value"),
    [
        (POST, "stance", 1.0),
        ("That is wrong and unfair, people are not vermin.", "stance", -1.0),
        ("Roses.", "stance", 0.0),
        ("You are pathetic, shut up.", "toxicity", 0.8),
        ("Please meet them.", "toxicity", 0.0),
        ("Have you met anybody? Why not?", "intent", "questioning"),
        ("This is unacceptable and it hurts.", "intent", "denouncing"),
        ("Roses.", "intent", "none"),
    ],
)
def test_it_scores_by_words_alone(reply: str, task: str, value: Any) -> None:
    found = critic(ask("critic", task=task, reply=reply), own_cues())
    assert found[task] == value and found["reason"] == OWN_WORDS


def test_a_longer_argument_counts_for_more_and_never_leaves_the_scale() -> None:
    def quality(reply: str) -> float:
        value: float = critic(ask("critic", task="quality", reply=reply), own_cues())["quality"]
        return value

    assert (
        0 < quality("No.") < quality("No, because everybody here pays the same rent.") < quality("because " * 90) <= 1
    )


def test_without_detoxify_the_setting_is_refused_in_one_sentence(settings: Any) -> None:
    settings.MODEL_BINDINGS = {"MODEL_TOXICITY": "detoxify:unbiased"}
    if detoxify.Detoxify is None:
        assert "not installed here" in bindings.bind_role(ModelRole.TOXICITY).problem
        with pytest.raises(ProviderError, match="install the extra"):
            DetoxifyModel().reply(ask("toxicity", reply="x"))
    settings.MODEL_BINDINGS = {"MODEL_CRITIC": "detoxify:unbiased"}
    assert "answers the roles toxicity and estimator alone" in bindings.bind_role(ModelRole.CRITIC).problem


def test_with_detoxify_the_score_and_its_parts_are_told(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    said: list[str] = []

    def classifier(kind: str) -> Any:
        scores = {"toxicity": 0.25, "insult": 0.2, "threat": 0.01}
        return SimpleNamespace(predict=lambda text: said.append(f"{kind}: {text}") or scores)

    detoxify._loaded.cache_clear()
    monkeypatch.setattr(detoxify, "Detoxify", classifier)
    monkeypatch.setitem(sys.modules, "detoxify", SimpleNamespace(__spec__=SimpleNamespace()))
    settings.MODEL_BINDINGS = {"MODEL_TOXICITY": "detoxify:unbiased"}
    reply = wiring.model_for("toxicity").reply(ask("toxicity", reply="Be kind."))
    detoxify._loaded.cache_clear()
    assert (reply.text, reply.model) == ('{"reason": "insult 0.20", "toxicity": 0.25}', "detoxify:unbiased")
    assert said == ["unbiased: Be kind."]


def test_the_toxicity_critic_is_the_critic_unless_another_is_named(settings: Any) -> None:
    settings.MODEL_ALLOWED = []
    settings.OPENAI_API_KEY = "sk-test"
    settings.MODEL_BINDINGS = {"MODEL_CRITIC": "openai:reader", "MODEL_TEXT": "openai:other"}
    assert bindings.bind_role(ModelRole.TOXICITY).name == "openai:reader"
