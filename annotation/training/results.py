"""Results of training and of checks: by person and by item for admins, and one's own.

A check is an item with a known answer that is mixed in and looks like any other. It counts by the first label that a
person gave: what is changed later changes no count. What people read about their own checks ends with the day before
and grows by five at a time, so that nobody learns from a changed count which post was one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Reason, Stage
from annotation.domain.statistics.annotator_quality import Rate
from annotation.domain.training import ItemFigure, Mark, item_figures
from annotation.models import KnownAnswer, Label, Membership, Project, TrainingAnswer, TrainingAttempt

OWN_CHECKS = 5
"""Of so many checks a person reads a figure at a time."""


_ANSWER_COLUMNS = ("category__code", "categories")
_KNOWN_COLUMNS = ("item__known_answer__category__code", "item__known_answer__categories")


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
    checks = check_rates(project)
    return [
        PersonResult(member, attempts.get(member.pk, ()), checks.get(member.pk))
        for member in members
        if member.active or member.pk in attempts or member.pk in checks
    ]


def results_table(project: Project) -> Iterator[list[str]]:
    """Yield the results by person as rows of text, the header first; a mark does not say how much was skipped."""
    yield ["annotator", "trained_at", "attempts", "best_mark", "last_mark"] + [
        *("checks_answered", "checks_right", "share_right", "share_low", "share_high")
    ]
    for result in people_results(project):
        marks, trained = result.marks, result.member.trained_at
        last = marks[-1] if marks else None
        yield [
            result.member.pseudonym,
            trained.date().isoformat() if trained else "",
            str(len(result.attempts)),
            f"{max(mark.percent for mark in marks):.1f}" if marks else "",
            f"{last.percent:.1f}" if last else "",
            *_share(result.checks),
        ]


KEY = "item__public_id"
"""The public id by which a known answer is found in its list."""


def known_items(project: Project) -> QuerySet[KnownAnswer]:
    """Return the items with a known answer, those in use first, training before checks; taken out ones left out."""
    rows = KnownAnswer.objects.filter(item__project=project, item__stage=Stage.KNOWN)
    return rows.select_related("item", "category").order_by("-active", "-training", "item__external_id")


@dataclass(frozen=True)
class KnownCounts:
    """Posts with a known answer by what they are for; those that rest are not in use."""

    training: int
    checks: int
    resting: int


def count_control_items(project: Project) -> KnownCounts:
    """How many items of the project have a known answer."""
    rows = KnownAnswer.objects.filter(item__project=project, item__stage=Stage.KNOWN)
    counts = rows.aggregate(
        n_training=Count("pk", filter=Q(active=True, training=True)),
        n_checks=Count("pk", filter=Q(active=True, training=False)),
        n_resting=Count("pk", filter=Q(active=False)),
    )
    return KnownCounts(counts["n_training"], counts["n_checks"], counts["n_resting"])


def control_item_figures(known: Sequence[KnownAnswer]) -> dict[int, ItemFigure]:
    """Return the figures of these items by primary key, training and checks together; skips are not counted."""
    keys = {known_answer.item_id: known_answer.codes for known_answer in known}
    training = TrainingAnswer.objects.filter(item__in=keys, skipped=False)
    unseen = Label.objects.filter(item__in=keys, revision=1, seat__annotator=F("annotator"), seat__label__isnull=False)
    given = [
        *training.values_list("item_id", *_ANSWER_COLUMNS).annotate(n=Count("pk")).order_by(),
        *unseen.values_list("item_id", *_ANSWER_COLUMNS).annotate(n=Count("pk")).order_by(),
    ]
    return item_figures([(item, codes_of(lead, stored), n) for item, lead, stored, n in given], keys)


def own_totals(member: Membership) -> tuple[int, int]:
    """Return right answers and all answers of the member in training and checks; today's checks count tomorrow."""
    by_correctness = Counter(
        TrainingAnswer.objects.filter(attempt__member=member, skipped=False).values_list("correct", flat=True)
    )
    checks = _own_checks(member)
    return (
        (by_correctness[True] + checks.part, by_correctness.total() + checks.n)
        if checks
        else (by_correctness[True], by_correctness.total())
    )


def own_results(member: Membership) -> OwnResults:
    """Return the member's own results; checks of today are left for tomorrow."""
    rows = TrainingAnswer.objects.filter(attempt__member=member).order_by("attempt__number", "at", "pk")
    answers = list(rows.select_related("attempt", "category", "item__known_answer__category"))
    checks = _own_checks(member)
    right, n = (checks.part, checks.n) if checks else (0, 0)
    by_correctness = Counter(answer.correct for answer in answers if not answer.skipped)
    last = answers[-1].attempt_id if answers else None
    return OwnResults(
        answers=[
            answer for answer in answers if answer.attempt_id == last and answer.item.excluded_for != Reason.REPORTED
        ],
        right=by_correctness[True] + right,
        n=by_correctness.total() + n,
        checks_right=right,
        checks=n,
    )


def _own_checks(member: Membership) -> Rate | None:
    """Return the member's rate over their first checks up to a multiple of OWN_CHECKS; None if there are fewer."""
    morning = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    firsts = first_check_labels(Label.objects.filter(annotator=member, created_at__lt=morning))
    answers = firsts.order_by("created_at", "pk").values_list(*_ANSWER_COLUMNS, *_KNOWN_COLUMNS)
    rights = [_is_right(*answer) for answer in answers]
    counted = rights[: len(rights) - len(rights) % OWN_CHECKS]
    return Rate(sum(counted), len(counted)) if counted else None


def first_check_labels(labels: QuerySet[Label]) -> QuerySet[Label]:
    """Return those of the labels that were a person's first at a mixed-in item, with a category.

    A seat whose label was withdrawn counts for nobody.
    """
    return labels.filter(
        revision=1,
        category__isnull=False,
        item__stage=Stage.KNOWN,
        item__known_answer__training=False,
        seat__annotator=F("annotator"),
        seat__label__isnull=False,
    ).order_by()


def check_rates(project: Project) -> dict[int, Rate]:
    """Return by annotator the right answers among their first labels at items that were mixed in."""
    firsts = first_check_labels(Label.objects.filter(item__project=project))
    right, total = Counter[int](), Counter[int]()
    for annotator, *answer, n in firsts.values_list("annotator_id", *_ANSWER_COLUMNS, *_KNOWN_COLUMNS).annotate(
        n=Count("pk")
    ):
        total[annotator] += n
        right[annotator] += n * _is_right(*answer)
    return {annotator: Rate(right[annotator], n) for annotator, n in total.items()}


def _is_right(lead: int, stored: list[int], known: int, known_stored: list[int]) -> bool:
    """Whether an answer names just the categories of the known one."""
    return codes_of(lead, stored) == codes_of(known, known_stored)


def _share(checks: Rate | None) -> list[str]:
    if checks is None:
        return ["0", "0", "", "", ""]
    shares = (checks.value, checks.interval.low, checks.interval.high)
    return [str(checks.n), str(checks.part), *(f"{share:.4f}" for share in shares)]
