"""A trained model answers over the OpenAI protocol, and stands in the paper's table beside its ablation."""

import json
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`: make test-train")

from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402
from openai import BadRequestError, NotFoundError, OpenAI  # noqa: E402

from annotation.domain.choices import Role, Stage  # noqa: E402
from builders import make_item, make_member, make_project  # noqa: E402
from coarl_runs import WORDS, blank, garden, reinforced, supervised  # noqa: E402
from generation.coarl.__main__ import main  # noqa: E402
from generation.coarl.ablations import BadModel  # noqa: E402
from generation.coarl.reinforcement import reinforce  # noqa: E402
from generation.coarl.serve import server  # noqa: E402
from generation.coarl.settings_file import BadSettings, Evaluation, Served  # noqa: E402
from generation.coarl.supervised import adapt, explain  # noqa: E402
from generation.coarl.table import COLUMNS, evaluate, paired_interval  # noqa: E402
from generation.coarl.training_data import TrainingData  # noqa: E402
from generation.counterspeech import approve, replies, request  # noqa: E402
from generation.domain.counterspeech.instructions import reply_instruction  # noqa: E402
from generation.domain.counterspeech.intents import Intent  # noqa: E402
from generation.files import export  # noqa: E402
from generation.models import Candidate  # noqa: E402
from providers.profiles import read_amendments  # noqa: E402
from runs.execution import runner, worker  # noqa: E402

pytestmark = pytest.mark.train
PROFILES = Path(__file__).parents[3] / "generation" / "coarl" / "settings" / "profiles.toml"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainingData, dict[str, Any]]:
    """Three phases, hardly trained: what is tested here is how they are used."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("serve")
    data, named = garden(folder, 30)
    explain(supervised(blank("t5", data, folder), folder / "explain", named, epochs=1), data)
    adapt(supervised(folder / "explain", folder / "adapt", named, epochs=4, lora="t5"), data)
    short = {"steps": 1, "evaluate_steps": 1, "evaluate_posts": 4}
    reinforce(reinforced(folder / "adapt", folder / "reinforce", named, **short), data)
    return folder, data, named


@contextmanager
def served(made: tuple[Path, TrainingData, dict[str, Any]], new_tokens: int) -> Iterator[str]:
    """Serve the model that phase 3 made, and give the address."""
    values = {"model": str(made[0] / "reinforce"), "name": "coarl", "host": "127.0.0.1", "port": 0,
              "source": 64, "new_tokens": new_tokens}  # fmt: skip
    http = server(Served.model_validate(values))
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}/v1"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


@pytest.fixture
def client(made: tuple[Path, TrainingData, dict[str, Any]]) -> Iterator[OpenAI]:
    with served(made, new_tokens=12) as address:
        yield OpenAI(base_url=address, api_key="none", max_retries=0)


ASKED: Any = [{"role": "user", "content": "Write a positive reply that speaks against this post:\nThe bakers!"}]


def test_the_openai_client_gets_n_replies_and_the_same_ones_for_the_same_seed(client: OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["coarl"]
    answer = client.chat.completions.create(model="coarl", messages=ASKED, n=3, temperature=1.0, seed=7)
    assert [choice.index for choice in answer.choices] == [0, 1, 2]
    texts = [choice.message.content for choice in answer.choices]
    assert all(isinstance(text, str) for text in texts) and len(set(texts)) > 1
    assert {choice.finish_reason for choice in answer.choices} <= {"stop", "length"}
    assert answer.usage is not None and answer.usage.total_tokens > 0
    again = client.chat.completions.create(model="coarl", messages=ASKED, n=3, temperature=1.0, seed=7)
    assert [choice.message.content for choice in again.choices] == texts
    likely = client.chat.completions.create(model="coarl", messages=ASKED, n=2, temperature=0)
    assert likely.choices[0].message.content == likely.choices[1].message.content
    short = client.chat.completions.create(model="coarl", messages=ASKED, max_tokens=1, temperature=0)
    assert short.usage is not None and short.usage.completion_tokens == 1


def test_what_it_cannot_do_is_refused_in_one_sentence(client: OpenAI) -> None:
    with pytest.raises(NotFoundError, match="not served here"):
        client.chat.completions.create(model="other", messages=ASKED)
    with pytest.raises(BadRequestError, match="stream"):
        client.chat.completions.create(model="coarl", messages=ASKED, stream=True)
    with pytest.raises(BadRequestError, match="user's"):
        client.chat.completions.create(model="coarl", messages=[{"role": "system", "content": "Be kind."}])
    with pytest.raises(BadRequestError, match="n: "):
        client.chat.completions.create(model="coarl", messages=ASKED, n=0)
    with pytest.raises(NotFoundError):
        client.embeddings.create(model="coarl", input="x")


@pytest.mark.django_db(transaction=True)
def test_the_desk_writes_with_the_served_model_and_says_who_wrote_it(
    made: tuple[Path, TrainingData, dict[str, Any]], settings: Any
) -> None:
    settings.MODEL_PROFILES = read_amendments(tomllib.loads(PROFILES.read_text()))
    settings.MODEL_BINDINGS = {"MODEL_TEXT": "keyword:cues-1", "MODEL_VISION": "keyword:cues-1",
                               "MODEL_COUNTERSPEAKER": "openai:coarl"}  # fmt: skip
    project = make_project("garden")
    author, second = (make_member(project, Role.REVIEWER) for _ in range(2))
    item = make_item(project, made[1].replies[0].post, stage=Stage.GOLD)
    exchange = request.open_on_item(item)
    torch.manual_seed(0)
    with served(made, new_tokens=64) as settings.OPENAI_BASE_URL:
        asked = request.write(exchange, options={"intents": ["positive"], "candidates": 8})
        runner.claim_and_perform(asked.run.pk, worker.planned_model)
    asked.run.refresh_from_db()
    assert asked.run.state == "succeeded", asked.run.detail
    candidates = list(Candidate.objects.filter(exchange=exchange))
    assert candidates and {(row.writer, row.trained, row.model, row.mode) for row in candidates} == {
        ("trained_model", "CoARL", "openai:coarl", "plain")
    }
    assert all(row.reward is not None and row.critics["pc"]["model"] == "keyword:cues-1" for row in candidates)
    turn = asked.run.turns.get(key="write.positive")
    trained_on = reply_instruction(Intent.POSITIVE, exchange.hate)
    assert trained_on in json.dumps(turn.messages, ensure_ascii=False)
    assert candidates[0].text in json.loads(turn.reply)
    reply = replies.begin(exchange, author, Intent.POSITIVE, candidates[0])
    reply = replies.write(reply, author, candidates[0].text, Intent.POSITIVE, reply.version)
    replies.submit(reply, author)
    approved = approve.approve(reply, second, "It is nonsense, and a test.")
    row = export.reply_row(approved)
    assert (row["counterspeech"], row["written_by"], row["trained"]) == (candidates[0].text, "trained_model", "CoARL")
    browser = Client()
    browser.force_login(author.user)
    page = browser.get(reverse("generation:item-counterspeech", args=["garden", item.public_id])).content.decode()
    card = page.partition('<article class="candidate')[2]
    assert "trained model" in card and "<bdi>CoARL</bdi>" in card


def evaluation(made: tuple[Path, TrainingData, dict[str, Any]], out: Path, **more: Any) -> Evaluation:
    folder, _data, named = made
    values = {
        "out": str(out), "seed": 0, "data": named, "split": "test", "length": {"source": 64, "target": 32},
        "new_tokens": 12, "against": "without reinforcement", "reward": WORDS, "resamples": 200, "threads": 1,
        "systems": [
            {"name": "CoARL", "path": str(folder / "reinforce")},
            {"name": "without reinforcement", "path": str(folder / "adapt"), "ablation": "- RL"},
        ],
    }  # fmt: skip
    return Evaluation.model_validate(values | more)


def test_the_table_has_a_row_a_system_with_paired_intervals_and_names_its_critics(
    made: tuple[Path, TrainingData, dict[str, Any]], tmp_path: Path
) -> None:
    table = evaluate(evaluation(made, tmp_path / "table"), made[1])
    coarl, other = table["rows"]
    assert (coarl["phase"], other["phase"], other["ablation"]) == ("reinforce", "adapt", "- RL")
    assert set(coarl["figures"]) == set(COLUMNS)
    assert other["figures"]["R"]["difference"] == 0 and other["figures"]["R"]["interval"] == (0.0, 0.0)
    low, high = coarl["figures"]["R"]["interval"]
    assert low <= coarl["figures"]["R"]["difference"] <= high
    assert coarl["figures"]["BS"]["mean"] is None and "BERTScore was switched off." in table["notes"]
    assert table["replies"] == len({(row.post, row.task) for row in made[1].replies if row.split == "test"})
    text = (tmp_path / "table" / "table.md").read_text()
    assert "for tests alone" in text and "without reinforcement (- RL)" in text
    written = [json.loads(line) for line in (tmp_path / "table" / "replies.jsonl").read_text().splitlines()]
    assert len(written) == 2 * table["replies"]
    assert [row["ablation"] for row in table["missing"]] == ["- explanations", "- LoRA", "- PC", "- AQ", "- T"]
    assert "The row “- LoRA” is missing. It is named in no [[systems]]" in text


def test_a_row_that_is_not_trained_is_left_out_with_its_command_and_a_wrong_one_refused(
    made: tuple[Path, TrainingData, dict[str, Any]], tmp_path: Path
) -> None:
    command = "python -m generation.coarl reinforce --settings small.toml --set out=training/no-t"
    absent = {"name": "no T", "path": str(tmp_path / "absent"), "ablation": "- T", "made_by": [command]}
    without = {"name": "without reinforcement", "path": str(made[0] / "adapt"), "ablation": "- RL"}
    table = evaluate(evaluation(made, tmp_path / "table", systems=[without, absent]), made[1])
    assert [row["system"] for row in table["rows"]] == ["without reinforcement"]
    assert {"ablation": "- T", "made_by": [command]} in table["missing"]
    assert f"The row “- T” is missing. It is made by:\n  - `{command}`" in (tmp_path / "table" / "table.md").read_text()
    for bad, words in (
        ({"against": "nobody"}, "names no system"),
        ({"systems": [{**without, "ablation": "- T"}]}, "ablation is - T, but .* leaves out: - RL"),
        ({"systems": [without, {"name": "CoARL", "path": str(made[0] / "reinforce"), "ablation": "- AQ"}]}, "nothing"),
    ):
        with pytest.raises(BadSettings, match=words):
            evaluate(evaluation(made, tmp_path / "no", **bad), made[1])
    with pytest.raises(BadModel, match="'no T', to which the others are compared, is not trained yet"):
        evaluate(evaluation(made, tmp_path / "no", systems=[without, absent], against="no T"), made[1])


def test_an_interval_draws_whole_posts() -> None:
    # All that is drawn is post a (difference 1, three replies) or post b (difference 0, one reply).
    low, high = paired_interval([("a", 1.0), ("a", 1.0), ("a", 1.0), ("b", 0.0)], 2000, 0) or (9, 9)
    assert (low, high) == (0.0, 1.0)
    assert paired_interval([("a", 1.0), ("a", 0.0)], 100, 0) is None  # one post has no spread


def test_a_command_ends_with_one_sentence_where_something_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "serve.toml"
    file.write_text('model = "nowhere"\nname = "x"\nhost = "127.0.0.1"\nport = 0\nsource = 8\nnew_tokens = 8\n')
    assert main(["serve", "--settings", str(file)]) == 2
    assert capsys.readouterr().err == "nowhere is no finished phase: it has no phase.json.\n"
    assert main(["serve", "--settings", str(tmp_path / "none.toml")]) == 2
