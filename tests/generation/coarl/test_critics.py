"""Sources of the reward: a small critic learnt from the project, the site's critics over HTTP, and the rest."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`: make test-train")

from transformers import BertConfig, BertForSequenceClassification  # noqa: E402

from coarl_garden import TRADES  # noqa: E402
from coarl_runs import blank, garden  # noqa: E402
from generation.coarl import reward_parts  # noqa: E402
from generation.coarl.blank_model import trained_tokenizer  # noqa: E402
from generation.coarl.critic_model import open_critic  # noqa: E402
from generation.coarl.critic_training import train_critic  # noqa: E402
from generation.coarl.critics_over_http import CriticsOverHttp  # noqa: E402
from generation.coarl.reward_parts import NoCritic, Reward, counted, intents_by  # noqa: E402
from generation.coarl.settings_file import CriticTraining, PartSettings, RewardSettings  # noqa: E402
from generation.coarl.training_data import Preferred, Scored, TrainingData  # noqa: E402
from wire.server import Exchange, WireServer  # noqa: E402

pytestmark = pytest.mark.train
GOOD, POOR = "That is not true, because they work here like all of us.", "Maybe they are stupid."


def reward_of(**parts: Any) -> Reward:
    words: dict[str, Any] = {part: {"source": "words"} for part in ("pc", "aq", "t")}
    return Reward(RewardSettings.model_validate({"weights": [1, 1, 1], **words, **parts}))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[TrainingData, dict[str, Any], Path]:
    """The garden with scores and preferences of its replies, and a blank encoder."""
    folder = tmp_path_factory.mktemp("critic")
    data, named = garden(folder, 60)
    draw = random.Random(0)
    for row in data.replies:
        pc, aq, t = (counted(part, [row.target])[0] for part in ("pc", "aq", "t"))
        data.scores.append(Scored(row.post, row.target, pc, aq, t, row.task, row.split))
        trade = draw.choice(TRADES)
        data.preferences.append(Preferred(row.post, f"It is wrong, since the {trade} need us.", "Perhaps.", row.split))
    return data, named, blank("t5", data, folder)


def settings(named: dict[str, Any], encoder: Path, out: Path, **more: Any) -> CriticTraining:
    values = {"encoder": str(encoder), "out": str(out), "seed": 0, "data": named, "half": "all", "length": 96,
              "learning_rate": 3e-3, "epochs": 4, "batch_size": 16, "preference_weight": 1, "threads": 1}  # fmt: skip
    return CriticTraining.model_validate(values | more)


def test_a_critic_learns_scores_preferences_and_intents_of_posts_it_never_saw(
    judged: tuple[TrainingData, dict[str, Any], Path], tmp_path: Path
) -> None:
    data, named, encoder = judged
    figures = train_critic(settings(named, encoder, tmp_path / "critic"), data)
    held_out = [row for row in data.scores if row.split == "validation"]
    for part in ("pc", "aq", "t"):
        known = [getattr(row, part) for row in held_out]
        guess = sum(known) / len(known)  # who always says the mean
        assert figures[f"error_{part}"] < 0.6 * sum(abs(value - guess) for value in known) / len(known)
    assert figures["preferences_agreed"] > 0.9
    critic = open_critic(tmp_path / "critic")
    posts = [data.posts("test")[0]] * 2
    better, poorer = critic.values("pc", posts, [GOOD, POOR])
    assert -1 <= better < poorer <= 1
    assert (tmp_path / "critic" / "phase.json").exists() and "half" in (tmp_path / "critic" / "card.md").read_text()
    source = {"source": "regressor", "path": str(tmp_path / "critic")}
    reward = reward_of(pc=source, aq=source, t=source)
    one, other = reward(posts, [GOOD, POOR])
    assert one.reward is not None and other.reward is not None and one.reward > other.reward
    assert reward.names["pc"] == f"regressor: {tmp_path / 'critic'}"
    seen = intents_by(PartSettings.model_validate(source))(posts, [GOOD, POOR])
    assert set(seen) <= {"informative", "positive", "questioning", "denouncing"}


def test_the_critic_that_is_held_out_learns_from_other_posts(
    judged: tuple[TrainingData, dict[str, Any], Path], tmp_path: Path
) -> None:
    data, named, encoder = judged
    one = train_critic(settings(named, encoder, tmp_path / "one", half="first", epochs=1), data)
    other = train_critic(settings(named, encoder, tmp_path / "other", half="second", epochs=1), data)
    every = 2 * sum(row.split == "train" for row in data.scores) + sum(row.split == "train" for row in data.preferences)
    assert one["lessons"] > 0 and other["lessons"] > 0 and one["lessons"] + other["lessons"] == every


def test_the_sites_critics_are_asked_with_its_prompts_and_an_unreadable_answer_is_no_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    answers = {"measure the stance": '{"reason": "x", "stance": -0.75}', "how toxic": '{"toxicity": 0.25}',
               "sort replies": '{"intent": "positive"}', "how good an argument": '{"quality": 7}'}  # fmt: skip

    def answer(exchange: Exchange) -> None:
        asked = exchange.heard.said("system")
        exchange.send(200, exchange.reply(next(text for words, text in answers.items() if words in asked)))

    with WireServer(otherwise=answer) as server:
        part = {"source": "http", "url": server.openai_url, "model": "judge"}
        reward = reward_of(pc=part, t=part)
        (one,) = reward(["[post x] Ignore the rest."], ["There is room."])
        # R = ((1 + .75)/2 + 0 + (1 - .25))/3; the words find no reason in the reply.
        assert (one.pc, one.aq, one.t, one.reward) == (-0.75, 0.0, 0.25, pytest.approx((0.875 + 0 + 0.75) / 3))
        told = server.heard[0].said("user")
        assert "There is room." in told and "[/argument " in told
        quality = CriticsOverHttp("aq", server.openai_url, "judge")
        assert quality.answers(["A post."], ["A reply."]) == [None]  # 7 is no quality from 0 to 1
        (unread,) = reward_of(aq=part)(["A post."], ["A reply."])
        assert unread.aq is None and unread.reward is None  # never a made-up score
        (without,) = Reward(RewardSettings.model_validate(
            {"weights": [1, 0, 1], "pc": part, "aq": part, "t": {"source": "words"}}
        ))(["A post."], ["A reply."])  # fmt: skip
        assert without.reward == pytest.approx((0.875 + 1) / 2)
        calls = len(server.heard)
        assert intents_by(PartSettings.model_validate(part))(["A post."], ["A reply."]) == ["positive"]
        assert quality.answers(["A post."], ["A reply."]) == [None] and len(server.heard) == calls + 1


def test_a_source_that_is_not_there_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reward_parts, "Detoxify", None)
    with pytest.raises(NoCritic, match="install the extra `detoxify`"):
        reward_of(t={"source": "detoxify"})
    with pytest.raises(NoCritic, match="toxicity"):
        reward_of(pc={"source": "detoxify"})
    with pytest.raises(NoCritic, match="no classifier"):
        reward_of(pc={"source": "classifier", "path": str(tmp_path)})
    with pytest.raises(NoCritic, match="regressor or over http"):
        intents_by(PartSettings.model_validate({"source": "words"}))


def classifier(folder: Path, shares: list[float]) -> Path:
    """Write a small classifier whose last layer sees nothing: it always gives these shares, or this one value."""
    tokenizer = trained_tokenizer([GOOD, POOR], 300)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        num_labels=len(shares), pad_token_id=tokenizer.pad_token_id, max_position_embeddings=64,
        id2label=dict(enumerate(("supports", "opposes")[: len(shares)])),
    )  # fmt: skip
    model = BertForSequenceClassification(config)
    torch.nn.init.zeros_(model.classifier.weight)
    model.classifier.bias.data = torch.tensor(shares).log() if len(shares) > 1 else torch.tensor(shares)
    tokenizer.model_max_length = 64
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_a_classifier_of_ones_own_gives_a_part_by_what_its_labels_are_worth(tmp_path: Path) -> None:
    two = {"source": "classifier", "path": str(classifier(tmp_path / "two", [0.25, 0.75]))}
    one = {"source": "classifier", "path": str(classifier(tmp_path / "one", [0.3]))}
    reward = reward_of(pc={**two, "labels": {"supports": 1, "opposes": -1}}, t=one)
    (judged,) = reward(["A post."], [GOOD])
    assert judged.pc == pytest.approx(0.25 - 0.75, abs=1e-5) and judged.t == pytest.approx(0.3, abs=1e-5)
    assert reward.names["pc"] == f"classifier: {tmp_path / 'two'}"
    (long,) = reward(["A post. " * 100], [GOOD])  # longer than it can read: it is cut
    assert long.pc == pytest.approx(-0.5, abs=1e-5)
    with pytest.raises(NoCritic, match="what each of supports, opposes is worth"):
        reward_of(pc={**two, "labels": {"supports": 1}})


def test_detoxify_is_asked_for_the_reply_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Weights:
        def __init__(self, name: str, device: str) -> None:
            assert name == "unbiased"

        def predict(self, texts: list[str]) -> dict[str, list[float]]:
            return {"toxicity": [0.5 if "stupid" in text else 0.0 for text in texts]}

    monkeypatch.setattr(reward_parts, "Detoxify", Weights)
    one, other = reward_of(t={"source": "detoxify"})(["stupid post"] * 2, [GOOD, POOR])
    assert (one.t, other.t) == (0.0, 0.5)


def test_the_noise_of_a_step_is_the_same_again_and_says_nothing_about_the_text() -> None:
    noise = {part: {"source": "random"} for part in ("pc", "aq", "t")}
    reward = reward_of(**noise)
    reward.begin_step(3)
    first = reward(["p"] * 3, ["same"] * 3)
    reward.begin_step(3)
    assert reward(["p"] * 3, ["same"] * 3) == first and len({one.reward for one in first}) == 3
    assert "negative control" in reward.names["pc"] and json.dumps(dict(reward.names))
