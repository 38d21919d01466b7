"""What CoARL's phases cost at the size of a public architecture: tokens a second and peak memory of each.

    .venv-train/bin/python bench/coarl.py bench/data/architectures/flan_t5_large.json --out var/coarl-cost

Weights are random and posts are drawn words in the lengths of real ones. The learning rate is next to nothing, so that
the weights stay random: the replies mean nothing, and nearly every drawn one is as long as allowed. Each phase is the
command of docs/coarl.md with its settings file; what differs stands in the printed table. It ends with an error if a
phase does.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent

SETTINGS = ROOT / "generation/coarl/settings"
VOCABULARY = 4000
"""Words that the posts are drawn from."""


def main() -> None:
    """Draw data, write the model, run the phases, print the table."""
    chosen = _parser().parse_args()
    out: Path = chosen.out
    write_data(out / "data", chosen.posts, random.Random(0))
    weights = run("blank", "--config", str(chosen.config), "--data", str(out / "data"), "--out", str(out / "blank"))
    rows = [measured(phase, out, changes) for phase, changes in phases(chosen, out)]
    print(f"{chosen.config.stem}: {json.loads(weights)['weights']:,} weights")
    print("| phase | tokens | tokens a second | peak memory, GB | seconds with start and evaluation |")
    print("| --- | --- | --- | --- | --- |")
    for row in rows:
        print("| " + " | ".join(str(row[name]) for name in ("phase", "tokens", "rate", "memory", "whole")) + " |")
    print(f"On {rows[0]['device']}. " + " ".join(f"{name}={value}" for name, value in vars(chosen).items()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path, help="the config.json of an architecture")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--posts", type=int, default=120, help="70 %% of them are learnt from")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32", help="of phases 1 and 2")
    parser.add_argument("--targets", nargs="+", default=["q", "v"], help="layers that get an adapter")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--prompts", type=int, default=4, help="of a step of phase 3; each gets four replies")
    parser.add_argument("--steps", type=int, default=10, help="of phase 3")
    parser.add_argument("--new-tokens", type=int, default=128)
    return parser


def phases(chosen: argparse.Namespace, out: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the phases with what differs from their settings files."""
    learning = {
        "optimiser.learning_rate": 1e-9,
        "optimiser.epochs": 1,
        "optimiser.batch_size": chosen.batch,
        "precision": chosen.precision,
    }
    critic = {part: str(out / "critic") for part in ("reward.pc.path", "reward.aq.path", "reward.t.path")}
    critic |= {name.replace("reward", "held_out"): path for name, path in critic.items()}
    return [
        ("explain", {**learning, "base": str(out / "blank")}),
        ("adapt", {**learning, "base": str(out / "explain"), "lora.targets": chosen.targets}),
        ("critic", {"encoder": str(out / "explain"), "epochs": 1, "half": "all", "learning_rate": 1e-9}),
        (
            "reinforce",
            {
                "policy": str(out / "adapt"), "steps": chosen.steps, "prompts_per_step": chosen.prompts,
                "sampling.new_tokens": chosen.new_tokens, "evaluate_posts": 4, "show_samples": 0, **critic,
            },
        ),
    ]  # fmt: skip


def measured(phase: str, out: Path, changes: dict[str, Any]) -> dict[str, Any]:
    """Run a phase. Return its cost."""
    named = {**changes, "out": str(out / phase), "data.folders": [str(out / "data")]}
    begun = time.perf_counter()
    run(
        phase, "--settings", str(SETTINGS / f"{phase}.toml"),
        *(word for key, value in named.items() for word in ("--set", f"{key}={json.dumps(value)}")),
    )  # fmt: skip
    whole = round(time.perf_counter() - begun)
    cost = json.loads((out / phase / "phase.json").read_text(encoding="utf-8"))["cost"]
    return {
        "phase": phase, "tokens": cost["tokens"] or "", "rate": cost["tokens_a_second"] or "",
        "memory": cost["peak_memory_gb"], "whole": whole, "device": cost["device"],
    }  # fmt: skip


def run(*words: str) -> str:
    """Run a command of generation.coarl. Return what it printed; exit if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "generation.coarl", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise SystemExit(f"{words[0]} ended with {done.returncode}.")
    return done.stdout


def write_data(folder: Path, posts: int, draw: random.Random) -> None:
    """Write a folder of training files: seven explanations and four replies a post, with scores and preferences."""
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    words = ["".join(draw.choices(syllables, k=draw.randint(1, 4))) for _ in range(VOCABULARY)]

    def text(least: int, most: int) -> str:
        return " ".join(draw.choices(words, k=draw.randint(least, most)))

    rows: dict[str, list[dict[str, Any]]] = {"explanations": [], "replies": [], "scores": [], "preferences": []}
    for _ in range(posts):
        post = text(10, 40)
        rows["explanations"] += [{"statement": post, "task": task.value, "target": text(5, 25)} for task in Explanation]
        for intent in Intent:
            reply, other = text(15, 45), text(15, 45)
            rows["replies"].append({"statement": post, "intent": intent.value, "target": reply})
            scores = {name: draw.random() for name in ("pc", "aq", "t")}
            rows["scores"].append({"statement": post, "text": other, **scores, "seen_intent": intent.value})
            rows["preferences"].append({"statement": post, "chosen": reply, "rejected": other})
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    about = {"warning": "Drawn words without meaning.", "splits_by": "hash"}
    (folder / "manifest.json").write_text(json.dumps(about), encoding="utf-8")


if __name__ == "__main__":
    main()
