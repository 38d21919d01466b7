"""Results of training and of checks: by person and by item for admins, and one's own.

A check is an item with a known answer that is mixed in and looks like any other; only labels in force with a category
count. What people read about their own checks ends with the day before, so that nobody learns from a changed count
which post was one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from annotation.domain.choices import Reason, Stage
from annotation.domain.statistics.annotator_quality import Rate
from annotation.domain.training import ItemFigure, Mark, item_figures
from annotation.models import KnownAnswer, Membership, Project, Seat, TrainingAnswer, TrainingAttempt


@dataclass(frozen=True)
class PersonResult:
    """An annotator's training and checks; `checks` is None where there were none."""

    member: Membership
    attempts: Sequence[TrainingAttempt]
    checks: Rate | None

    @property
    def marks(self) -> list[Mark]:
        """Of the finished attempts, oldest first."""
        return [attempt_mark(attempt) for attempt in self.attempts if attempt.finished_at is not None]

    @property
    def under_way(self) -> bool:
        return any(attempt.finished_at is None for attempt in self.attempts)


@dataclass(frozen=True)
class OwnResults:
    """A member's own results: each training answer of the newest attempt, and sums."""

    answers: Sequence[TrainingAnswer]
    right: int
    n: int
    """Training posts answered (in all attempts) and checks answered before today, together."""
    checks_right: int
    checks: int


def attempt_mark(attempt: TrainingAttempt) -> Mark:
    """Return the mark of a finished attempt."""
    return Mark(attempt.correct, attempt.answered, attempt.total)


def people_results(project: Project) -> list[PersonResult]:
    """Return annotators with an account, by pseudonym; those who left only if they have results."""
    members = Membership.objects.filter(project=project, user__isnull=False, annotates=True).order_by("pseudonym")
    rows = TrainingAttempt.objects.filter(member__project=project).order_by("member_id", "number")
    attempts = {member: tuple(of) for member, of in groupby(rows, key=attrgetter("member_id"))}
    checks = _checks(Seat.objects.filter(item__project=project))
    return [
        PersonResult(member, attempts.get(member.pk, ()), checks.get(member.pk))
        for member in members
        if member.active or member.pk in attempts or member.pk in checks
    ]


def results_table(project: Project) -> Iterator[list[str]]:
    """Yield the results by person as rows of text, the header first."""
    yield ["annotator", "trained_at", "attempts", "best_mark", "last_mark", "last_answered", "last_skipped"] + [
        *("checks_answered", "checks_right", "share_right", "share_low", "share_high")
    ]
    for each in people_results(project):
        marks, trained = each.marks, each.member.trained_at
        last = marks[-1] if marks else None
        yield [
            each.member.pseudonym,
            trained.date().isoformat() if trained else "",
            str(len(each.attempts)),
            f"{max(mark.percent for mark in marks):.1f}" if marks else "",
            f"{last.percent:.1f}" if last else "",
            str(last.answered) if last else "",
            str(last.total - last.answered) if last else "",
            *_share(each.checks),
        ]


def known_items(project: Project) -> QuerySet[KnownAnswer]:
    """Return the items with a known answer, those in use first, training before checks; taken out ones left out."""
    rows = KnownAnswer.objects.filter(item__project=project, item__stage=Stage.KNOWN)
    return rows.select_related("item", "category").order_by("-active", "-training", "item__external_id")


@dataclass(frozen=True)
class KnownCounts:
    """Items with a known answer by what they are for; `resting` ones are not in use."""

    training: int
    checks: int
    resting: int


def count_control_items(project: Project) -> KnownCounts:
    """How many items of the project have a known answer."""
    rows = KnownAnswer.objects.filter(item__project=project, item__stage=Stage.KNOWN)
    found = rows.aggregate(
        n_training=Count("pk", filter=Q(active=True, training=True)),
        n_checks=Count("pk", filter=Q(active=True, training=False)),
        n_resting=Count("pk", filter=Q(active=False)),
    )
    return KnownCounts(found["n_training"], found["n_checks"], found["n_resting"])


def control_item_figures(known: Sequence[KnownAnswer]) -> dict[int, ItemFigure]:
    """Return the figures of these items by primary key, training and checks together; skips are not counted."""
    keys = {each.item_id: each.category_id for each in known}
    training = TrainingAnswer.objects.filter(item__in=keys, skipped=False)
    unseen = Seat.objects.filter(item__in=keys, label__isnull=False)
    given: list[tuple[int, int | None, int]] = [
        *training.values_list("item_id", "category_id").annotate(n=Count("pk")).order_by(),
        *unseen.values_list("item_id", "label__category_id").annotate(n=Count("pk")).order_by(),
    ]
    return item_figures(given, keys)


def own_totals(member: Membership) -> tuple[int, int]:
    """Return right answers and all answers of the member in training and checks; today's checks count tomorrow."""
    said = Counter(
        TrainingAnswer.objects.filter(attempt__member=member, skipped=False).values_list("correct", flat=True)
    )
    checks = _own_checks(member)
    return (said[True] + checks.part, said.total() + checks.n) if checks else (said[True], said.total())


def own_results(member: Membership) -> OwnResults:
    """Return the member's own results; checks of today are left for tomorrow."""
    rows = TrainingAnswer.objects.filter(attempt__member=member).order_by("attempt__number", "at", "pk")
    answers = list(rows.select_related("attempt", "category", "item__known_answer__category"))
    checks = _own_checks(member)
    right, n = (checks.part, checks.n) if checks else (0, 0)
    said = Counter(answer.correct for answer in answers if not answer.skipped)
    last = answers[-1].attempt_id if answers else None
    return OwnResults(
        answers=[each for each in answers if each.attempt_id == last and each.item.excluded_for != Reason.REPORTED],
        right=said[True] + right,
        n=said.total() + n,
        checks_right=right,
        checks=n,
    )


def _own_checks(member: Membership) -> Rate | None:
    morning = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    return _checks(Seat.objects.filter(annotator=member), before=morning).get(member.pk)


def _checks(seats: QuerySet[Seat], before: datetime | None = None) -> dict[int, Rate]:
    """By annotator: right answers among those with a category to items that were mixed in."""
    asked = seats.filter(
        item__stage=Stage.KNOWN, item__known_answer__training=False, label__category__isnull=False
    ).order_by()
    if before is not None:
        asked = asked.filter(filled_at__lt=before)
    right = asked.filter(label__category=F("item__known_answer__category"))
    rights = dict(_counted(right))
    return {who: Rate(rights.get(who, 0), n) for who, n in _counted(asked)}


def _counted(seats: QuerySet[Seat]) -> Iterable[tuple[int, int]]:
    return seats.values_list("annotator_id").annotate(n=Count("pk"))


def _share(checks: Rate | None) -> list[str]:
    if checks is None:
        return ["0", "0", "", "", ""]
    shares = (checks.value, checks.interval.low, checks.interval.high)
    return [str(checks.n), str(checks.part), *(f"{share:.4f}" for share in shares)]
