"""The rows of the paper's ablations: what a trained folder leaves out, read from the settings that it was trained by.

`phase.json` of a folder names its settings and the folder of the phase before it. This
module loads no model.
"""

import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any


class BadModel(ValueError):
    """The folder holds no model of the kind that is needed."""


class Ablation(StrEnum):
    """What a row of the paper's table does without."""

    REINFORCEMENT = "- RL"
    EXPLANATIONS = "- explanations"
    ADAPTER = "- LoRA"
    PC = "- PC"
    AQ = "- AQ"
    T = "- T"


_PARTS = (Ablation.PC, Ablation.AQ, Ablation.T)
"""In the order of the weights in `[reward]`."""


def read_phase(folder: Path) -> dict[str, Any]:
    """Return what a finished phase says about itself. Raises BadModel if the folder is not a finished phase."""
    try:
        phase: dict[str, Any] = json.loads((folder / "phase.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise BadModel(f"{folder} is no finished phase: it has no phase.json.") from None
    return phase


def is_finished(folder: Path) -> bool:
    """Return whether a phase has ended in the folder."""
    return (folder / "phase.json").is_file()


def ablations_of(folder: Path) -> list[Ablation]:
    """Return what the training of a folder left out; nothing for the whole way. Raises BadModel."""
    return [ablation for ablation in Ablation if ablation in set(_left_out(folder))]


def _left_out(folder: Path) -> Iterator[Ablation]:
    phase = read_phase(folder)
    settings = phase["settings"]
    if phase["phase"] == "reinforce":
        weights = settings["reward"]["weights"]
        yield from (part for part, weight in zip(_PARTS, weights, strict=True) if not weight)
        yield from (ablation for ablation in _left_out(Path(settings["policy"])) if ablation != Ablation.REINFORCEMENT)
        return
    yield Ablation.REINFORCEMENT
    if phase["phase"] == "adapt":
        if settings["lora"] is None:
            yield Ablation.ADAPTER
        base = Path(settings["base"])
        if not (is_finished(base) and read_phase(base)["phase"] == "explain"):
            yield Ablation.EXPLANATIONS
