"""The end of a phase: `phase.json` for programs, `card.md` for people.

Both name data, settings, figures and warnings.
"""

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from generation.coarl.settings_file import Strict
from generation.coarl.training_cost import TrainingCost
from generation.coarl.training_data import TrainingData
from generation.coarl.training_log import write_whole

_PACKAGES = ("torch", "transformers", "peft", "trl", "accelerate", "tokenizers")
_TITLES = {
    "explain": "Phase 1: explanations of hateful posts",
    "adapt": "Phase 2: replies by intent",
    "reinforce": "Phase 3: replies by reward",
    "critic": "A critic of replies",
}


def finish_phase(
    folder: Path,
    phase: str,
    settings: Strict,
    data: TrainingData,
    figures: Mapping[str, Any],
    cost: TrainingCost,
    *,
    base: str,
    seq2seq: bool,
) -> None:
    """Write the card and, last of all, `phase.json`: a folder without it is not finished."""
    facts = {
        "phase": phase,
        "base": base,
        "seq2seq": seq2seq,
        "figures": dict(figures),
        "cost": cost.figures(),
        "data": _counts(data),
        "warnings": data.warnings,
        "settings": settings.model_dump(mode="json"),
        "versions": {name: version(name) for name in _PACKAGES},
    }
    write_whole(folder / "card.md", _card(facts))
    write_whole(folder / "phase.json", json.dumps(facts, ensure_ascii=False, indent=2) + "\n")


def _counts(data: TrainingData) -> dict[str, Any]:
    kinds = {"explanations": data.explanations, "replies": data.replies}
    return {
        name: {split: sum(row.split == split for row in rows) for split in ("train", "validation", "test")}
        for name, rows in kinds.items()
    } | {"lines_refused": len(data.refused)}


def _card(facts: Mapping[str, Any]) -> str:
    figures = "\n".join(f"| {name.replace('_', ' ')} | {_shown(value)} |" for name, value in facts["figures"].items())
    cost = "\n".join(f"| {name.replace('_', ' ')} | {value} |" for name, value in facts["cost"].items())
    warnings = "".join(f"**Content warning.** {warning}\n\n" for warning in facts["warnings"])
    return (
        f"# {_TITLES[facts['phase']]}\n\n{warnings}"
        "It writes text that nobody has read. A person approves every reply before it is used.\n\n"
        f"Base: `{facts['base']}`. Learnt on the split train; figures are of the split validation unless they say "
        f"otherwise.\n\n| figure | value |\n| --- | --- |\n{figures}\n\n"
        "## Cost\n\nOf the process that ended the phase; evaluations and checkpoints are not in its seconds.\n\n"
        f"| | |\n| --- | --- |\n{cost}\n\n"
        f"## Data\n\n```json\n{json.dumps(facts['data'], indent=2)}\n```\n\n"
        f"## Settings\n\n```json\n{json.dumps(facts['settings'], indent=2, ensure_ascii=False)}\n```\n\n"
        "## Versions\n\n" + ", ".join(f"{name} {number}" for name, number in facts["versions"].items()) + "\n"
    )


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "not measured: no post of the split" if value is None else str(value).replace("|", "\\|")
