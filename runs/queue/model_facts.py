"""What was learnt of models from their servers' refusals, stored so that every process and the next start know it.

The models' threads learn and have no database: the thread that performs a run stores what is new, and reads what other
processes learnt.
"""

import logging
import time
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, transaction

from providers.learnt_facts import LearntFact, LearntFacts, site_facts
from providers.profiles import Fact, Lesson
from runs.models import ModelFact

log = logging.getLogger(__name__)

_REFRESH_SECONDS = 60.0


@dataclass(frozen=True)
class StoredFact:
    """A fact as people see it: the model's name, what was learnt, the server's sentence, and when."""

    name: str
    lesson: Lesson
    sentence: str
    learnt_at: datetime


class Reading:
    """When this process last read the stored facts; None: never."""

    at: float | None = None


def store_new_facts(facts: LearntFacts = site_facts) -> None:
    """Store what this process learnt since the last call; if the database is away, keep it for the next call."""
    if not facts.has_new:
        return
    new = facts.take_new()
    try:
        with transaction.atomic():
            for fact in new:
                _store(fact)
    except DatabaseError as fault:  # the answer that taught it was paid for and matters more
        log.warning("what was learnt of models waits for the database (%s)", type(fault).__name__)
        facts.give_back(new)


def refresh_facts(facts: LearntFacts = site_facts) -> None:
    """Read what all processes learnt, at most once a minute."""
    now = time.monotonic()
    if Reading.at is not None and now < Reading.at + _REFRESH_SECONDS:
        return
    Reading.at = now
    facts.know(LearntFact(fact.name, fact.lesson, fact.sentence) for fact in stored_facts())


def stored_facts() -> list[StoredFact]:
    """Return what was learnt of all models, oldest first, without kinds of facts that this version does not know."""
    return [
        StoredFact(row.name, Lesson(Fact(row.fact), row.value), row.sentence, row.learnt_at)
        for row in ModelFact.objects.order_by("learnt_at", "pk")
        if row.fact in set(Fact)
    ]


def forget_model(name: str, facts: LearntFacts = site_facts) -> int:
    """Delete what was learnt of one model, so that it is asked in full again. Return how many facts there were."""
    deleted = ModelFact.objects.filter(name=name).delete()[0]
    Reading.at = None
    refresh_facts(facts)
    return deleted


def _store(fact: LearntFact) -> None:
    """Store one fact in place of those that it replaces; nothing if another process stored more."""
    same_kind = ModelFact.objects.filter(name=fact.name, fact=fact.lesson.fact)
    stored = [Lesson(fact.lesson.fact, value) for value in same_kind.values_list("value", flat=True)]
    if any(map(fact.lesson.is_told_by, stored)):
        return
    if fact.lesson.fact is not Fact.REJECTS:
        same_kind.exclude(value=fact.lesson.value).delete()
    ModelFact.objects.get_or_create(
        name=fact.name[:200],
        fact=fact.lesson.fact,
        value=fact.lesson.value[:80],
        defaults={"sentence": fact.sentence.replace("\x00", "")[:300]},
    )
