"""Figures over the replies of a project: how new, diverse and repetitive they are, and what editing them took.

A reply is new against the rows that stood in the store before it: imported examples and replies that were approved
earlier. Diversity is that of the candidates of one run for one intent.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from annotation.models import Project
from generation.domain.counterspeech.collection_figures import (
    WordStore,
    diversity,
    novelty,
    post_edit_rate,
    repetition_rate,
)
from generation.files.export import released
from generation.models import Candidate, Exemplar

MOST = 2000
"""The maximum number of replies, and of runs of candidates, that the figures are about: the newest ones."""
ALL = "all"


@dataclass(frozen=True)
class Written:
    """What is known of one approved reply."""

    kinds: Collection[str]
    """Its intent, its registers, and `ALL`."""
    text: str
    novelty: float | None
    post_edit_rate: float | None
    minutes: float | None


@dataclass(frozen=True)
class CollectionFigures:
    """Figures of the approved replies of a kind: an intent, a register, or `all`. Null: nothing to count.

    `novelty`, `repetition_rate`, `post_edit_rate` and `diversity`, the mean over the runs of candidates, go from 0;
    `minutes` is the median over the replies of which it is known how long their writing took.
    """

    kind: str
    replies: int
    novelty: float | None
    repetition_rate: float | None
    post_edit_rate: float | None
    minutes: float | None
    diversity: float | None
    runs: int


def figures(project: Project) -> list[CollectionFigures]:
    """Return the figures of all replies first, then those of each intent and register that occurs."""
    written, candidates = _written(project), _candidates(project)
    kinds = dict.fromkeys([ALL, *(kind for reply in written for kind in reply.kinds), *candidates])
    return [
        _figures(kind, [reply for reply in written if kind in reply.kinds], candidates.get(kind, ())) for kind in kinds
    ]


def _figures(kind: str, replies: Sequence[Written], runs: Sequence[float]) -> CollectionFigures:
    minutes = [reply.minutes for reply in replies if reply.minutes is not None]
    return CollectionFigures(
        kind,
        len(replies),
        _mean(reply.novelty for reply in replies),
        repetition_rate(reply.text for reply in replies),
        _mean(reply.post_edit_rate for reply in replies),
        median(minutes) if minutes else None,
        _mean(runs),
        len(runs),
    )


def _written(project: Project) -> list[Written]:
    rows = list(released(project).order_by("-pk")[:MOST])
    known = _novelty_of({row.pk for row in rows}, project)
    return [
        Written(
            (ALL, row.intent, *(register for register in row.registers if register != row.intent)),
            row.text,
            known.get(row.pk),
            post_edit_rate(row.candidate.text, row.text) if row.candidate else None,
            row.writing_seconds / 60 if row.writing_seconds else None,
        )
        for row in reversed(rows)
    ]


def _novelty_of(replies: Collection[int], project: Project) -> dict[int, float | None]:
    rows = list(Exemplar.objects.filter(project=project).order_by("pk").values_list("reply", "text"))
    store = WordStore(text for _reply, text in rows)
    return {
        reply: novelty(text, store, place)
        for place, (reply, text) in enumerate(rows)
        if reply is not None and reply in replies
    }


def _candidates(project: Project) -> dict[str, list[float]]:
    """Return the diversity of the candidates of each of the newest runs, by intent, and of all."""
    rows = Candidate.objects.filter(exchange__project=project).order_by("-pk")[: 10 * MOST]
    texts: dict[tuple[Any, str], list[str]] = defaultdict(list)
    for run, intent, text in rows.values_list("run_id", "intent", "text"):
        texts[run, intent].append(text)
    found: dict[str, list[float]] = defaultdict(list)
    for (_run, intent), of_run in list(texts.items())[:MOST]:
        if (value := diversity(of_run)) is not None:
            found[ALL].append(value)
            found[intent].append(value)
    return found


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
