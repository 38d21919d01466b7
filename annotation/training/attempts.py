"""The training room: attempts at a project's training items, one answer each, a mark, and who may begin again.

An attempt shows every training item once, in an order of its own. What the person said is stored with the answer that
was right at that moment; a second answer to the same item is not stored. When no item is left, the attempt is
finished: its mark is written down, and a pass lets the person label. Skipped items are left out of the mark.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from annotation.assignment.annotator_state import count_reading, lock_member
from annotation.assignment.training_gate import training_items
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Role, Stage
from annotation.domain.training import Mark, attempt_order, attempts_left
from annotation.models import Category, KnownAnswer, Membership, Project, TrainingAnswer, TrainingAttempt, record


@dataclass(frozen=True)
class TrainingReply:
    """An annotator's answer to a training item: a category, or not sure; neither is a skip.

    `categories` are the codes of all where there are several, as rows keep them.
    """

    category: Category | None = None
    not_sure: bool = False
    categories: tuple[int, ...] = ()


@dataclass(frozen=True)
class OpenAttempt:
    """An attempt in progress. `known` is the item to answer next; None if all are answered."""

    attempt: TrainingAttempt
    known: KnownAnswer | None
    done: int
    total: int


@dataclass(frozen=True)
class TrainingState:
    """A member's training: whether it is required, and their attempts so far."""

    items: int
    going: OpenAttempt | None
    finished: tuple[TrainingAttempt, ...]
    attempts_left: int | None
    """Attempts that may still be begun; None: as many as one likes."""
    trained: bool

    @property
    def last(self) -> TrainingAttempt | None:
        return self.finished[-1] if self.finished else None

    @property
    def may_begin(self) -> bool:
        return self.going is None and not self.trained and self.items > 0 and self.attempts_left != 0


@dataclass(frozen=True)
class TrainingFeedback:
    """A stored answer and the known one; `repeated` if it had been answered before, and that answer stands."""

    answer: TrainingAnswer
    known: KnownAnswer
    repeated: bool = False


@dataclass(frozen=True)
class NotInTraining:
    """The item is no training item for this member."""


def read_training_state(member: Membership) -> TrainingState:
    """Return the member's training state; their project is loaded."""
    attempts = list(TrainingAttempt.objects.filter(member=member))
    known = training_items(member)
    under_way = next((attempt for attempt in attempts if attempt.finished_at is None), None)
    return TrainingState(
        items=len(known),
        going=None if under_way is None else _going(under_way, known),
        finished=tuple(attempt for attempt in attempts if attempt.finished_at is not None),
        attempts_left=attempts_left(member.project.training_attempts, member.training_extra, len(attempts)),
        trained=member.trained_at is not None,
    )


@short_transaction
def begin_attempt(member: Membership) -> TrainingAttempt | None:
    """Begin an attempt, or go on with the one in progress.

    Returns None if none may be begun.
    """
    member, _ = lock_member(member)
    now = read_training_state(member)
    if now.going is not None:
        return now.going.attempt
    if not now.may_begin or not member.has(Role.ANNOTATOR):
        return None
    count_reading(member)
    last = TrainingAttempt.objects.filter(member=member).order_by("-number").first()
    return TrainingAttempt.objects.create(member=member, number=(last.number if last else 0) + 1)


@short_transaction
def store_training_answer(member: Membership, item: UUID, reply: TrainingReply) -> TrainingFeedback | NotInTraining:
    """Store the answer to an item of the member's attempt; the last missing one finishes the attempt.

    An item that was answered in this attempt, or in the last one if none is in progress, keeps its first answer.
    """
    member, _ = lock_member(member)
    if (stored := training_feedback(member, item)) is not None:
        return TrainingFeedback(stored.answer, stored.known, repeated=True)
    going = read_training_state(member).going
    known = next((known_answer for known_answer in training_items(member) if known_answer.item.public_id == item), None)
    if going is None or known is None or not member.has(Role.ANNOTATOR):
        return NotInTraining()
    count_reading(member)
    row = TrainingAnswer.objects.create(
        attempt=going.attempt,
        item=known.item,
        category=reply.category,
        categories=list(reply.categories),
        not_sure=reply.not_sure,
        skipped=reply.category is None and not reply.not_sure,
        correct=reply.category is not None
        and (reply.category.pk, list(reply.categories)) == (known.category_id, known.categories),
    )
    if going.done + 1 == going.total:
        _finish(going.attempt, member)
    return TrainingFeedback(row, known)


@short_transaction
def finish_attempt(member: Membership) -> bool:
    """Finish the attempt in progress if no item of it is left (the last were taken out). Return False if one is."""
    member, _ = lock_member(member)
    going = read_training_state(member).going
    if going is None or going.known is not None:
        return False
    if going.done:
        _finish(going.attempt, member)
    else:
        going.attempt.delete()
    return True


def training_feedback(member: Membership, item: UUID) -> TrainingFeedback | None:
    """Return the member's answer to an item in their newest attempt, with the known answer.

    Returns None if there is none.
    """
    newest = TrainingAttempt.objects.filter(member=member).order_by("-number").values("pk")[:1]
    row = (
        TrainingAnswer.objects.filter(attempt__in=newest, item__public_id=item, item__stage=Stage.KNOWN)
        .select_related("attempt", "category", "item__picture", "item__known_answer__category")
        .first()
    )
    return None if row is None else TrainingFeedback(row, row.item.known_answer)


# ── What an admin may do for a person ─────────────────────────────────────────


@short_transaction
def grant_attempt(admin: Membership, member: Membership) -> None:
    """Let the member begin once more than the project allows."""
    Membership.objects.filter(pk=member.pk).update(training_extra=F("training_extra") + 1)
    record(EventVerb.TRAINING_GRANTED, project=admin.project, actor=admin, row=member.public_id)


@short_transaction
def declare_trained(admin: Membership, member: Membership) -> bool:
    """Let the member label without a pass. Return False if they may already."""
    untrained = Membership.objects.filter(pk=member.pk, trained_at__isnull=True)
    if not untrained.update(trained_at=timezone.now()):
        return False
    record(EventVerb.TRAINING_WAIVED, project=admin.project, actor=admin, row=member.public_id)
    return True


@short_transaction
def change_training_rules(admin: Membership, project: Project, changed: Iterable[str]) -> None:
    """Store the rules of training and checks, which are already set on `project`, and record which changed."""
    changed = sorted(changed)
    if changed:
        project.had_checks = project.had_checks or "check_percent" in changed
        project.save(update_fields=[*changed, "had_checks"])
        record(
            EventVerb.TRAINING_RULES, project=project, actor=admin, **{name: getattr(project, name) for name in changed}
        )


# ── Shared ────────────────────────────────────────────────────────────────────


def _going(attempt: TrainingAttempt, known: list[KnownAnswer]) -> OpenAttempt:
    by_id = {known_answer.item.public_id: known_answer for known_answer in known}
    rows = TrainingAnswer.objects.filter(attempt=attempt).values_list("item__public_id", flat=True)
    answered = set(rows)
    unanswered = [item for item in attempt_order(attempt.public_id, by_id) if item not in answered]
    return OpenAttempt(
        attempt, by_id[unanswered[0]] if unanswered else None, len(answered), len(answered) + len(unanswered)
    )


def _finish(attempt: TrainingAttempt, member: Membership) -> None:
    rows = list(TrainingAnswer.objects.filter(attempt=attempt).values_list("correct", "skipped"))
    mark = Mark(sum(right for right, _ in rows), sum(not skipped for _, skipped in rows), len(rows))
    attempt.correct, attempt.answered, attempt.total = mark.correct, mark.answered, mark.total
    attempt.finished_at, attempt.passed = timezone.now(), mark.passed(member.project.training_pass_percent)
    attempt.save()
    facts: dict[str, Any] = {
        "correct": mark.correct,
        "answered": mark.answered,
        "total": mark.total,
        "passed": attempt.passed,
    }
    record(EventVerb.TRAINING_FINISHED, project=member.project, actor=member, row=attempt.public_id, **facts)
    if attempt.passed:
        Membership.objects.filter(pk=member.pk, trained_at__isnull=True).update(trained_at=attempt.finished_at)
