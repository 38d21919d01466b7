"""What reviewers did and how far it held: pace, overturned decisions, agreement with votes, methods and each other."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F

from annotation.domain.choices import Reason
from annotation.domain.statistics.agreement import Figure, fleiss_kappa, tally
from annotation.models import Category, Event, Item, Membership, Project, Ruling
from moderation.debates.presenters import debate_runs
from moderation.desk.triage import verdict_of
from moderation.models import Appeal, AppealOutcome, Opinion, Proposal
from runs.domain.states import RunState
from runs.models import Run

RULINGS = (Ruling.DECIDE, Ruling.EXCLUDE, Ruling.NEW_ROUND, Ruling.MORE_SEATS)
UNDEFINED = "undefined"


@dataclass
class Share:
    """So many of so many."""

    hits: int = 0
    of: int = 0

    def count(self, hit: bool) -> None:
        """One more, and whether it is a hit."""
        self.hits += hit
        self.of += 1

    @property
    def share(self) -> float | None:
        """Nothing where nothing was counted."""
        return self.hits / self.of if self.of else None


@dataclass
class Person:
    """One reviewer's decisions: how many a day, of which kind, and how many of them did not hold."""

    pseudonym: str
    by_day: dict[str, int] = field(default_factory=dict)
    rulings: dict[str, int] = field(default_factory=dict)
    overturned: Share = field(default_factory=Share)
    with_votes: Share = field(default_factory=Share)


@dataclass
class Table:
    """Shares by reason and by difficulty."""

    all: Share = field(default_factory=Share)
    by_reason: dict[str, Share] = field(default_factory=dict)  # plain ones: templates ask a dict for its "items"
    by_difficulty: dict[str, Share] = field(default_factory=dict)

    def count(self, hit: bool, reasons: Sequence[str], difficulty: str) -> None:
        """One decision; it counts once for each reason the item was disputed for."""
        self.all.count(hit)
        self.by_difficulty.setdefault(difficulty, Share()).count(hit)
        for reason in reasons:
            self.by_reason.setdefault(reason, Share()).count(hit)


@dataclass
class Persuaded:
    """Of the views that reviewers wrote down before the debates: how many changed, how many of those to a verdict."""

    opinions: int = 0
    changed: int = 0
    towards: int = 0
    """Changed, to what the newest verdict said."""
    away: int = 0
    """Changed, although the newest verdict had said the same."""


@dataclass
class Figures:
    """The whole page."""

    people: list[Person]
    votes: Table
    methods: dict[str, Table]
    between: Figure
    pairs: int
    alike: int
    persuaded: Persuaded


@dataclass(frozen=True)
class _Decision:
    """A decision for a category, as its event tells of it."""

    event: Event
    item: Item
    code: int
    reasons: tuple[str, ...]

    @property
    def difficulty(self) -> str:
        return self.item.difficulty or UNDEFINED


def figures(project: Project) -> Figures:
    """The project's figures as of now."""
    events = list(
        Event.objects.filter(project=project, verb__in=RULINGS, actor__isnull=False)
        .select_related("actor", "item")
        .order_by("at", "pk")
    )
    decisions = [made for event in events if (made := _decision(event)) is not None]
    people = _people(events, decisions, _overturned(project, decisions))
    votes, methods = Table(), defaultdict[str, Table](Table)
    runs = _runs(project, decisions)
    hateful = dict(Category.objects.filter(project=project).values_list("code", "hateful"))
    for made in decisions:
        _with_votes(made, votes, people[made.event.actor_id])
        for run in _newest_before(made, runs):
            said = verdict_of(run)
            if said.category is not None or said.hateful is not None:
                same = said.category == made.code if said.category is not None else said.hateful == hateful[made.code]
                methods[run.method].count(same, made.reasons, made.difficulty)
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


def _decision(event: Event) -> _Decision | None:
    code, item = event.facts.get("category"), event.item
    if event.verb != Ruling.DECIDE or code is None or item is None:
        return None
    return _Decision(event, item, code, tuple(event.facts.get("reasons", ())))


def _people(events: Iterable[Event], decisions: Iterable[_Decision], lost: frozenset[int]) -> dict[Any, Person]:
    people: dict[Any, Person] = {}
    for event in events:
        actor = event.actor
        assert isinstance(actor, Membership)
        person = people.setdefault(actor.pk, Person(str(actor)))
        for counted, name in ((person.by_day, f"{event.at:%Y-%m-%d}"), (person.rulings, event.verb)):
            counted[name] = counted.get(name, 0) + 1
    for made in decisions:
        people[made.event.actor_id].overturned.count(made.event.pk in lost)
    return people


def _overturned(project: Project, decisions: Sequence[_Decision]) -> frozenset[int]:
    """The decisions that did not hold: an appeal overturned them, or a later decision says something else."""
    appealed = set(
        Appeal.objects.filter(item__project=project, outcome=AppealOutcome.OVERTURNED, against__isnull=False)
        .values_list("against__public_id", flat=True)
    )  # fmt: skip
    last: dict[int, int] = {made.item.pk: made.code for made in decisions}
    return frozenset(
        made.event.pk for made in decisions if made.event.row in appealed or last[made.item.pk] != made.code
    )


def _with_votes(made: _Decision, table: Table, person: Person) -> None:
    """Compare with the majority of the votes, where there was one and nobody had decided before."""
    before = made.event.facts.get("before")
    if before is None or made.event.facts.get("stage") != "disputed" or Reason.APPEAL in made.reasons:
        return
    table.count(before == made.code, made.reasons, made.difficulty)
    person.with_votes.count(before == made.code)


def _runs(project: Project, decisions: Sequence[_Decision]) -> dict[Any, list[Run]]:
    """The verdicts of the decided items, newest first."""
    found: dict[Any, list[Run]] = defaultdict(list)
    wanted = {made.item.public_id for made in decisions}
    for run in debate_runs(project).filter(state=RunState.SUCCEEDED).defer("options", "model_plan"):
        if run.subject in wanted:
            found[run.subject].append(run)
    return found


def _newest_before(made: _Decision, runs: dict[Any, list[Run]]) -> list[Run]:
    """The newest verdict of each method that was there when the decision was made."""
    newest: dict[str, Run] = {}
    for run in runs.get(made.item.public_id, ()):
        if run.finished_at is not None and run.finished_at <= made.event.at:
            newest.setdefault(run.method, run)
    return list(newest.values())


def _between(project: Project) -> tuple[Figure, int, int]:
    """Fleiss' kappa between first and second reviewers, over the pairs there are, and how many of them agree."""
    rows = Proposal.objects.filter(item__project=project, place__lte=2).annotate(code=F("category__code"))
    pairs: dict[tuple[int, int], list[str]] = defaultdict(list)
    for row in rows.order_by("place"):
        pairs[row.item_id, row.item_version].append(row.ruling if row.category_id is None else str(row.code))
    both = [pair for pair in pairs.values() if len(pair) == 2]
    names = sorted({name for pair in both for name in pair})
    counted = tally(([names.index(name) for name in pair] for pair in both), max(len(names), 1))
    return fleiss_kappa(counted, 2), len(both), sum(one == other for one, other in both)


def _persuaded(project: Project, decisions: Sequence[_Decision], runs: dict[Any, list[Run]]) -> Persuaded:
    views = {
        (view.item_id, view.reviewer_id): view
        for view in Opinion.objects.filter(item__project=project).select_related("category")
    }
    found = Persuaded()
    for made in decisions:
        view = views.pop((made.item.pk, made.event.actor_id or 0), None)
        if view is None:
            continue
        said = [verdict_of(run).category for run in _newest_before(made, runs)]
        found.opinions += 1
        if view.category.code != made.code:
            found.changed += 1
            found.towards += made.code in said
            found.away += view.category.code in said
    return found
