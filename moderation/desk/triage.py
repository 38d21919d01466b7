"""Hints at the desk: if a verdict differs from the votes, the score of its explanation says who may be right."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from annotation.consensus.case_from_rows import vote_of
from annotation.domain.category_sets import as_stored, codes_of
from annotation.domain.consensus import Agreed, consensus_of_sets
from annotation.domain.votes import Category as CategoryValue
from annotation.models import Adjudication, Category, Event, Item, Project, Ruling, Seat
from moderation.domain import triage
from moderation.domain.hatexscore.score import Measure, combined
from moderation.domain.triage import HitRate, Said, Side
from moderation.models import Score
from moderation.models.scores import ScoreSource, ScoreState
from runs.domain.states import RunState
from runs.models import Run

LOOKED_AT = 20
"""The number of an item's newest scores that are searched for a differing verdict."""


@dataclass(frozen=True)
class Pointer:
    """A verdict that differs from the votes, the score of its explanation, and the side that the score supports."""

    side: Side
    run: Run
    verdict: Said
    people: Said
    score: float

    @property
    def facts(self) -> dict[str, Any]:
        """The hint as it is recorded with a decision."""
        return {
            "side": str(self.side),
            "method": self.run.method,
            "run": str(self.run.public_id),
            "verdict": [self.verdict.category, self.verdict.hateful],
            "people": [self.people.category, self.people.hateful],
            "people_categories": as_stored(self.people.codes),
            "score": self.score,
        }


def pointer(item: Item) -> Pointer | None:
    """Return the side that the newest score of a differing verdict supports.

    Returns None if there is no score or no verdict differs.
    """
    newest = scores_of(item).filter(source=ScoreSource.RUN, about_run__isnull=False)[:LOOKED_AT]
    scores = [(row.about_run, paper_score(row)) for row in newest]
    if not scores:
        return None
    runs = Run.objects.filter(public_id__in=[about for about, _score in scores], state=RunState.SUCCEEDED)
    by_id, people = {run.public_id: run for run in runs}, people_say(item)
    for about, score in scores:
        if about in by_id:
            verdict = verdict_of(by_id[about])
            pointed = triage.side(verdict, people, score)
            if pointed is not None:
                return Pointer(pointed, by_id[about], verdict, people, score)
    return None


def paper_score(row: Score) -> float:
    """Return a score by the paper's rule with equal weights, by which the paper's threshold for hints was found.

    The score itself may have been asked for with another rule, threshold or weights.
    """
    return combined(row.htc or 0, row.qf or 0.0, row.tgi or 0, row.prediction, Measure()).score


def scores_of(item: Item) -> QuerySet[Score]:
    """Return the item's scores that have numbers, newest first."""
    return Score.objects.filter(item=item, state=ScoreState.SCORED).order_by("-pk")


def people_say(item: Item) -> Said:
    """Return the votes' result: the categories of the strict majority, and hateful or not by its own majority.

    There is neither with fewer than two votes, or if a vote has no category.
    """
    return people_say_of([item])[item.pk]


def people_say_of(items: Collection[Item]) -> dict[int, Said]:
    """Return the votes' result of each item by its primary key, with one query."""
    filled = Seat.objects.filter(item__in=items, round=F("item__round"), label__isnull=False)
    votes: dict[int, list[frozenset[CategoryValue]]] = {item.pk: [] for item in items}
    for seat in filled.select_related("label__category", "label__replacement__category"):
        assert seat.label is not None
        votes[seat.item_id].append(vote_of(seat.label).chosen)
    return {pk: _result(chosen) for pk, chosen in votes.items()}


def _result(chosen: Sequence[frozenset[CategoryValue]]) -> Said:
    if len(chosen) < 2 or not all(chosen):
        return Said(None, None)
    result = consensus_of_sets(chosen)
    agreed = (result.category, *result.further) if isinstance(result, Agreed) else ()
    return Said.of([category.code for category in agreed], result.binary.hateful)


def verdict_of(run: Run) -> Said:
    """Return the verdict of a run that succeeded."""
    outcome = run.outcome or {}
    return Said(outcome.get("category"), outcome.get("hateful"))


def hit_rates(project: Project) -> tuple[dict[Side, HitRate], int]:
    """Return how often each side was right in this project, and the number of decisions with a hint."""
    events = Event.objects.filter(project=project, verb=Ruling.DECIDE, facts__has_key="hint")
    rows: list[tuple[UUID | None, dict[str, Any]]] = list(events.values_list("row", "facts"))
    hateful = dict(Category.objects.filter(project=project).values_list("code", "hateful"))
    several = decisions_for_several(project)
    judged = (_judged(facts, several.get(row, ()) if row else (), hateful) for row, facts in rows)
    return triage.hit_rates(judged), len(rows)


def decisions_for_several(project: Project) -> dict[UUID, list[int]]:
    """Return the codes of the decisions that name several categories, by ruling; older events name the first alone."""
    rulings = Adjudication.objects.filter(item__project=project, ruling=Ruling.DECIDE).exclude(categories=[])
    return dict(rulings.values_list("public_id", "categories"))


def _judged(facts: Mapping[str, Any], several: Sequence[int], hateful: Mapping[int, bool]) -> tuple[Side, bool | None]:
    hint, code = facts["hint"], facts.get("category")
    pointed = Side(hint["side"])
    decided = Said.of(codes_of(code, several), hateful.get(code) if code is not None else None)
    lead, said_hateful = hint["people"]
    people = Said.of(codes_of(lead, hint.get("people_categories", ())), said_hateful)  # older hints have one code
    return pointed, triage.was_right(pointed, Said(*hint["verdict"]), people, decided)
