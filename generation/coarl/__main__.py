"""`python -m generation.coarl PHASE --settings FILE`: train, measure and serve a writer of counterspeech."""

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from generation.coarl.ablations import BadModel
from generation.coarl.blank_model import write_blank_architecture, write_blank_model
from generation.coarl.critic_training import train_critic
from generation.coarl.reinforcement import reinforce
from generation.coarl.reward_parts import NoCritic
from generation.coarl.serve import serve
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
from generation.coarl.supervised import adapt, explain
from generation.coarl.table import evaluate
from generation.coarl.training_data import BadData, TrainingData, load

_PHASES: dict[str, tuple[type[Any], Callable[[Any, TrainingData], Any], str]] = {
    "explain": (Supervised, explain, "phase 1: learn the seven explanations"),
    "adapt": (Supervised, adapt, "phase 2: learn replies by intent"),
    "critic": (CriticTraining, train_critic, "train a small critic on the project's own scores"),
    "reinforce": (Reinforce, reinforce, "phase 3: learn from the reward"),
    "evaluate": (Evaluation, evaluate, "measure trained models against people's replies"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run one phase. Return the exit status: 2 for settings, data or a model that cannot be used."""
    chosen = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        if chosen.phase == "blank":
            print(json.dumps(_blank(chosen)))
        elif chosen.phase == "serve":
            serve(_settings(chosen, Served))
        else:
            kind, run, _words = _PHASES[chosen.phase]
            settings = _settings(chosen, kind)
            data = load(settings.data)
            for line in data.refused[:20]:
                print(f"left out: {line}", file=sys.stderr)
            run(settings, data)
            print(json.dumps({"phase": chosen.phase, "out": str(settings.out)}))
    except (BadSettings, BadData, BadModel, NoCritic, ConnectionError) as fault:
        print(f"{fault}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m generation.coarl", description=__doc__)
    phases = parser.add_subparsers(dest="phase", required=True)
    with_settings = {name: words for name, (_kind, _run, words) in _PHASES.items()}
    for name, words in {**with_settings, "serve": "answer over the OpenAI protocol"}.items():
        phase = phases.add_parser(name, help=words)
        phase.add_argument("--settings", type=Path, required=True, metavar="FILE")
        change: dict[str, Any] = {"action": "append", "default": []}
        phase.add_argument("--set", **change, metavar="KEY=VALUE", help="another value, such as out=training/other")
        phase.add_argument("--without", **change, metavar="TABLE", help="leave a table out, such as lora")
    blank = phases.add_parser("blank", help="write a small model of random weights, to try the phases with")
    blank.add_argument("--data", type=Path, action="append", required=True, help="a folder of export_training")
    blank.add_argument("--out", type=Path, required=True)
    blank.add_argument("--architecture", choices=("t5", "gpt2"), default="t5")
    blank.add_argument(
        "--config", type=Path, metavar="FILE",
        help="the config.json of a public architecture: at its own size, in place of width, layers and vocabulary",
    )  # fmt: skip
    for name, value in (("width", 64), ("layers", 2), ("vocabulary", 500), ("seed", 0)):
        blank.add_argument(f"--{name}", type=int, default=value)
    return parser


def _settings(chosen: argparse.Namespace, kind: type[Any]) -> Any:
    return read_settings(chosen.settings, kind, chosen.set, chosen.without)


def _blank(chosen: argparse.Namespace) -> dict[str, Any]:
    data = load(DataSettings(folders=chosen.data))
    if chosen.config:
        weights = write_blank_architecture(chosen.config, data, chosen.out, seed=chosen.seed)
    else:
        sizes = {name: getattr(chosen, name) for name in ("width", "layers", "vocabulary", "seed")}
        weights = write_blank_model(chosen.architecture, data, chosen.out, **sizes)
    return {"out": str(chosen.out), "weights": weights}


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # it warns at each fork otherwise
    sys.exit(main())
