"""Opt-outs, caps and check-ins of members, and the wellbeing settings of a project.

A member's opt-outs and check-ins are private: no event is written, and no page of others names them.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.assignment.annotator_state import lock_member, read_annotator_state
from annotation.assignment.item_query import is_item_wanted
from annotation.assignment.release_seats import free_seat, lock_items, reset_idle_members
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb
from annotation.models import Category, CheckIn, Membership, OptOut, Project, Seat, WorkDay, record


@dataclass(frozen=True)
class OptedOut:
    """Everything a member does not want to see: categories by code, groups as written, a severity and above."""

    categories: frozenset[int] = frozenset()
    groups: frozenset[str] = frozenset()
    severity: int | None = None


class CapTooHigh(ValueError):
    """A member's own cap that is not below the project's; `field` and the project's `limit`."""

    def __init__(self, field: str, limit: int) -> None:
        super().__init__(field)
        self.field = field
        self.limit = limit


# ── Opting out ────────────────────────────────────────────────────────────────


def read_opt_outs(member: Membership) -> OptedOut:
    """Return what the member does not want to see now."""
    rows = list(_in_force(member).select_related("category"))
    return OptedOut(
        frozenset(row.category.code for row in rows if row.category is not None),
        frozenset(row.target_group for row in rows if row.target_group),
        next((row.severity for row in rows if row.severity is not None), None),
    )


@short_transaction
def set_opt_outs(member: Membership, opted_out: OptedOut) -> int:
    """Store what the member does not want to see, in force at once; return how many held posts it took from them.

    A held post with such content goes back as if its lease had ended: no skip, no penalty, and nothing that tells why.
    What is opted into again ends; the rows stay for the counts of each item.
    """
    member, now = lock_member(member)
    keys = dict(Category.objects.filter(project=member.project_id).values_list("code", "pk"))
    things: set[tuple[int | None, str, int | None]] = {(keys[code], "", None) for code in opted_out.categories}
    things |= {(None, group, None) for group in opted_out.groups}
    things |= {(None, "", opted_out.severity)} if opted_out.severity is not None else set()
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
    """Free the held seats of the locked member at items they opted out of; return how many."""
    seats = list(Seat.objects.filter(annotator=member, expires_at__isnull=False).select_related("annotator"))
    items = lock_items([seat.item_id for seat in seats], wait=True)
    unwanted = read_annotator_state(member, now).unwanted
    freed = sum(
        free_seat(seat, items[seat.item_id], EventVerb.SEAT_LAPSED, None)
        for seat in seats
        if not is_item_wanted(seat.item_id, unwanted)
    )
    if freed:
        reset_idle_members(member.project_id)
    return freed


def set_own_caps(member: Membership, *, severe_a_day: int | None, minutes_a_day: int | None) -> None:
    """Store the member's own caps, in force at once; None means the project's.

    Raises CapTooHigh, and stores none, if a cap is not below the project's.
    """
    caps = {"severe_a_day": severe_a_day, "minutes_a_day": minutes_a_day}
    for field, own in caps.items():
        limit = getattr(member.project, field)
        if own is not None and limit is not None and own > limit:
            raise CapTooHigh(field, limit)
    Membership.objects.filter(pk=member.pk).update(**caps, idle_until=None)


# ── Check-ins ─────────────────────────────────────────────────────────────────


def is_check_in_due(member: Membership) -> bool:
    """Whether to ask the member how the work left them: once on a day they worked. The call itself counts as asking."""
    today = timezone.localdate()
    if not WorkDay.objects.filter(member=member, day=today, labels__gt=0).exists():
        return False
    _row, asked_now = CheckIn.objects.get_or_create(member=member, day=today)
    return asked_now


def store_check_in(member: Membership, mood: int) -> None:
    """Store today's answer, 1 (hard) to 5 (fine), in place of an earlier one of today."""
    CheckIn.objects.update_or_create(
        member=member, day=timezone.localdate(), defaults={"mood": mood, "at": timezone.now()}
    )


def forget_check_ins(member: Membership) -> int:
    """Remove every answer of the member; return how many. Today is not asked about again."""
    answers = CheckIn.objects.filter(member=member)
    of_today = answers.filter(day=timezone.localdate())
    gone = answers.filter(mood__isnull=False).count()
    of_today.update(mood=None)
    answers.exclude(pk__in=of_today.values("pk")).delete()
    return gone


# ── What a project decides ────────────────────────────────────────────────────


@transaction.atomic
def change_care_settings(admin: Membership, project: Project, changed: list[str]) -> None:
    """Store the changed fields of `project`, which are already set on it, and record their names."""
    if changed:
        project.save(update_fields=changed)
        reset_idle_members(project)  # caps may leave more, or less
        record(EventVerb.CHANGE_SETTINGS, project=project, actor=admin, changed=sorted(changed))
