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

from annotation.domain.training import Mark, attempt_order, attempts_left
from annotation.domain.words import Role, Stage
from annotation.handing_out import lock_member
from annotation.models import Category, KnownAnswer, Membership, Project, TrainingAnswer, TrainingAttempt, record
from annotation.training_set import training_items
from annotation.transactions import short_transaction


@dataclass(frozen=True)
class Said:
    """What somebody says of a training item: a category, or not sure; neither is a skip."""

    category: Category | None = None
    not_sure: bool = False


@dataclass(frozen=True)
class Going:
    """An attempt under way. `known` is the item to answer next; None: all are answered."""

    attempt: TrainingAttempt
    known: KnownAnswer | None
    done: int
    total: int


@dataclass(frozen=True)
class Room:
    """Where a person stands with the training: what is asked of them, and the attempts so far."""

    items: int
    going: Going | None
    finished: tuple[TrainingAttempt, ...]
    left: int | None
    """Attempts that may still be begun; None: as many as one likes."""
    trained: bool

    @property
    def last(self) -> TrainingAttempt | None:
        return self.finished[-1] if self.finished else None

    @property
    def may_begin(self) -> bool:
        return self.going is None and not self.trained and self.items > 0 and self.left != 0


@dataclass(frozen=True)
class Told:
    """A stored answer and what is known; `repeated`: it had been answered before, and that answer stands."""

    answer: TrainingAnswer
    known: KnownAnswer
    repeated: bool = False


@dataclass(frozen=True)
class NotAsked:
    """The item is no training item that this person is asked about."""


def room(member: Membership) -> Room:
    """Where the member stands; the project is at hand."""
    attempts = list(TrainingAttempt.objects.filter(member=member))
    known = training_items(member)
    under_way = next((attempt for attempt in attempts if attempt.finished_at is None), None)
    return Room(
        items=len(known),
        going=None if under_way is None else _going(under_way, known),
        finished=tuple(attempt for attempt in attempts if attempt.finished_at is not None),
        left=attempts_left(member.project.training_attempts, member.training_extra, len(attempts)),
        trained=member.trained_at is not None,
    )


@short_transaction
def begin(member: Membership) -> TrainingAttempt | None:
    """Begin an attempt, or go on with the one under way; None where none may be begun."""
    member, _ = lock_member(member)
    now = room(member)
    if now.going is not None:
        return now.going.attempt
    if not now.may_begin or not member.has(Role.ANNOTATOR):
        return None
    last = TrainingAttempt.objects.filter(member=member).order_by("-number").first()
    return TrainingAttempt.objects.create(member=member, number=(last.number if last else 0) + 1)


@short_transaction
def answer(member: Membership, item: UUID, said: Said) -> Told | NotAsked:
    """Store what the person says of an item of their attempt; the last one missing finishes it.

    An item that was answered in this attempt, or in the last one if none is under way, keeps its first answer.
    """
    member, _ = lock_member(member)
    if (stored := told(member, item)) is not None:
        return Told(stored.answer, stored.known, repeated=True)
    going = room(member).going
    known = next((each for each in training_items(member) if each.item.public_id == item), None)
    if going is None or known is None or not member.has(Role.ANNOTATOR):
        return NotAsked()
    row = TrainingAnswer.objects.create(
        attempt=going.attempt,
        item=known.item,
        category=said.category,
        not_sure=said.not_sure,
        skipped=said.category is None and not said.not_sure,
        correct=said.category is not None and said.category.pk == known.category_id,
    )
    if going.done + 1 == going.total:
        _finish(going.attempt, member)
    return Told(row, known)


@short_transaction
def finish(member: Membership) -> bool:
    """Finish the attempt under way if nothing is left of it (its last items were taken out); False if there is more."""
    member, _ = lock_member(member)
    going = room(member).going
    if going is None or going.known is not None:
        return False
    if going.done:
        _finish(going.attempt, member)
    else:
        going.attempt.delete()
    return True


def told(member: Membership, item: UUID) -> Told | None:
    """What the person said of an item in their newest attempt, and what is known of it."""
    newest = TrainingAttempt.objects.filter(member=member).order_by("-number").values("pk")[:1]
    row = (
        TrainingAnswer.objects.filter(attempt__in=newest, item__public_id=item, item__stage=Stage.KNOWN)
        .select_related("attempt", "category", "item__picture", "item__known_answer__category")
        .first()
    )
    return None if row is None else Told(row, row.item.known_answer)


# ── What an admin may do for a person ─────────────────────────────────────────


@short_transaction
def grant_attempt(admin: Membership, member: Membership) -> None:
    """Let the person begin once more than the project allows."""
    Membership.objects.filter(pk=member.pk).update(training_extra=F("training_extra") + 1)
    record("training_granted", project=admin.project, actor=admin, row=member.public_id)


@short_transaction
def declare_trained(admin: Membership, member: Membership) -> bool:
    """Let the person label without a pass; False where they may already."""
    untrained = Membership.objects.filter(pk=member.pk, trained_at__isnull=True)
    if not untrained.update(trained_at=timezone.now()):
        return False
    record("training_waived", project=admin.project, actor=admin, row=member.public_id)
    return True


@short_transaction
def change_rules(admin: Membership, project: Project, changed: Iterable[str]) -> None:
    """Store the rules of training and checks, set on `project` already, and write down which changed."""
    changed = sorted(changed)
    if changed:
        project.save(update_fields=changed)
        record("training_rules", project=project, actor=admin, **{name: getattr(project, name) for name in changed})


# ── Shared ────────────────────────────────────────────────────────────────────


def _going(attempt: TrainingAttempt, known: list[KnownAnswer]) -> Going:
    by_id = {each.item.public_id: each for each in known}
    rows = TrainingAnswer.objects.filter(attempt=attempt).values_list("item__public_id", flat=True)
    answered = set(rows)
    left = [item for item in attempt_order(attempt.public_id, by_id) if item not in answered]
    return Going(attempt, by_id[left[0]] if left else None, len(answered), len(answered) + len(left))


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
    record("training_finished", project=member.project, actor=member, row=attempt.public_id, **facts)
    if attempt.passed:
        Membership.objects.filter(pk=member.pk, trained_at__isnull=True).update(trained_at=attempt.finished_at)
