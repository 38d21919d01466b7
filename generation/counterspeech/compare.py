"""Blind comparisons: a person sees two candidates of one post and intent and chooses by five criteria.

The page does not say who wrote them. Which one is on the left is drawn again for each pair and person.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

from django.db.models import Count, QuerySet

from annotation.core.transactions import short_transaction
from annotation.models import Membership, Project, record
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.preferences import Choice, Criterion, WinRate, win_rates
from generation.domain.counterspeech.writers import WriterMode
from generation.domain.event_verbs import GenerationVerb
from generation.models import Candidate, Comparison, Exchange

_GROUPS = 60
"""How many pairs of post and intent are searched for a pair of candidates; they are drawn at random."""
_BEST = 6
"""The lowest rank of a candidate that is compared; ranks count from 1 in each run."""


@dataclass(frozen=True)
class Pair:
    """Two candidates, by the side on which the page shows them."""

    left: Candidate
    right: Candidate

    @property
    def first_is_left(self) -> bool:
        """Whether the candidate with the smaller key is on the left; comparisons are stored by key."""
        return self.left.pk < self.right.pk


def next_pair(exchanges: QuerySet[Exchange], judge: Membership) -> Pair | None:
    """Return a pair that the judge has not compared, by different writers if there is one.

    Returns None if the judge has compared all pairs that were looked at.
    """
    groups = list(
        Candidate.objects.filter(exchange__in=exchanges)
        .values_list("exchange", "intent")
        .annotate(count=Count("pk"))
        .filter(count__gte=2)
        .order_by("exchange", "intent")
    )
    random.shuffle(groups)
    judged = set(Comparison.objects.filter(judge=judge).values_list("first", "second"))
    spare: Pair | None = None
    for exchange, intent, _count in groups[:_GROUPS]:
        rows = list(Candidate.objects.filter(exchange=exchange, intent=intent, rank__lte=_BEST).order_by("pk"))
        unjudged = [pair for pair in combinations(rows, 2) if (pair[0].pk, pair[1].pk) not in judged]
        random.shuffle(unjudged)
        for first, second in unjudged:
            pair = Pair(first, second) if random.random() < 0.5 else Pair(second, first)
            if writer_of(first) != writer_of(second):
                return pair
            spare = spare or pair
    return spare


def pair_of(exchanges: QuerySet[Exchange], left: UUID, right: UUID) -> Pair | None:
    """Return two candidates of one post and intent by the sides on which they stood. Returns None if they are none."""
    rows = Candidate.objects.filter(public_id__in=(left, right), exchange__in=exchanges)
    candidates = {row.public_id: row for row in rows.select_related("exchange__item", "exchange__project")}
    if len(candidates) != 2:
        return None
    pair = Pair(candidates[left], candidates[right])
    same = (pair.left.exchange_id, pair.left.intent) == (pair.right.exchange_id, pair.right.intent)
    return pair if same else None


@short_transaction
def choose(pair: Pair, judge: Membership, choices: Mapping[str, Choice]) -> Comparison:
    """Store the judge's choice by each criterion. A second answer to the same pair changes nothing."""
    first, second = sorted((pair.left, pair.right), key=lambda row: row.pk)
    comparison, new = Comparison.objects.get_or_create(
        first=first, second=second, judge=judge, defaults={"shown_first": pair.first_is_left, **choices}
    )
    if new:
        exchange = first.exchange
        record(
            GenerationVerb.REPLIES_COMPARED,
            project=exchange.project,
            actor=judge,
            item=exchange.item,
            row=exchange.public_id,
        )
    return comparison


@dataclass(frozen=True)
class Standing:
    """The win rates of one writer by criterion; None if it was compared with nobody else.

    `kind` is a `Writer`, empty where a row stands for a prompt.
    """

    name: str
    kind: str
    rates: Mapping[Criterion, WinRate | None]

    @property
    def in_order(self) -> Sequence[WinRate | None]:
        """The win rates in the order of the table's columns."""
        return [self.rates[criterion] for criterion in Criterion]


def standings(project: Project) -> dict[str, list[Standing]]:
    """Return win rates by model, by prompt, and by model within each intent.

    The keys are `model`, `prompt` and the intents.
    """
    rows = list(
        Comparison.objects.filter(first__exchange__project=project).select_related("first", "second").order_by("pk")
    )
    tables = {"model": _table(rows, "model"), "prompt": _table(rows, "prompt")}
    for intent in Intent:
        tables[intent.value] = _table([row for row in rows if row.first.intent == intent], "model")
    return tables


def writer_of(row: Candidate) -> tuple[str, str]:
    """Return the model and the prompt that wrote a candidate."""
    return row.model, prompt_of(row)


def prompt_of(row: Candidate) -> str:
    """Return the name of a candidate's prompt: the start of its digest, and what it was told beside the post."""
    if row.mode is WriterMode.PLAIN:
        return f"{row.prompt_digest[:8]} plain instruction"
    shots = "3-shot" if row.exemplars else "zero-shot"
    explained = "explained" if row.explanations_id else "unexplained"
    return f"{row.prompt_digest[:8]} {shots} {explained}"


def _table(rows: Sequence[Comparison], by: str) -> list[Standing]:
    def name(row: Candidate) -> str:
        return row.model if by == "model" else prompt_of(row)

    rates = {
        criterion: win_rates((name(row.first), name(row.second), row.choice(criterion)) for row in rows)
        for criterion in Criterion
    }
    kinds = {
        name(candidate): candidate.writer if by == "model" else ""
        for row in rows
        for candidate in (row.first, row.second)
    }
    return [
        Standing(writer, kinds[writer], {criterion: rates[criterion].get(writer) for criterion in Criterion})
        for writer in sorted(kinds)
    ]
