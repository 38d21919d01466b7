"""Training files as CoARL's phases read them: exports and tables together, split by post, settings read strictly."""

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from coarl_garden import rows, write_table
from generation.coarl.ablations import Ablation, ablations_of
from generation.coarl.reply_figures import distinct_2, diversity, mean_length, novelty
from generation.coarl.settings_file import (
    BadSettings,
    CriticTraining,
    DataSettings,
    Evaluation,
    Reinforce,
    Served,
    Supervised,
    read_settings,
)
from generation.coarl.training_data import BadData, load, prompts, references
from generation.coarl.training_log import TrainingLog, read_log, write_plot
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.training_splits import leaks, split_of

ROOT = Path(__file__).parents[3]
SETTINGS = ROOT / "generation" / "coarl" / "settings"
KINDS = {
    "explain": Supervised, "adapt": Supervised, "reinforce": Reinforce, "critic": CriticTraining,
    "critic-held-out": CriticTraining, "evaluate": Evaluation, "serve": Served,
}  # fmt: skip


def export(folder: Path, *posts: str) -> Path:
    """Write a folder as export_training does, with one reply and one explanation a post."""
    folder.mkdir()
    reply = {"intent": "positive", "target": "There is room."}
    explanation = {"task": "implication", "target": "They should go."}
    score = {"text": "There is room.", "pc": -0.5, "aq": None, "t": 0.0, "seen_intent": "positive"}
    preferred = {"chosen": "There is room.", "rejected": "Perhaps."}
    for name, values in (
        ("replies", reply), ("explanations", explanation), ("scores", score), ("preferences", preferred)
    ):  # fmt: skip
        lines = (json.dumps({"statement": post, "split": split_of(post), **values}) for post in posts)
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    (folder / "manifest.json").write_text(json.dumps({"warning": "Upsetting posts."}))
    return folder


def test_an_export_is_read_with_its_warning_and_its_own_splits(tmp_path: Path) -> None:
    posts = ["Weeds choke our roses.", "The bakers make noise at night.", "Nobody asked the ferrymen to come."]
    data = load(DataSettings(folders=[export(tmp_path / "data", *posts)]))
    assert [(row.post, row.split) for row in data.replies] == [(post, split_of(post)) for post in posts]
    assert data.replies[0].instruction.endswith("counterspeech to this offensive statement: Weeds choke our roses.")
    assert data.warnings == ["Upsetting posts."]
    assert [(row.text, row.pc, row.aq, row.intent) for row in data.scores][:1] == [
        ("There is room.", -0.5, None, "positive")
    ]
    assert [(row.chosen, row.rejected) for row in data.preferences][:1] == [("There is room.", "Perhaps.")]


def test_a_table_gives_seven_explanations_a_post_once_and_a_row_a_reply(tmp_path: Path) -> None:
    table = write_table(tmp_path / "garden.jsonl", 30)
    data = load(DataSettings(tables=[table]))
    posts = {row["hatespeech"] for row in rows(30)}
    assert len(data.explanations) == 7 * len(posts) and len(data.replies) == 4 * len(posts)
    assert {row.task for row in data.explanations} == {explanation.value for explanation in Explanation}
    everything = (*data.explanations, *data.replies)
    assert leaks([row.post for row in everything], [row.split for row in everything]) == []
    asked = prompts(data, "train", DataSettings())
    assert len(asked) == 4 * len(data.posts("train")) and {row.task for row in asked} == set(Intent)
    assert not {row.post for row in asked} & set(data.posts("test"))
    answered = references(data, "test")
    assert {post for post, _intent in answered} == set(data.posts("test")) and all(answered.values())


def test_a_near_copy_of_an_exported_post_in_a_table_comes_into_the_same_split(tmp_path: Path) -> None:
    stem = "The gardeners of the old town want every foreign weed pulled out of the white roses, row by row"
    exported, copied = next(
        (f"{stem} {one}", f"{stem} {other}")
        for one in range(20)
        for other in range(20)
        if split_of(f"{stem} {one}") != split_of(f"{stem} {other}")
    )
    row = {"hatespeech": copied, "csType": "Positive", "counterspeech": "There is room."}
    (tmp_path / "more.jsonl").write_text(json.dumps(row))
    data = load(DataSettings(folders=[export(tmp_path / "data", exported)], tables=[tmp_path / "more.jsonl"]))
    assert len({row.split for row in data.replies}) == 1 and len(data.replies) == 2


def test_conan_columns_are_mapped_and_lines_of_no_intent_are_named(tmp_path: Path) -> None:
    table = tmp_path / "conan.csv"
    table.write_text("HS,kind,CN\nWeeds!,Facts,They feed bees.\nWeeds!,Humor,Ha.\n")
    columns = {"hatespeech": "HS", "csType": "kind", "counterspeech": "CN"}
    data = load(DataSettings(tables=[table], columns=columns, wording="short"))
    assert [(row.task, row.instruction) for row in data.replies] == [
        ("informative", "Write an informative reply that speaks against this post:\nWeeds!")
    ]
    assert len(data.refused) == 1 and "line 3" in data.refused[0] and "no intent" in data.refused[0]


def test_what_cannot_be_read_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="no finished export"):
        load(DataSettings(folders=[tmp_path]))
    with pytest.raises(BadData, match="hold no row"):
        load(DataSettings())
    (tmp_path / "bad.csv").write_text("HS\nx\n")
    with pytest.raises(BadData, match="no column 'hatespeech'"):
        load(DataSettings(tables=[tmp_path / "bad.csv"]))


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_settings_file_can_be_used_and_names_the_source_of_its_values(name: str) -> None:
    file = SETTINGS / f"{name}.toml"
    read_settings(file, KINDS[name])
    text = file.read_text()
    if name not in ("serve", "critic", "critic-held-out"):  # these say at their head that all values are ours
        for line in text.splitlines():
            written, _hash, source = line.partition("#")
            value = "" if written.startswith(("[", " ")) else written.partition("=")[2]  # indented: a command
            if any(letter.isdigit() for letter in value):
                assert any(word in source for word in ("paper", "code", "ours", "trl")), line


@pytest.mark.parametrize("folder", [SETTINGS, SETTINGS / "small"])
def test_the_commands_of_each_ablation_train_what_its_row_says(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = read_settings(folder / "evaluate.toml", Evaluation)
    base = read_settings(folder / "explain.toml", Supervised)
    monkeypatch.chdir(tmp_path)
    finish("explain", base)
    for row in table.systems:
        for command in row.made_by:
            program, _m, module, phase, *options = shlex.split(command)
            assert (program, module) == ("python", "generation.coarl")
            chosen = dict.fromkeys(("--settings", "--set", "--without"), ()) | grouped(options)
            (file,) = chosen["--settings"]
            settings = read_settings(ROOT / file, KINDS[phase], chosen["--set"], chosen["--without"])
            finish(phase, settings)
        if row.ablation:
            assert ablations_of(row.path) == [row.ablation] and settings.out == row.path
    assert {row.ablation for row in table.systems} == {None, *Ablation}


def grouped(options: list[str]) -> dict[str, tuple[str, ...]]:
    values: dict[str, tuple[str, ...]] = {}
    for name, value in zip(options[::2], options[1::2], strict=True):
        values[name] = (*values.get(name, ()), value)
    return values


def finish(phase: str, settings: Any) -> None:
    settings.out.mkdir(parents=True, exist_ok=True)
    facts = {"phase": phase, "settings": settings.model_dump(mode="json")}
    (settings.out / "phase.json").write_text(json.dumps(facts))


def test_a_value_is_changed_and_a_table_left_out_on_the_command_line() -> None:
    file = SETTINGS / "reinforce.toml"
    changed = read_settings(
        file, Reinforce, ["reward.weights=[1, 0, 1]", "out=training/other", "kl.target=2"], ["lora"]
    )
    assert changed.reward.weights == [1, 0, 1] and changed.out == Path("training/other") and changed.lora is None
    assert changed.kl.target == 2 and changed.kl.ceiling == read_settings(file, Reinforce).kl.ceiling
    for bad, words in (("seeds=1", "seeds"), ("seed", "a key and its value"), ("steps=many", "steps")):
        with pytest.raises(BadSettings, match=words):
            read_settings(file, Reinforce, [bad])
    with pytest.raises(BadSettings, match="no such table"):
        read_settings(file, Reinforce, without=["loras"])


def test_a_settings_file_with_an_unknown_key_a_missing_key_or_no_file_is_refused(tmp_path: Path) -> None:
    text = (SETTINGS / "adapt.toml").read_text()
    file = tmp_path / "adapt.toml"
    file.write_text(text.replace("seed = 0", "seeds = 0"))
    with pytest.raises(BadSettings, match="seed"):
        read_settings(file, Supervised)
    file.write_text(text.replace("epochs = 30", "epochs = 0"))
    with pytest.raises(BadSettings, match="optimiser.epochs"):
        read_settings(file, Supervised)
    file.write_text("seed = ")
    with pytest.raises(BadSettings, match="not valid TOML"):
        read_settings(file, Supervised)
    with pytest.raises(BadSettings, match="cannot be read"):
        read_settings(tmp_path / "none.toml", Supervised)


def test_a_reward_without_any_weight_or_without_its_critic_is_refused(tmp_path: Path) -> None:
    text = (SETTINGS / "reinforce.toml").read_text()
    file = tmp_path / "reinforce.toml"
    file.write_text(text.replace('path = "training/critic"\n', "", 1))
    with pytest.raises(BadSettings, match="needs a path"):
        read_settings(file, Reinforce)
    values: dict[str, Any] = tomllib.loads(text)
    values["reward"]["weights"] = [0, 0, 0]
    with pytest.raises(ValueError, match="at least one is above 0"):
        Reinforce.model_validate(values).reward.terms()


def test_figures_of_replies_by_hand() -> None:
    # "a b a b" has the pairs ab, ba, ab; "a b" has ab: two different ones of four.
    assert distinct_2(["a b a b", "a b"]) == pytest.approx(2 / 4)
    assert mean_length(["a b a b", "a b"]) == 3.0 and mean_length([]) == distinct_2([]) == 0.0
    # {a, b, c} and {a, b}: two shared of three.
    assert novelty("a b c", ["a b", "d"]) == pytest.approx(1 / 3) and novelty("a", []) == 1.0
    assert diversity(["a b c", "a b", "a b"]) == pytest.approx([1 / 3, 0.0, 0.0])


def test_a_log_drops_what_came_after_the_checkpoint_and_a_line_that_was_cut_off(tmp_path: Path) -> None:
    log = TrainingLog(tmp_path)
    for step in (1, 2, 3):
        log.add(step, loss=1 / step, **{"reward@held-out": 0.5})
    with (tmp_path / "log.jsonl").open("a") as out:
        out.write('{"step": 4, "lo')
    TrainingLog(tmp_path, resumed_from=2).add(3, loss=0.25)
    assert [(row["step"], row["loss"]) for row in read_log(tmp_path)] == [(1, 1.0), (2, 0.5), (3, 0.25)]
    drawing = write_plot(tmp_path, "phase <1>").read_text()
    assert "<polyline" in drawing and "phase &lt;1&gt;" in drawing and "held-out" in drawing
