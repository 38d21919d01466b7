"""What a model of annotator competence says, laid beside the majority of the same labels.

The model is fitted in `annotation/analytics/competence_process.py`; here its numbers are read. Labels are parallel
columns: items and annotators numbered from 0, categories as indices.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SAME = 1e-9
"""Two categories this close in probability are a tie, and a tie is nobody's."""
SEEN = 0.5
"""A cell of a confusion table stands on fewer labels than this: there is nothing to tell."""


@dataclass(frozen=True)
class Differing:
    """An item where the model does not say what the majority says; None: a tie, or no strict majority."""

    item: int
    majority: int | None
    model: int | None
    probability: float
    """Of the model's most probable category."""


@dataclass(frozen=True)
class Judged:
    """An annotator as the model sees them."""

    annotator: int
    labels: int
    accuracy: float
    """The share of their labels that the model expects to be right: the diagonal of the confusion table, each
    category by how often they met it."""
    diagonal: tuple[float | None, ...]
    """By true category, how often they say it; None where they hardly met it."""


def majorities(items: Ints, labels: Ints, categories: int) -> list[int | None]:
    """The strict majority of each item's labels."""
    counts = _counts(items, labels, categories)
    clear = 2 * counts.max(axis=1) > counts.sum(axis=1)
    return [int(best) if is_clear else None for best, is_clear in zip(counts.argmax(axis=1), clear, strict=True)]


def most_probable(posterior: Floats) -> list[int | None]:
    """The most probable category of each item; None in a tie."""
    ordered = np.sort(posterior, axis=1)
    tied = ordered[:, -1] - ordered[:, -2] < SAME
    return [None if tie else int(best) for best, tie in zip(posterior.argmax(axis=1), tied, strict=True)]


def differing(items: Ints, labels: Ints, posterior: Floats) -> list[Differing]:
    """Items where model and majority differ, or the majority is silent: the model's surest first."""
    voted, modelled = majorities(items, labels, posterior.shape[1]), most_probable(posterior)
    found = [
        Differing(item, vote, model, float(posterior[item].max()))
        for item, (vote, model) in enumerate(zip(voted, modelled, strict=True))
        if vote != model
    ]
    return sorted(found, key=lambda each: (-each.probability, each.item))


def judged(items: Ints, annotators: Ints, labels: Ints, posterior: Floats) -> list[Judged]:
    """Every annotator, by number."""
    people, categories = int(annotators.max()) + 1, posterior.shape[1]
    true = posterior[items]  # how probable each category is where the label was given
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
                float(right / of) if of >= SEEN else None for right, of in zip(hit[person], met[person], strict=True)
            ),
        )
        for person in range(people)
    ]


def _counts(items: Ints, labels: Ints, categories: int) -> Ints:
    counts = np.zeros((int(items.max()) + 1, categories), dtype=np.int64)
    np.add.at(counts, (items, labels), 1)
    return counts
