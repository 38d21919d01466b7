"""The paper's Table 2 for trained models: a row each, and differences to one of them with paired intervals.

Each model writes the most likely reply to every post and intent of the split that people have answered (appendix F).
Intervals are percentile bootstraps over posts: all replies to one post are drawn together.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from generation.coarl.ablations import Ablation, BadModel, ablations_of, is_finished, read_phase
from generation.coarl.language_models import device, open_policy
from generation.coarl.policy import Policy
from generation.coarl.reply_figures import distinct_2, diversity, mean_length, novelty
from generation.coarl.reward_parts import Reward, intents_by
from generation.coarl.settings_file import BadSettings, Evaluation, System
from generation.coarl.similarity import bertscore, meaning
from generation.coarl.training_data import BadData, Example, TrainingData, references
from generation.coarl.training_log import write_whole
from generation.domain.counterspeech import reference_metrics
from generation.domain.counterspeech.instructions import reply_instruction
from generation.domain.counterspeech.intents import Intent

COLUMNS = ("R1", "R2", "RL", "M", "BS", "CS", "CA", "PC", "AQ", "T", "R", "novelty", "diversity")
_BY_WORDS = {"rouge1": "R1", "rouge2": "R2", "rougeL": "RL", "meteor": "M"}
_AT_ONCE = 32
_LOG = logging.getLogger(__name__)

Scores = Mapping[str, Sequence[float | None]]
"""The value of each reply by column."""


def evaluate(settings: Evaluation, data: TrainingData) -> dict[str, Any]:
    """Measure every system and write `table.md`, `table.json` and the replies. Return what table.json holds."""
    if settings.threads:
        torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    if settings.against not in {system.name for system in settings.systems}:
        raise BadSettings(f"against = {settings.against!r} names no system.")
    systems = _finished(settings)
    answered = references(data, settings.split)
    if not answered:
        raise BadData(f"People answered no post of the split {settings.split}: there is nothing to compare with.")
    reward = Reward(settings.reward)
    learnt = [row.target for row in data.replies if row.split == "train"]
    asked = [_asked(post, intent, settings) for post, intent in answered]
    people = list(answered.values())
    written = {system.name: _written(system, asked, settings) for system in systems}
    scores = {name: _scores(replies, asked, people, learnt, settings, reward) for name, replies in written.items()}
    table = {
        "split": settings.split,
        "posts": len({row.post for row in asked}),
        "replies": len(asked),
        "against": settings.against,
        "reward_sources": dict(reward.names),
        "notes": _notes(settings),
        "rows": [_row(system, written[system.name], scores, asked, settings) for system in systems],
        "missing": _missing(settings),
    }
    settings.out.mkdir(parents=True, exist_ok=True)
    write_whole(settings.out / "table.json", json.dumps(table, ensure_ascii=False, indent=2) + "\n")
    write_whole(settings.out / "table.md", _as_text(table))
    lines = [
        json.dumps({"system": name, "post": row.post, "intent": row.task, "reply": reply}, ensure_ascii=False) + "\n"
        for name, replies in written.items()
        for row, reply in zip(asked, replies, strict=True)
    ]
    write_whole(settings.out / "replies.jsonl", "".join(lines))
    print(_as_text(table))
    return table


def _finished(settings: Evaluation) -> list[System]:
    """Return the systems that are trained. Raises BadSettings if one was trained otherwise than its row says."""
    systems = [system for system in settings.systems if is_finished(system.path)]
    if settings.against not in {system.name for system in systems}:
        raise BadModel(f"The row {settings.against!r}, to which the others are compared, is not trained yet.")
    for system in systems:
        known = ablations_of(system.path)
        if known != ([system.ablation] if system.ablation else []):
            trained = f"leaves out: {', '.join(known)}" if known else "leaves nothing out"
            raise BadSettings(
                f"systems, {system.name}: ablation is {system.ablation or 'not named'}, but {system.path} {trained}."
            )
    return systems


def _missing(settings: Evaluation) -> list[dict[str, Any]]:
    """Return the ablations of the paper that have no row, each with the commands that make it, if they are named."""
    by_ablation = {system.ablation: system for system in settings.systems if system.ablation}
    return [
        {"ablation": ablation.value, "made_by": system.made_by if system else []}
        for ablation in Ablation
        for system in [by_ablation.get(ablation)]
        if system is None or not is_finished(system.path)
    ]


def _asked(post: str, intent: str, settings: Evaluation) -> Example:
    asked = reply_instruction(Intent(intent), post, settings.data.wording)
    return Example(post, intent, asked, "", settings.split)


def _written(system: System, asked: Sequence[Example], settings: Evaluation) -> list[str]:
    opened = open_policy(system.path)
    opened.model.to(device()).eval()
    policy, replies = Policy(opened, settings.length), []
    for start in tqdm(range(0, len(asked), _AT_ONCE), desc=system.name):
        some = [row.instruction for row in asked[start : start + _AT_ONCE]]
        replies += policy.greedy(some, settings.new_tokens)
    return replies


def _scores(
    replies: Sequence[str],
    asked: Sequence[Example],
    people: Sequence[Sequence[str]],
    learnt: Sequence[str],
    settings: Evaluation,
    reward: Reward,
) -> Scores:
    posts = [row.post for row in asked]
    judged = reward(posts, replies)
    by_words = [reference_metrics.best(known, reply) for known, reply in zip(people, replies, strict=True)]
    scores: dict[str, Sequence[float | None]] = {
        column: [row.get(name) for row in by_words] for name, column in _BY_WORDS.items()
    }
    scores["CS"] = meaning(settings.similarity, people, replies)
    scores["BS"] = bertscore(people, replies) if settings.bertscore else [None] * len(replies)
    scores["CA"] = _conform(settings, asked, replies)
    scores |= {"PC": [one.pc for one in judged], "AQ": [one.aq for one in judged], "T": [one.t for one in judged]}
    scores["R"] = [one.reward for one in judged]
    scores["novelty"] = [novelty(reply, learnt) for reply in replies]
    scores["diversity"] = list(diversity(replies))
    return scores


def _conform(settings: Evaluation, asked: Sequence[Example], replies: Sequence[str]) -> list[float | None]:
    if settings.intent is None:
        return [None] * len(replies)
    seen = intents_by(settings.intent)([row.post for row in asked], replies)
    return [None if one is None else float(one == row.task) for one, row in zip(seen, asked, strict=True)]


def _row(
    system: System,
    replies: Sequence[str],
    scores: Mapping[str, Scores],
    asked: Sequence[Example],
    settings: Evaluation,
) -> dict[str, Any]:
    own, other = scores[system.name], scores[settings.against]
    posts = [row.post for row in asked]
    figures = {}
    for column in COLUMNS:
        pairs = list(zip(posts, own[column], other[column], strict=True))
        known = [(post, mine, theirs) for post, mine, theirs in pairs if mine is not None and theirs is not None]
        figures[column] = {
            "mean": _mean(own[column]),
            "difference": _mean([mine - theirs for _post, mine, theirs in known]),
            "interval": paired_interval(
                [(post, mine - theirs) for post, mine, theirs in known], settings.resamples, settings.seed
            ),
        }
    phase = str(read_phase(system.path)["phase"])
    shape = {"length": mean_length(replies), "distinct_2": distinct_2(replies)}
    return {"system": system.name, "phase": phase, "ablation": system.ablation or "", "figures": figures, **shape}


def paired_interval(differences: Sequence[tuple[str, float]], resamples: int, seed: int) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean difference, by drawing whole posts again. None with fewer than two posts."""
    by_post: dict[str, list[float]] = {}
    for post, difference in differences:
        by_post.setdefault(post, []).append(difference)
    if len(by_post) < 2:
        return None
    sums = np.array([sum(values) for values in by_post.values()])
    counts = np.array([len(values) for values in by_post.values()])
    draws = np.random.default_rng(seed).integers(0, len(sums), size=(resamples, len(sums)))
    means = sums[draws].sum(1) / counts[draws].sum(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _notes(settings: Evaluation) -> list[str]:
    how = {"tfidf": "TF-IDF fitted on each pair", "wordllama": "wordllama's word vectors"}[settings.similarity]
    notes = [f"CS is the cosine by {how}.", "M matches equal words and stems, no synonyms."]
    notes.append("Novelty and diversity are one less the Jaccard index of words with the nearest reply learnt from, "
                 "and with the nearest other reply of the same row.")  # fmt: skip
    if not settings.bertscore:
        notes.append("BERTScore was switched off.")
    if settings.intent is None:
        notes.append("No source names the intent, so CA is empty.")
    if reference_metrics.missing:
        notes.append(reference_metrics.missing)
    return notes


def _as_text(table: Mapping[str, Any]) -> str:
    head = ["system", *COLUMNS, "length", "distinct-2"]
    lines = [" | ".join(head), " | ".join("---" for _name in head)]
    for row in table["rows"]:
        cells = [f"{row['system']}{' (' + row['ablation'] + ')' if row['ablation'] else ''}"]
        cells += [_cell(row["figures"][column], own=row["system"] == table["against"]) for column in COLUMNS]
        lines.append(" | ".join([*cells, f"{row['length']:.1f}", f"{row['distinct_2']:.2f}"]))
    sources = ", ".join(f"{part}: {name}" for part, name in table["reward_sources"].items())
    notes = "\n".join(f"- {note}" for note in [*table["notes"], f"Reward: {sources}."])
    notes += "".join(_as_told(row) for row in table["missing"])
    return (
        f"{table['replies']} replies to {table['posts']} posts of the split {table['split']}. In brackets: the 95 % "
        f"interval of the difference to “{table['against']}”, drawn over posts. Lower is better for PC and T.\n\n"
        + "\n".join(f"| {line} |" for line in lines)
        + f"\n\n{notes}\n"
    )


def _as_told(missing: Mapping[str, Any]) -> str:
    commands = "".join(f"\n  - `{command}`" for command in missing["made_by"])
    how = f"is made by:{commands}" if commands else "is named in no [[systems]]: docs/coarl.md says how to train it."
    return f"\n- The row “{missing['ablation']}” is missing. It {how}"


def _cell(figure: Mapping[str, Any], *, own: bool) -> str:
    if figure["mean"] is None:
        return "–"
    if own or figure["interval"] is None:
        return f"{figure['mean']:.3f}"
    low, high = figure["interval"]
    return f"{figure['mean']:.3f} [{low:+.3f}, {high:+.3f}]"
