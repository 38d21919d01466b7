"""Blind comparisons: a person sees two candidates of one post and intent and chooses by five criteria.

Who wrote them is not told, and which stands left is drawn anew for each pair and person.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.db.models import Count, QuerySet

from annotation.core.transactions import short_transaction
from annotation.models import Membership, Project, record
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.preferences import Choice, Criterion, WinRate, win_rates
from generation.domain.event_verbs import GenerationVerb
from generation.models import Candidate, Comparison, Exchange

_GROUPS = 60
"""Posts and intents that are looked at for a pair, drawn at random."""
_BEST = 6
"""Candidates of a post and intent that meet each other: the best of every run."""


@dataclass(frozen=True)
class Pair:
    """Two candidates as they stand on the page."""

    left: Candidate
    right: Candidate

    @property
    def first_is_left(self) -> bool:
        """Whether the one with the smaller key stands left; comparisons are stored in that order."""
        return self.left.pk < self.right.pk


def next_pair(exchanges: QuerySet[Exchange], judge: Membership) -> Pair | None:
    """A pair that the judge has not compared, of different writers where there is one; None where all is done."""
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
        left = [pair for pair in combinations(rows, 2) if (pair[0].pk, pair[1].pk) not in judged]
        random.shuffle(left)
        for one, other in left:
            pair = Pair(one, other) if random.random() < 0.5 else Pair(other, one)
            if writer_of(one) != writer_of(other):
                return pair
            spare = spare or pair
    return spare


@short_transaction
def choose(pair: Pair, judge: Membership, choices: Mapping[str, Choice]) -> Comparison:
    """Keep what the judge chose, by criterion; a second answer to the same pair changes nothing."""
    first, second = sorted((pair.left, pair.right), key=lambda row: row.pk)
    kept, new = Comparison.objects.get_or_create(
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
    return kept


@dataclass(frozen=True)
class Standing:
    """One writer's win rates by criterion; None where it met nobody else."""

    name: str
    rates: Mapping[Criterion, WinRate | None]

    @property
    def in_order(self) -> Sequence[WinRate | None]:
        """As columns of a table."""
        return [self.rates[criterion] for criterion in Criterion]


def standings(project: Project) -> dict[str, list[Standing]]:
    """Win rates by model, by prompt, and by model within each intent; keys `model`, `prompt` and the intents."""
    rows = list(
        Comparison.objects.filter(first__exchange__project=project).select_related("first", "second").order_by("pk")
    )
    found = {"model": _table(rows, "model"), "prompt": _table(rows, "prompt")}
    for intent in Intent:
        found[intent.value] = _table([row for row in rows if row.first.intent == intent], "model")
    return found


def writer_of(row: Candidate) -> tuple[str, str]:
    """The model and the prompt that a candidate comes from."""
    return row.model, prompt_of(row)


def prompt_of(row: Candidate) -> str:
    """The prompt by the beginning of its digest, and what was shown with it."""
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
    names = sorted({name(each) for row in rows for each in (row.first, row.second)})
    return [Standing(each, {criterion: rates[criterion].get(each) for criterion in Criterion}) for each in names]
