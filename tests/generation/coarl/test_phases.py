"""CoARL's three phases with models of a few megabytes: they learn, they are judged honestly, they survive a kill.

Posts are drawn (`coarl_garden`), weights random, the reward counts words. What is shown is that the phases do what they
say, not how well a writer of real replies would do.
"""

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`: make test-train")

from safetensors.torch import load_file  # noqa: E402

from coarl_runs import NOISE, TARGETS, WORDS, blank, garden, reinforced, supervised  # noqa: E402
from generation.coarl.ablations import BadModel, read_phase  # noqa: E402
from generation.coarl.blank_model import write_blank_architecture  # noqa: E402
from generation.coarl.language_models import base_digest, open_model, open_policy  # noqa: E402
from generation.coarl.reinforcement import PAPER_WARNING, reinforce  # noqa: E402
from generation.coarl.settings_file import BadSettings, Strict  # noqa: E402
from generation.coarl.supervised import adapt, explain  # noqa: E402
from generation.coarl.training_data import TrainingData  # noqa: E402
from generation.coarl.training_log import read_log  # noqa: E402

pytestmark = pytest.mark.train
ROOT = Path(__file__).parents[3]
SEEDS = (0, 1, 2)
EPOCHS = {"t5": (8, 14), "gpt2": (8, 14)}


@dataclass(frozen=True)
class Trained:
    """A base, phase 1 on it and phase 2 on that."""

    architecture: str
    folder: Path
    data: TrainingData
    named: dict[str, Any]

    def settings_of_phase_2(self, out: Path) -> Any:
        return supervised(
            self.folder / "explain", out, self.named, epochs=EPOCHS[self.architecture][1], lora=self.architecture
        )


def trained(architecture: Any, folder: Path) -> Trained:
    torch.set_num_threads(1)
    data, named = garden(folder)
    done = Trained(architecture, folder, data, named)
    base = blank(architecture, data, folder)
    assert 0.5 <= sum(file.stat().st_size for file in base.iterdir()) / 1e6 <= 5
    explain(supervised(base, folder / "explain", named, epochs=EPOCHS[architecture][0]), data)
    adapt(done.settings_of_phase_2(folder / "adapt"), data)
    return done


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return trained("t5", tmp_path_factory.mktemp("t5"))


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return trained("gpt2", tmp_path_factory.mktemp("gpt2"))


@pytest.fixture(scope="module")
def learnt(t5: Trained) -> list[Path]:
    """Phase 3 on the encoder-decoder with three seeds."""
    outs = [t5.folder / f"reinforce-{seed}" for seed in SEEDS]
    for seed, out in zip(SEEDS, outs, strict=True):
        reinforce(reinforced(t5.folder / "adapt", out, t5.named, seed=seed), t5.data)
    return outs


def figures(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = read_phase(folder)["figures"]
    return found


def one_sided_p(differences: Sequence[float]) -> float:
    """Return the probability of a mean at least this high if nothing had changed (paired, normal approximation)."""
    t = fmean(differences) / (stdev(differences) / math.sqrt(len(differences)))
    return 0.5 * math.erfc(t / math.sqrt(2))


def gains(folder: Path, by: str = "by_prompt") -> list[float]:
    """Return the change of the mean reward of every held-out prompt, from phase 2 to the end of phase 3."""
    rows = json.loads((folder / "evaluations.json").read_text())
    return [after - before for before, after in zip(rows[0][by], rows[-1][by], strict=True)]


# ── Phases 1 and 2 ────────────────────────────────────────────────────────────


@pytest.mark.parametrize("architecture", ["t5", "gpt2"])
def test_phases_1_and_2_halve_the_loss_on_unseen_posts_and_leave_the_base_bit_equal(
    architecture: str, request: pytest.FixtureRequest
) -> None:
    done: Trained = request.getfixturevalue(architecture)
    for phase in ("explain", "adapt"):
        found = figures(done.folder / phase)
        assert found["loss_after"] <= found["loss_before"] / 2
    base = base_digest(open_model(str(done.folder / "explain")).model)
    assert figures(done.folder / "adapt")["base_sha256"] == base
    adapted = open_policy(done.folder / "adapt")
    assert base_digest(adapted.model) == base  # the adapter lies beside the weights, not in them
    learnt = {name for name, _weight in adapted.model.named_parameters() if ".lora_" in name}
    assert learnt and all(any(f".{target}." in name for target in TARGETS[architecture]) for name in learnt)


def test_a_public_architecture_is_made_at_its_own_size_from_its_config(t5: Trained, tmp_path: Path) -> None:
    config = {
        "model_type": "qwen2", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": True, "vocab_size": 1200,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    weights = write_blank_architecture(tmp_path / "config.json", t5.data, tmp_path / "blank", seed=0)
    opened = open_model(str(tmp_path / "blank"))
    assert not opened.seq2seq and len(opened.model.model.layers) == 3
    assert opened.model.get_input_embeddings().weight.shape == (1200, 32) and len(opened.tokenizer) <= 1200
    assert weights == sum(weight.numel() for weight in opened.model.parameters())
    assert opened.text(opened.reply_ids("Bakers work hard.", 64)) == "Bakers work hard."


@pytest.mark.parametrize("words", ["{", '{"model_type": "no-such-model"}', '{"vocab_size": 5}'])
def test_a_file_that_describes_no_model_is_named(words: str, t5: Trained, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(words)
    with pytest.raises(BadModel, match=r"config\.json describes no model"):
        write_blank_architecture(tmp_path / "config.json", t5.data, tmp_path / "blank", seed=0)


def test_a_base_that_changed_by_one_bit_has_another_digest(t5: Trained) -> None:
    model = open_model(str(t5.folder / "explain")).model
    before = base_digest(model)
    with torch.no_grad():
        model.shared.weight.view(torch.int32)[0, 0] ^= 1
    assert base_digest(model) != before


def test_a_card_names_figures_settings_data_and_warnings(t5: Trained) -> None:
    card = (t5.folder / "adapt" / "card.md").read_text()
    assert "Phase 2: replies by intent" in card and "A person approves every reply" in card and '"r": 16' in card
    cost = read_phase(t5.folder / "adapt")["cost"]
    rows = [row for row in t5.data.replies if row.split == "train"]
    assert cost["tokens"] > 2 * len(rows) * EPOCHS["t5"][1] and cost["peak_memory_gb"] > 0
    assert cost["tokens_a_second"] == pytest.approx(cost["tokens"] / cost["seconds"], rel=0.05)
    assert f"| tokens a second | {cost['tokens_a_second']} |" in card
    assert "torch" in card and (t5.folder / "adapt" / "log.svg").read_text().startswith("<svg")


# ── Phase 3 ───────────────────────────────────────────────────────────────────


def test_phase_3_raises_the_held_out_reward_over_three_seeds_below_the_ceiling(learnt: list[Path]) -> None:
    for out in learnt:
        found = figures(out)
        assert found["reward_after"] > found["reward_before"] and one_sided_p(gains(out)) < 0.001
        assert 0 < found["kl_after"] <= 9.0
        assert found["evaluated_on"] == "posts of the split validation"
        assert all("for tests alone" in name for name in found["reward_sources"].values())
        assert {"length_after", "distinct_2_after"} <= set(found)
    means = [fmean(gains(out)) for out in learnt]
    t = fmean(means) / (stdev(means) / math.sqrt(len(means)))
    assert t > 2.92  # Student's t with two degrees of freedom, one-sided 95 %: the three seeds agree


def test_a_random_reward_raises_nothing(t5: Trained, learnt: list[Path]) -> None:
    out = t5.folder / "noise"
    reinforce(reinforced(t5.folder / "adapt", out, t5.named, reward=NOISE, held_out=WORDS), t5.data)
    assert figures(out)["kl_after"] > 0  # it moved, and got nowhere
    judged = gains(out, "other_by_prompt")
    assert any(judged) and one_sided_p(judged) > 0.001
    assert fmean(judged) < 0.25 * fmean(gains(learnt[0]))


def test_the_log_has_reward_parts_kl_length_and_distinct_2_and_samples_are_kept(learnt: list[Path]) -> None:
    named = {name for row in read_log(learnt[0]) for name in row}
    assert {"loss", "reward", "kl", "kl_coefficient"} <= named
    assert {f"{name}@held-out" for name in ("reward", "pc", "aq", "t", "kl", "length", "distinct_2")} <= named
    rows = json.loads((learnt[0] / "evaluations.json").read_text())
    assert all(len(row["samples"]) == 2 and row["samples"][0]["reply"] for row in rows)


def test_the_reference_is_the_policy_of_phase_2_and_learning_leaves_it_as_it_was(
    t5: Trained, learnt: list[Path]
) -> None:
    assert figures(learnt[0])["kl_before"] == pytest.approx(0.0, abs=1e-5)
    assert base_digest(open_policy(learnt[0]).model) == figures(t5.folder / "adapt")["base_sha256"]


def test_above_the_ceiling_it_stops_and_keeps_the_last_policy_below_it(t5: Trained, learnt: list[Path]) -> None:
    rows = json.loads((learnt[0] / "evaluations.json").read_text())
    middle, last = rows[1]["figures"]["kl"], rows[-1]["figures"]["kl"]
    assert middle < last
    kl = {"coefficient": 0.05, "target": 3.0, "horizon": 1000, "ceiling": (middle + last) / 2}
    out = t5.folder / "stopped"
    found = reinforce(reinforced(t5.folder / "adapt", out, t5.named, kl=kl), t5.data)
    assert found["kept_step"] == rows[1]["step"] and "above its ceiling" in found["stopped"]
    assert found["reward_after"] == rows[1]["figures"]["reward"]
    kl["ceiling"] = middle / 1000
    with pytest.raises(BadModel, match="No earlier policy was below it"):
        reinforce(reinforced(t5.folder / "adapt", t5.folder / "never", t5.named, kl=kl), t5.data)


def test_the_mode_paper_learns_with_a_value_head_and_warns(t5: Trained, caplog: pytest.LogCaptureFixture) -> None:
    more = {"algorithm": "paper", "steps": 3, "evaluate_steps": 3, "updates": 2}
    with pytest.raises(BadSettings, match="needs"):
        reinforce(reinforced(t5.folder / "adapt", t5.folder / "ppo", t5.named, **more), t5.data)
    more["ppo"] = {"gamma": 1, "lam": 0.95, "value_coefficient": 0.1}
    found = reinforce(reinforced(t5.folder / "adapt", t5.folder / "ppo", t5.named, **more), t5.data)
    assert PAPER_WARNING in caplog.text and found["algorithm"] == "paper" and found["kl_after"] != 0


def test_a_decoder_learns_by_trl_with_the_same_reward_evaluations_and_penalty(gpt2: Trained) -> None:
    out = gpt2.folder / "reinforce"
    found = reinforce(reinforced(gpt2.folder / "adapt", out, gpt2.named), gpt2.data)
    assert found["reward_after"] > found["reward_before"] and one_sided_p(gains(out)) < 0.001
    assert found["kl_before"] == pytest.approx(0.0, abs=1e-5) and 0 < found["kl_after"] <= 9.0
    coefficients = [row["kl_coefficient"] for row in read_log(out) if "kl_coefficient" in row]
    assert len(set(coefficients)) > 1  # the penalty follows the KL
    assert base_digest(open_policy(out).model) == figures(gpt2.folder / "adapt")["base_sha256"]


# ── Killed and resumed ────────────────────────────────────────────────────────


def toml(value: Any) -> str:
    """Write settings as TOML: tables inline, which is enough for a program to read."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {toml(one)}" for name, one in value.items() if one is not None) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def run_to_the_end_after_a_kill(phase: str, settings: Strict, folder: Path) -> None:
    """Start the phase as a program, kill it once it has written a checkpoint, and start it again."""
    values = settings.model_dump(mode="json", exclude_none=True)
    file = folder / f"{phase}.toml"
    file.write_text("\n".join(f"{name} = {toml(value)}" for name, value in values.items()) + "\n")
    command = [sys.executable, "-m", "generation.coarl", phase, "--settings", str(file)]
    where = {"cwd": ROOT, "env": os.environ | {"OMP_NUM_THREADS": "1"}, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, **where)  # type: ignore[call-overload]
    checkpoints = Path(values["out"]) / "checkpoints"
    try:
        for _wait in range(3000):
            if any(checkpoints.glob("step-*")) or any(checkpoints.glob("*/whole")):
                break
            assert process.poll() is None, "it ended before it wrote a checkpoint"
            time.sleep(0.1)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert not (Path(values["out"]) / "phase.json").exists()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **where)  # type: ignore[call-overload]


def weights(folder: Path) -> dict[str, Any]:
    return dict(load_file(folder / "adapter" / "adapter_model.safetensors"))


def same_bits(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_phase_2_killed_and_resumed_ends_in_the_same_bits(t5: Trained, tmp_path: Path) -> None:
    run_to_the_end_after_a_kill("adapt", t5.settings_of_phase_2(tmp_path / "again"), tmp_path)
    assert same_bits(weights(t5.folder / "adapt"), weights(tmp_path / "again"))
    assert figures(tmp_path / "again") == figures(t5.folder / "adapt")
    assert read_log(tmp_path / "again") == read_log(t5.folder / "adapt")


def test_phase_3_killed_and_resumed_ends_in_the_same_bits(t5: Trained, learnt: list[Path], tmp_path: Path) -> None:
    run_to_the_end_after_a_kill(
        "reinforce", reinforced(t5.folder / "adapt", tmp_path / "again", t5.named, seed=0), tmp_path
    )
    assert same_bits(weights(learnt[0]), weights(tmp_path / "again"))
    assert read_log(tmp_path / "again") == read_log(learnt[0])
    assert (tmp_path / "again" / "evaluations.json").read_text() == (learnt[0] / "evaluations.json").read_text()


def test_a_checkpoint_that_was_cut_off_is_not_used(t5: Trained, tmp_path: Path) -> None:
    settings = t5.settings_of_phase_2(tmp_path / "cut")
    broken = tmp_path / "cut" / "checkpoints" / "checkpoint-100"
    broken.mkdir(parents=True)
    (broken / "trainer_state.json").write_text('{"global_step": 1')
    short = settings.model_copy(update={"optimiser": settings.optimiser.model_copy(update={"epochs": 1})})
    assert adapt(short, t5.data).steps > 0 and not (broken / "trainer_state.json").exists()
