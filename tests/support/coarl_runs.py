"""Small runs of CoARL's phases, as tests start them: blank models, short texts, the drawn garden."""

from pathlib import Path
from typing import Any

from coarl_garden import write_table
from generation.coarl.blank_model import Architecture, write_blank_model
from generation.coarl.settings_file import DataSettings, Reinforce, Supervised
from generation.coarl.training_data import TrainingData, load

THREADS = 1
LENGTH = {"source": 64, "target": 32}
TARGETS = {"t5": ["q", "v"], "gpt2": ["c_attn", "c_proj", "c_fc"]}
WORDS = {part: {"source": "words"} for part in ("pc", "aq", "t")} | {"weights": [1, 1, 1]}
NOISE = {part: {"source": "random"} for part in ("pc", "aq", "t")} | {"weights": [1, 1, 1]}


def garden(folder: Path, posts: int = 80) -> tuple[TrainingData, dict[str, Any]]:
    """Write the drawn table, and return its data with the settings that name it."""
    data = {"tables": [str(write_table(folder / "garden.jsonl", posts))], "wording": "short"}
    return load(DataSettings.model_validate(data)), data


def blank(architecture: Architecture, data: TrainingData, folder: Path) -> Path:
    """Write a model of random weights: 2 to 5 MB with its tokenizer."""
    write_blank_model(architecture, data, folder / architecture, width=64, layers=2, vocabulary=800, seed=0)
    return folder / architecture


def supervised(base: Path, out: Path, data: dict[str, Any], *, epochs: int, lora: str = "", **more: Any) -> Supervised:
    """Return settings of phase 1 or 2; `lora` names an architecture whose query and value get an adapter."""
    optimiser = {
        "learning_rate": 5e-3, "weight_decay": 0, "epochs": epochs, "batch_size": 16, "accumulate": 1,
        "warmup_share": 0, "schedule": "linear", "gradient_norm": 1,
    }  # fmt: skip
    adapter = {"r": 16, "alpha": 32, "dropout": 0, "targets": TARGETS[lora]} if lora else None
    settings = {
        "base": str(base), "out": str(out), "seed": 0, "data": data, "length": LENGTH, "optimiser": optimiser,
        "lora": adapter, "save_steps": 100, "evaluate_steps": 100, "threads": THREADS,
    }  # fmt: skip
    return Supervised.model_validate(settings | more)


def reinforced(policy: Path, out: Path, data: dict[str, Any], **more: Any) -> Reinforce:
    """Return settings of phase 3 by counting words."""
    settings = {
        "policy": str(policy), "out": str(out), "seed": 0, "data": data, "length": LENGTH, "algorithm": "rloo",
        "learning_rate": 5e-4, "gradient_norm": 1, "clip": 0.2, "steps": 12, "updates": 1, "prompts_per_step": 8,
        "save_steps": 4, "evaluate_steps": 6, "evaluate_posts": 48, "show_samples": 2, "threads": THREADS,
        "reward": WORDS, "sampling": {"replies_per_post": 4, "temperature": 0.5, "top_k": 0, "top_p": 1.0,
                                      "new_tokens": 20},
        "kl": {"coefficient": 0.05, "target": 3.0, "horizon": 1000, "ceiling": 9.0},
    }  # fmt: skip
    return Reinforce.model_validate(settings | more)
