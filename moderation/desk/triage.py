"""Where a model's verdict differs from people: whom its explanation's score speaks for, how often that was right."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.consensus.case_from_rows import case_of, seats_of
from annotation.domain.consensus import Agreed, consensus
from annotation.models import Category, Event, Item, Project, Ruling
from moderation.domain import triage
from moderation.domain.triage import HitRate, Said, Side
from moderation.models import Score
from moderation.models.scores import ScoreSource, ScoreState
from runs.domain.states import RunState
from runs.models import Run

LOOKED_AT = 20
"""The newest scores of an item that are looked through for one that differs."""


@dataclass(frozen=True)
class Pointer:
    """One differing verdict, the score of its explanation, and whom that speaks for."""

    side: Side
    run: Run
    verdict: Said
    people: Said
    score: float

    @property
    def facts(self) -> dict[str, Any]:
        """What the record keeps of it with a decision."""
        return {
            "side": str(self.side),
            "method": self.run.method,
            "run": str(self.run.public_id),
            "verdict": [self.verdict.category, self.verdict.hateful],
            "people": [self.people.category, self.people.hateful],
            "score": self.score,
        }


def pointer(item: Item) -> Pointer | None:
    """Whom the newest score of a differing verdict on the item speaks for; None without a score, or a difference."""
    found = scores_of(item).filter(source=ScoreSource.RUN, about_run__isnull=False)[:LOOKED_AT]
    scores = [(row.about_run, row.score) for row in found if row.about_run is not None and row.score is not None]
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


def scores_of(item: Item) -> QuerySet[Score]:
    """The item's scores that have numbers, newest first."""
    return Score.objects.filter(item=item, state=ScoreState.SCORED).order_by("-pk")


def people_say(item: Item) -> Said:
    """What the votes in force say: the strict majority's category, and hateful or not by its own majority."""
    votes = case_of(item, seats_of(item)).votes
    categories = [vote.category for vote in votes if vote.category is not None]
    if len(categories) < 2 or len(categories) < len(votes):
        return Said(None, None)
    found = consensus(categories)
    return Said(found.category.code if isinstance(found, Agreed) else None, found.binary.hateful)


def verdict_of(run: Run) -> Said:
    """What a run that succeeded said."""
    outcome = run.outcome or {}
    return Said(outcome.get("category"), outcome.get("hateful"))


def hit_rates(project: Project) -> tuple[dict[Side, HitRate], int]:
    """How often each side was right in this project, and of how many decisions in all."""
    events = Event.objects.filter(project=project, verb=Ruling.DECIDE, facts__has_key="hint")
    rows = list(events.values_list("facts", flat=True))
    hateful = dict(Category.objects.filter(project=project).values_list("code", "hateful"))
    return triage.hit_rates(_judged(facts, hateful) for facts in rows), len(rows)


def _judged(facts: Mapping[str, Any], hateful: Mapping[int, bool]) -> tuple[Side, bool | None]:
    hint, code = facts["hint"], facts.get("category")
    pointed = Side(hint["side"])
    decided = Said(code, hateful.get(code) if code is not None else None)
    return pointed, triage.was_right(pointed, Said(*hint["verdict"]), Said(*hint["people"]), decided)
