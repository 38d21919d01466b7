"""A campaign whose observer looks for the checks among their posts, and what such an observer can go by."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import builders
from annotation.assignment import claim
from annotation.assignment.check_state import final_checks_of
from annotation.assignment.outcomes import HeldSeat, Stored
from annotation.assignment.seat_lookup import can_change_label
from annotation.batches.open_items import open_items
from annotation.domain.answer import Answer
from annotation.domain.choices import Stage
from annotation.labelling import submit
from annotation.models import Item, Membership, Project, Seat
from annotation.training.control_items import KnownAnswerKey, mark_control_item

Z_99 = 2.576


@dataclass
class Hunt:
    """One observer among others, and whether each of their labels could be changed at each look at their history."""

    project: Project
    observer: Membership
    others: Sequence[Membership]
    posts: list[UUID] = field(default_factory=list)
    """The seats that the observer labelled, in order."""
    looks: list[dict[UUID, bool]] = field(default_factory=list)
    """At each look: whether the label at the seat may still be changed."""

    def work(self, member: Membership, labels: int, *, every: int = 0) -> int:
        """Let the member label up to so many posts; look at the history after `every` of them. Return how many."""
        for number in range(1, labels + 1):
            outcome = claim.claim(member)
            if not isinstance(outcome, HeldSeat):
                return number - 1
            seat = outcome.seat
            stored = submit.submit_label(member, seat.public_id, uuid4(), Answer(category=number % 2))
            assert isinstance(stored, Stored)
            if member == self.observer:
                self.posts.append(seat.public_id)
            if every and number % every == 0:
                self.look()
        return labels

    def work_together(self, members: Sequence[Membership], labels: int, *, every: int) -> None:
        """Let these people label in turn, as chance has it, up to so many posts together."""
        left, done = list(members), 0
        while left and done < labels:
            member = random.choice(left)
            if not self.work(member, 1):
                left.remove(member)
                continue
            done += 1
            if done % every == 0:
                self.look()

    def look(self) -> None:
        rows = Seat.objects.filter(annotator=self.observer, label__isnull=False).select_related("item")
        final = final_checks_of(self.observer)
        self.looks.append({seat.public_id: can_change_label(seat, final) for seat in rows})

    def checks(self) -> set[UUID]:
        """Return the observer's seats at checks."""
        seats = Seat.objects.filter(annotator=self.observer, item__stage=Stage.KNOWN)
        return set(seats.values_list("public_id", flat=True))


def begin_hunt(seed: int, *, posts: int = 180, checks: int = 23, people: int = 3, **fields: object) -> Hunt:
    """Return a campaign that has not begun, with everything that chance decides set by the seed."""
    random.seed(seed)
    settings: dict[str, object] = {"check_percent": 11, "severe_in_row": 0, "seats": 3, "influence_seed": str(seed)}
    project = builders.make_project(f"hunt-{seed}", **(settings | fields))
    chance = random.Random(seed)
    members = [builders.make_member(project, public_id=UUID(int=chance.getrandbits(128))) for _ in range(people)]
    items = [builders.make_item(project, f"Post {number}.") for number in range(posts + checks)]
    known = set(chance.sample([item.pk for item in items], checks))
    for item in items:
        if item.pk in known:
            mark_control_item(item, None, KnownAnswerKey(builders.category(project, 1)))
        else:
            Item.objects.filter(pk=item.pk).update(stage=Stage.READY, seats=project.seats)
    open_items(project)
    return Hunt(project, members[0], members[1:])


# ── What an observer goes by ──────────────────────────────────────────────────


@dataclass(frozen=True)
class Traces:
    """What the looks tell of the posts, by their places in the order of labelling."""

    closed_at: Sequence[float]
    """The look at which the post was first seen final; infinite if it never was."""
    first_seen: Sequence[int]


def traces(posts: Sequence[UUID], looks: Sequence[dict[UUID, bool]]) -> Traces:
    """Return what the looks tell of the posts."""
    closed: list[float] = []
    first: list[int] = []
    for post in posts:
        seen = [number for number, look in enumerate(looks) if post in look]
        final = [number for number in seen if not looks[number][post]]
        first.append(seen[0])
        closed.append(final[0] if final else math.inf)
    return Traces(closed, first)


def _company(found: Traces, reach: int) -> list[float]:
    """Whether posts labelled nearby closed in the same look (and not before they were first seen)."""
    closed = found.closed_at
    scores = []
    for place, moment in enumerate(closed):
        near = [p for p in range(place - reach, place + reach + 1) if p != place and 0 <= p < len(closed)]
        scores.append(sum(closed[p] == moment for p in near) / len(near))
    return scores


def _with_the_one_before(found: Traces) -> list[float]:
    closed = found.closed_at
    return [float(place > 0 and closed[place] == closed[place - 1]) for place in range(len(closed))]


def _size(found: Traces) -> list[float]:
    return [float(found.closed_at.count(moment)) for moment in found.closed_at]


def _gap_before(found: Traces) -> list[float]:
    moments = sorted({moment for moment in found.closed_at if moment < math.inf})
    before = dict(zip(moments[1:], moments, strict=False))
    return [moment - before.get(moment, moment) if moment < math.inf else -1.0 for moment in found.closed_at]


def _gap_after(found: Traces) -> list[float]:
    moments = sorted({moment for moment in found.closed_at if moment < math.inf})
    after = dict(zip(moments, moments[1:], strict=False))
    return [after.get(moment, moment) - moment if moment < math.inf else -1.0 for moment in found.closed_at]


def _after_one_nearby(found: Traces) -> list[float]:
    """How soon after a post labelled just before it each post closed."""
    closed = found.closed_at
    scores = []
    for place, moment in enumerate(closed):
        waits = [moment - closed[p] for p in range(max(0, place - 16), place) if closed[p] < moment < math.inf]
        scores.append(-min(waits, default=99.0))
    return scores


PREDICTORS: dict[str, Callable[[Traces], list[float]]] = {
    "moment of closing": lambda found: list(found.closed_at),
    "time until it closed": lambda found: [c - f for c, f in zip(found.closed_at, found.first_seen, strict=True)],
    "closed at once": lambda found: [float(c == f) for c, f in zip(found.closed_at, found.first_seen, strict=True)],
    "never closed": lambda found: [float(c == math.inf) for c in found.closed_at],
    "closes with the post before": _with_the_one_before,
    "closes with posts nearby": lambda found: _company(found, 8),
    "closes soon after one nearby": _after_one_nearby,
    "number that close together": _size,
    "pause before": _gap_before,
    "pause after": _gap_after,
    "order": lambda found: [float(place) for place in range(len(found.closed_at))],
}


def auc(scores: Sequence[float], marked: Sequence[bool]) -> tuple[float, float]:
    """Return the chance that a check scores higher than another post, and half the 99 % interval of no difference."""
    order = sorted(range(len(scores)), key=lambda place: scores[place])
    ranks = [0.0] * len(scores)
    start, ties = 0, 0.0
    while start < len(order):
        end = start
        while end < len(order) and scores[order[end]] == scores[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + end + 1) / 2
        ties += (end - start) ** 3 - (end - start)
        start = end
    n, m = sum(marked), len(marked) - sum(marked)
    total = n + m
    spread = math.sqrt(n * m / 12 * ((total + 1) - ties / (total * (total - 1)))) / (n * m)
    won = sum(rank for rank, mark in zip(ranks, marked, strict=True) if mark) - n * (n + 1) / 2
    return won / (n * m), Z_99 * spread


def findings(hunt: Hunt, looks: Sequence[dict[UUID, bool]] | None = None) -> Iterator[tuple[str, float, float]]:
    """Return how well each predictor tells checks, and how far from a half chance alone leads in 99 of 100 cases."""
    found, checks = traces(hunt.posts, hunt.looks if looks is None else looks), hunt.checks()
    marked = [post in checks for post in hunt.posts]
    for name, score in PREDICTORS.items():
        yield name, *auc(score(found), marked)


def told(hunts: Sequence[Hunt], looks: Sequence[dict[UUID, bool]] | None = None, *, allowed: float = 0.0) -> list[str]:
    """Return the predictors that do better than chance, or worse, over these campaigns together, and by how much."""
    figures: dict[str, list[tuple[float, float]]] = {}
    for hunt in hunts:
        for name, value, chance in findings(hunt, looks):
            figures.setdefault(name, []).append((value, chance))
    better = []
    for name, values in figures.items():
        mean = sum(value for value, _ in values) / len(values)
        interval = math.sqrt(sum(chance**2 for _, chance in values)) / len(values)
        if abs(mean - 0.5) > interval + allowed:
            better.append(f"{name}: {mean:.2f} ± {interval:.2f}")
    return better
