"""What people decide for their own sake, and what a project decides for its people's.

What somebody opted out of, and how the work left them, is theirs: no event is written, no page of others names them.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.asking import ask_about
from annotation.freeing import LAPSED, free_seat, lock_items, wake
from annotation.handing_out import lock_member
from annotation.models import Category, CheckIn, Membership, OptOut, Project, Seat, WorkDay, record
from annotation.probing import is_wanted
from annotation.transactions import short_transaction


@dataclass(frozen=True)
class OptedOut:
    """Everything a person does not want to see: categories by code, groups as written, a severity and above."""

    categories: frozenset[int] = frozenset()
    groups: frozenset[str] = frozenset()
    severity: int | None = None


class CapTooHigh(ValueError):
    """A person's own cap that is not below the project's; `field` and the project's `limit`."""

    def __init__(self, field: str, limit: int) -> None:
        super().__init__(field)
        self.field = field
        self.limit = limit


# ── Opting out ────────────────────────────────────────────────────────────────


def opted_out(member: Membership) -> OptedOut:
    """What the person does not want to see now."""
    rows = list(_in_force(member).select_related("category"))
    return OptedOut(
        frozenset(row.category.code for row in rows if row.category is not None),
        frozenset(row.target_group for row in rows if row.target_group),
        next((row.severity for row in rows if row.severity is not None), None),
    )


@short_transaction
def opt_out(member: Membership, wanted: OptedOut) -> int:
    """Make this what the person does not want to see, at once; how many held posts it took from them.

    A post they hold that falls under it goes back as if its time had run out: no skip, no penalty, and nothing that
    tells why. What is opted into again ends; the rows stay for the counts of each item.
    """
    member, now = lock_member(member)
    keys = dict(Category.objects.filter(project=member.project_id).values_list("code", "pk"))
    things: set[tuple[int | None, str, int | None]] = {(keys[code], "", None) for code in wanted.categories}
    things |= {(None, group, None) for group in wanted.groups}
    things |= {(None, "", wanted.severity)} if wanted.severity is not None else set()
    for row in _in_force(member):
        thing = (row.category_id, row.target_group, row.severity)
        if thing in things:
            things.remove(thing)
        else:
            OptOut.objects.filter(pk=row.pk).update(ended_at=now)
    OptOut.objects.bulk_create(
        OptOut(member=member, category_id=category, target_group=group, severity=severity)
        for category, group, severity in sorted(things, key=str)
    )
    Membership.objects.filter(pk=member.pk).update(idle_until=None)
    return _give_back_unwanted(member, now)


def _in_force(member: Membership) -> Any:
    return OptOut.objects.filter(member=member, ended_at__isnull=True).order_by("pk")


def _give_back_unwanted(member: Membership, now: datetime) -> int:
    """Free the held seats at items the person opted out of, whose row the caller has locked; how many."""
    held = list(Seat.objects.filter(annotator=member, expires_at__isnull=False).select_related("annotator"))
    items, unwanted = lock_items([seat.item_id for seat in held], wait=True), ask_about(member, now).unwanted
    freed = sum(
        free_seat(seat, items[seat.item_id], LAPSED, None) for seat in held if not is_wanted(seat.item_id, unwanted)
    )
    if freed:
        wake(member.project_id)
    return freed


def set_own_caps(member: Membership, *, severe_a_day: int | None, minutes_a_day: int | None) -> None:
    """Store the person's own caps, in force at once; None: the project's. Raises CapTooHigh, and then stores none."""
    caps = {"severe_a_day": severe_a_day, "minutes_a_day": minutes_a_day}
    for field, own in caps.items():
        limit = getattr(member.project, field)
        if own is not None and limit is not None and own > limit:
            raise CapTooHigh(field, limit)
    Membership.objects.filter(pk=member.pk).update(**caps, idle_until=None)


# ── Check-ins ─────────────────────────────────────────────────────────────────


def ask_today(member: Membership) -> bool:
    """Whether to ask how the work left this person: once on a day they worked. Asking counts as having asked."""
    today = timezone.localdate()
    if not WorkDay.objects.filter(member=member, day=today, labels__gt=0).exists():
        return False
    _row, asked_now = CheckIn.objects.get_or_create(member=member, day=today)
    return asked_now


def check_in(member: Membership, mood: int) -> None:
    """Store today's answer, 1 (hard) to 5 (fine), in place of an earlier one of today."""
    CheckIn.objects.update_or_create(
        member=member, day=timezone.localdate(), defaults={"mood": mood, "at": timezone.now()}
    )


def forget_check_ins(member: Membership) -> int:
    """Remove every answer the person gave; how many. Today is not asked about again."""
    answers = CheckIn.objects.filter(member=member)
    kept = answers.filter(day=timezone.localdate())
    gone = answers.filter(mood__isnull=False).count()
    kept.update(mood=None)
    answers.exclude(pk__in=kept.values("pk")).delete()
    return gone


# ── What a project decides ────────────────────────────────────────────────────


@transaction.atomic
def change_care(admin: Membership, project: Project, changed: list[str]) -> None:
    """Store the changed fields of `project` (already set on it), and write down which changed."""
    if changed:
        project.save(update_fields=changed)
        wake(project)  # caps may leave more, or less
        record("change_settings", project=project, actor=admin, changed=sorted(changed))
