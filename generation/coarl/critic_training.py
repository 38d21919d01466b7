"""Train a small critic on the project's own scores, preferences and approved replies.

PC, AQ and T by squared error to the stored scores; AQ also by Bradley and Terry's loss on preferences; the intent by
cross-entropy on approved replies and on the intents that critics saw. The posts of the split train are halved by a
hash: a critic that is held out learns from the half that the critic of the reward does not know.
"""

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional
from tqdm import tqdm

from generation.coarl.critic_model import INTENTS, Critic, new_critic, save_critic
from generation.coarl.phase_card import finish_phase
from generation.coarl.settings_file import CriticTraining
from generation.coarl.training_cost import TrainingCost
from generation.coarl.training_data import BadData, Preferred, Scored, TrainingData
from generation.coarl.training_log import TrainingLog, write_plot
from generation.domain.tokens import plain

_PARTS = ("pc", "aq", "t")
_KNOWN: list[str | None] = [intent.value for intent in INTENTS]


@dataclass(frozen=True)
class _Lesson:
    """One row to learn from, of one of the two kinds."""

    scored: Scored | None = None
    preferred: Preferred | None = None


def train_critic(settings: CriticTraining, data: TrainingData) -> dict[str, Any]:
    """Train, save and measure a critic. Return its figures: how many rows, and errors on held-out posts."""
    if settings.threads:
        torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    lessons = [lesson for lesson in _lessons(data, "train") if _in_half(_post(lesson), settings.half)]
    if not lessons:
        raise BadData("There is no score, no preference and no reply to learn from.")
    critic = new_critic(settings.encoder, settings.length)
    optimiser = torch.optim.AdamW(critic.parameters(), lr=settings.learning_rate)
    log, step, cost = TrainingLog(settings.out), 0, TrainingCost()
    for epoch in range(settings.epochs):
        shuffled = random.Random(f"{settings.seed}/{epoch}").sample(lessons, len(lessons))
        for start in tqdm(range(0, len(shuffled), settings.batch_size), desc=f"epoch {epoch + 1}"):
            with cost.step():
                loss = _loss(critic, shuffled[start : start + settings.batch_size], settings.preference_weight)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
            step += 1
            log.add(step, loss=float(loss.detach()))
    figures = {"lessons": len(lessons), "half": settings.half, **measured(critic.eval(), data)}
    log.add(step, **{f"{name}@validation": value for name, value in figures.items() if isinstance(value, float)})
    save_critic(critic, settings.out, settings.encoder)
    write_plot(settings.out, "critic: loss")
    finish_phase(settings.out, "critic", settings, data, figures, cost, base=settings.encoder, seq2seq=False)
    return figures


def measured(critic: Critic, data: TrainingData) -> dict[str, float | None]:
    """Return mean absolute errors, the share of preferences that AQ agrees with, and the intents' accuracy.

    They are of the split validation; None where it has no such row.
    """
    held_out = [lesson.scored for lesson in _lessons(data, "validation") if lesson.scored]
    figures: dict[str, float | None] = {}
    for part in _PARTS:
        rows = [row for row in held_out if getattr(row, part) is not None]
        values = critic.values(part, [row.post for row in rows], [row.text for row in rows]) if rows else []
        figures[f"error_{part}"] = _mean([abs(value - getattr(row, part))
                                          for value, row in zip(values, rows, strict=True)])  # fmt: skip
    pairs = [row for row in data.preferences if row.split == "validation"]
    posts = [row.post for row in pairs]
    better = critic.values("aq", posts, [row.chosen for row in pairs]) if pairs else []
    worse = critic.values("aq", posts, [row.rejected for row in pairs]) if pairs else []
    figures["preferences_agreed"] = _mean([float(one > other) for one, other in zip(better, worse, strict=True)])
    named = [row for row in held_out if row.intent in _KNOWN]
    seen = critic.intents([row.text for row in named]) if named else []
    figures["intent_accuracy"] = _mean([float(one == row.intent) for one, row in zip(seen, named, strict=True)])
    return figures


def _lessons(data: TrainingData, split: str) -> list[_Lesson]:
    replies = [Scored(row.post, row.target, None, None, None, row.task, row.split) for row in data.replies]
    scored = [_Lesson(scored=row) for row in (*data.scores, *replies) if row.split == split]
    return scored + [_Lesson(preferred=row) for row in data.preferences if row.split == split]


def _post(lesson: _Lesson) -> str:
    row = lesson.scored or lesson.preferred
    assert row is not None, "a lesson has one row"
    return row.post


def _in_half(post: str, half: str) -> bool:
    first = hashlib.sha256(f"half {plain(post)}".encode()).digest()[0] < 128
    return half == "all" or first == (half == "first")


def _loss(critic: Critic, lessons: Sequence[_Lesson], preference_weight: float) -> torch.Tensor:
    scored = [lesson.scored for lesson in lessons if lesson.scored]
    preferred = [lesson.preferred for lesson in lessons if lesson.preferred]
    losses: list[torch.Tensor] = []
    if scored:
        raw = critic.raw([row.post for row in scored], [row.text for row in scored])
        ranges: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {"pc": torch.tanh}
        for part in _PARTS:
            value = ranges.get(part, torch.sigmoid)(raw[part].squeeze(-1))
            losses += _squared(value, [getattr(row, part) for row in scored])
        named = [(place, _KNOWN.index(row.intent)) for place, row in enumerate(scored) if row.intent in _KNOWN]
        if named:
            places, wanted = zip(*named, strict=True)
            wanted_there = torch.tensor(wanted, device=raw["intent"].device)
            losses.append(functional.cross_entropy(raw["intent"][list(places)], wanted_there))
    if preferred and preference_weight:
        posts = [row.post for row in preferred]
        better = critic.raw(posts, [row.chosen for row in preferred])["aq"]
        worse = critic.raw(posts, [row.rejected for row in preferred])["aq"]
        losses.append(-preference_weight * functional.logsigmoid(better - worse).mean())
    return torch.stack(losses).sum()


def _squared(values: torch.Tensor, wanted: Sequence[float | None]) -> list[torch.Tensor]:
    """Return the mean squared error over the rows that have this score; nothing where none has."""
    known = [(place, value) for place, value in enumerate(wanted) if value is not None]
    if not known:
        return []
    places, numbers = zip(*known, strict=True)
    return [functional.mse_loss(values[list(places)], torch.tensor(numbers, device=values.device))]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
