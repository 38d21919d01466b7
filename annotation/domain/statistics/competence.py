"""Results of a model of annotator competence, compared with the majority of the same labels.

The model is fitted in `annotation/analytics/quality/competence_process.py`; this module interprets its
numbers. Labels are parallel columns: items and annotators numbered from 0, categories as indices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.domain.statistics.arrays import Floats, Ints

SAME = 1e-9
"""Two categories whose probabilities differ by less are a tie, which has no winner."""
SEEN = 0.5
"""The minimum expected number of labels for a value of the confusion table."""


@dataclass(frozen=True)
class Differing:
    """An item where model and majority differ. None means a tie of the model, or no strict majority."""

    item: int
    majority: int | None
    model: int | None
    probability: float
    """The probability of the model's most probable category."""


@dataclass(frozen=True)
class Judged:
    """The model's figures about one annotator."""

    annotator: int
    labels: int
    accuracy: float
    """The share of their labels that the model expects to be right: the mean of the diagonal of the confusion table,
    weighted by how often they met each category."""
    diagonal: tuple[float | None, ...]
    """By true category, how often they choose it; None if they hardly met it."""


def majorities(items: Ints, labels: Ints, categories: int) -> list[int | None]:
    """Return the strict majority of each item's labels, None if there is none."""
    counts = _counts(items, labels, categories)
    clear = 2 * counts.max(axis=1) > counts.sum(axis=1)
    return [int(best) if is_clear else None for best, is_clear in zip(counts.argmax(axis=1), clear, strict=True)]


def most_probable(posterior: Floats) -> list[int | None]:
    """Return the most probable category of each item, None for a tie."""
    ordered = np.sort(posterior, axis=1)
    tied = ordered[:, -1] - ordered[:, -2] < SAME
    return [None if tie else int(best) for best, tie in zip(posterior.argmax(axis=1), tied, strict=True)]


def differing(items: Ints, labels: Ints, posterior: Floats) -> list[Differing]:
    """Return the items where model and majority differ or only one is defined, highest model probability first."""
    voted, modelled = majorities(items, labels, posterior.shape[1]), most_probable(posterior)
    differences = [
        Differing(item, vote, model, float(posterior[item].max()))
        for item, (vote, model) in enumerate(zip(voted, modelled, strict=True))
        if vote != model
    ]
    return sorted(differences, key=lambda difference: (-difference.probability, difference.item))


def judged(items: Ints, annotators: Ints, labels: Ints, posterior: Floats) -> list[Judged]:
    """Return the figures of every annotator, by number."""
    people, categories = int(annotators.max()) + 1, posterior.shape[1]
    true = posterior[items]  # for each label, the probability of each category of its item
    met = np.zeros((people, categories))
    np.add.at(met, annotators, true)
    hit = np.zeros((people, categories))
    np.add.at(hit, (annotators, labels), true[np.arange(len(labels)), labels])
    n = np.bincount(annotators, minlength=people)
    return [
        Judged(
            annotator=person,
            labels=int(n[person]),
            accuracy=float(hit[person].sum() / n[person]),
            diagonal=tuple(
                float(right / met_count) if met_count >= SEEN else None
                for right, met_count in zip(hit[person], met[person], strict=True)
            ),
        )
        for person in range(people)
    ]


def _counts(items: Ints, labels: Ints, categories: int) -> Ints:
    counts = np.zeros((int(items.max()) + 1, categories), dtype=np.int64)
    np.add.at(counts, (items, labels), 1)
    return counts
