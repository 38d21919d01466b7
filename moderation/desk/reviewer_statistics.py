"""Figures about reviewers: decisions a day, overturned decisions, agreement with votes, methods and each other."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import F

from annotation.domain.category_sets import SEPARATOR, codes_of
from annotation.domain.choices import Reason
from annotation.domain.statistics.agreement import fleiss_kappa, tally
from annotation.domain.statistics.figure import Figure
from annotation.models import Category, Event, Membership, Project, Ruling
from moderation.debates.presenters import debate_runs
from moderation.desk.triage import decisions_for_several, verdict_of
from moderation.domain.triage import Said, differ
from moderation.models import Appeal, AppealOutcome, Opinion, Proposal
from runs.domain.states import RunState
from runs.models import Run

RULINGS = (Ruling.DECIDE, Ruling.EXCLUDE, Ruling.NEW_ROUND, Ruling.MORE_SEATS)
UNDEFINED = "undefined"


@dataclass
class HitShare:
    """A number of hits, and the number of all cases."""

    hits: int = 0
    of: int = 0

    def count(self, hit: bool) -> None:
        """Count one case, and whether it is a hit."""
        self.hits += hit
        self.of += 1

    @property
    def share(self) -> float | None:
        """The share of hits, 0 to 1; None if nothing was counted."""
        return self.hits / self.of if self.of else None


@dataclass
class Person:
    """One reviewer's decisions: number per day, number per ruling, how many were overturned or agree with the votes."""

    pseudonym: str
    by_day: dict[str, int] = field(default_factory=dict)
    rulings: dict[str, int] = field(default_factory=dict)
    overturned: HitShare = field(default_factory=HitShare)
    with_votes: HitShare = field(default_factory=HitShare)


@dataclass
class Table:
    """Shares by reason and by difficulty."""

    all: HitShare = field(default_factory=HitShare)
    by_reason: dict[str, HitShare] = field(
        default_factory=dict
    )  # plain dicts: a template would ask a defaultdict for "items"
    by_difficulty: dict[str, HitShare] = field(default_factory=dict)

    def count(self, hit: bool, reasons: Sequence[str], difficulty: str) -> None:
        """Count one decision; it counts once for each reason of the dispute."""
        self.all.count(hit)
        self.by_difficulty.setdefault(difficulty, HitShare()).count(hit)
        for reason in reasons:
            self.by_reason.setdefault(reason, HitShare()).count(hit)


@dataclass
class Persuaded:
    """Opinions recorded before the debates: how many decisions differ from them, and how many moved to a verdict."""

    opinions: int = 0
    changed: int = 0
    towards: int = 0
    """Changed to the category of a verdict, or to several with it."""
    away: int = 0
    """Changed although a verdict had the category of the opinion."""


@dataclass
class Figures:
    """All figures of the page."""

    people: list[Person]
    votes: Table
    methods: dict[str, Table]
    between: Figure
    pairs: int
    alike: int
    persuaded: Persuaded


class _Event(NamedTuple):
    """An event of a ruling, with what is asked about its item. Thousands are read: a model takes four times as long."""

    pk: int
    actor: int
    verb: str
    row: UUID
    facts: dict[str, Any]
    at: datetime
    item: int | None
    item_public_id: UUID | None
    difficulty: str | None


@dataclass(frozen=True)
class _Decision:
    """A decision for a category, or for several."""

    event: _Event
    item: int
    codes: tuple[int, ...]
    reasons: tuple[str, ...]

    @property
    def difficulty(self) -> str:
        return self.event.difficulty or UNDEFINED


def figures(project: Project) -> Figures:
    """Return the project's present figures."""
    columns = ("pk", "actor", "verb", "row", "facts", "at", "item", "item__public_id", "item__difficulty")
    rulings = Event.objects.filter(project=project, verb__in=RULINGS, actor__isnull=False).order_by("at", "pk")
    events = list(map(_Event._make, rulings.values_list(*columns)))
    several = decisions_for_several(project)
    decisions = [decision for event in events if (decision := _decision(event, several)) is not None]
    names = dict(Membership.objects.filter(project=project).values_list("pk", "pseudonym"))
    people = _people(events, decisions, _overturned(project, decisions), names)
    votes, methods = Table(), defaultdict[str, Table](Table)
    runs = _runs(project, decisions)
    hateful = dict(Category.objects.filter(project=project).values_list("code", "hateful"))
    for decision in decisions:
        _with_votes(decision, votes, people[decision.event.actor])
        for run in _newest_before(decision, runs):
            verdict = verdict_of(run)
            if verdict.category is not None or verdict.hateful is not None:
                same = not differ(verdict, Said.of(decision.codes, hateful[decision.codes[0]]))
                methods[run.method].count(same, decision.reasons, decision.difficulty)
    between, pairs, alike = _between(project)
    return Figures(
        sorted(people.values(), key=lambda person: person.pseudonym),
        votes,
        dict(methods),
        between,
        pairs,
        alike,
        _persuaded(project, decisions, runs),
    )


def _decision(event: _Event, several: Mapping[UUID, Sequence[int]]) -> _Decision | None:
    code = event.facts.get("category")
    if event.verb != Ruling.DECIDE or code is None or event.item is None:
        return None
    return _Decision(
        event, event.item, codes_of(code, several.get(event.row, ())), tuple(event.facts.get("reasons", ()))
    )


def _people(
    events: Iterable[_Event], decisions: Iterable[_Decision], lost: frozenset[int], names: Mapping[Any, str]
) -> dict[Any, Person]:
    people: dict[Any, Person] = {}
    for event in events:
        person = people.setdefault(event.actor, Person(names[event.actor]))
        for counted, name in ((person.by_day, f"{event.at:%Y-%m-%d}"), (person.rulings, event.verb)):
            counted[name] = counted.get(name, 0) + 1
    for decision in decisions:
        people[decision.event.actor].overturned.count(decision.event.pk in lost)
    return people


def _overturned(project: Project, decisions: Sequence[_Decision]) -> frozenset[int]:
    """Return the keys of the decisions that an appeal overturned or that differ from the item's last decision."""
    appealed = set(
        Appeal.objects.filter(item__project=project, outcome=AppealOutcome.OVERTURNED, against__isnull=False)
        .values_list("against__public_id", flat=True)
    )  # fmt: skip
    last = {decision.item: decision.codes for decision in decisions}
    return frozenset(
        decision.event.pk
        for decision in decisions
        if decision.event.row in appealed or last[decision.item] != decision.codes
    )


def _with_votes(decision: _Decision, table: Table, person: Person) -> None:
    """Compare a decision with the categories of the votes, if the votes had any and nobody had decided before."""
    facts = decision.event.facts
    before = codes_of(facts.get("before"), facts.get("before_categories", ()))  # older events have one code
    if not before or facts.get("stage") != "disputed" or Reason.APPEAL in decision.reasons:
        return
    table.count(before == decision.codes, decision.reasons, decision.difficulty)
    person.with_votes.count(before == decision.codes)


def _runs(project: Project, decisions: Sequence[_Decision]) -> dict[Any, list[Run]]:
    """Return the finished runs of the decided items, newest first."""
    verdicts: dict[Any, list[Run]] = defaultdict(list)
    decided = {decision.event.item_public_id for decision in decisions}
    for run in debate_runs(project).filter(state=RunState.SUCCEEDED).defer("options", "model_plan"):
        if run.subject in decided:
            verdicts[run.subject].append(run)
    return verdicts


def _newest_before(decision: _Decision, runs: dict[Any, list[Run]]) -> list[Run]:
    """Return the newest verdict of each method that existed at the time of the decision."""
    newest: dict[str, Run] = {}
    for run in runs.get(decision.event.item_public_id, ()):
        if run.finished_at is not None and run.finished_at <= decision.event.at:
            newest.setdefault(run.method, run)
    return list(newest.values())


def _between(project: Project) -> tuple[Figure, int, int]:
    """Return Fleiss' kappa between first and second reviewers, the number of pairs, and how many pairs agree."""
    rows = Proposal.objects.filter(item__project=project, place__lte=2).annotate(code=F("category__code"))
    pairs: dict[tuple[int, int], list[str]] = defaultdict(list)
    for row in rows.order_by("place"):
        named = SEPARATOR.join(map(str, codes_of(row.code, row.categories)))
        pairs[row.item_id, row.item_version].append(named or row.ruling)
    both = [pair for pair in pairs.values() if len(pair) == 2]
    names = sorted({name for pair in both for name in pair})
    table = tally(([names.index(name) for name in pair] for pair in both), max(len(names), 1))
    return fleiss_kappa(table, 2), len(both), sum(first == second for first, second in both)


def _persuaded(project: Project, decisions: Sequence[_Decision], runs: dict[Any, list[Run]]) -> Persuaded:
    views = {
        (view.item_id, view.reviewer_id): view
        for view in Opinion.objects.filter(item__project=project).select_related("category")
    }
    persuaded = Persuaded()
    for decision in decisions:
        view = views.pop((decision.item, decision.event.actor), None)
        if view is None:
            continue
        verdicts = [verdict_of(run).category for run in _newest_before(decision, runs)]
        persuaded.opinions += 1
        if view.category.code not in decision.codes:
            persuaded.changed += 1
            persuaded.towards += not set(decision.codes).isdisjoint(verdicts)
            persuaded.away += view.category.code in verdicts
    return persuaded
