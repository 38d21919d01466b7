"""The weekly note: how much waits for a person in their projects, as counts, for those who asked for it."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils.translation import ngettext, override

from annotation.assignment.item_query import COMMON_QUEUE
from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.domain.outgoing import MailKind
from annotation.mail.queue import queue_mail, sends_mail
from annotation.models import AccessRequest, AccessState, Item, Membership, Seat, Skip, User
from runs.sql.database_clock import database_now

WEEK = timedelta(days=7)
AT_ONCE = 50
"""The most people of one sweep; the next one goes on."""


def queue_weekly_notes() -> int:
    """Store a note for everybody who is due. This is a step of the sweeper. Return how many people had their turn."""
    if not sends_mail():
        return 0
    return sum(_note(user) for user in _due()[:AT_ONCE])


def _due() -> QuerySet[User]:
    readers = User.objects.filter(weekly_mail=True, is_active=True).exclude(email="")
    return readers.filter(Q(weekly_mailed_at=None) | Q(weekly_mailed_at__lt=database_now() - WEEK)).order_by("pk")


@short_transaction
def _note(user: User) -> bool:
    """Store the person's note; none if nothing waits. Return False if another worker was first."""
    now = database_now()
    turn = User.objects.filter(pk=user.pk, weekly_mailed_at=user.weekly_mailed_at).update(weekly_mailed_at=now)
    if turn and (lines := lines_for(user)):
        queue_mail(MailKind.WEEKLY, user.email, {"lines": lines}, user=user, language=user.language)
    return bool(turn)


def lines_for(user: User) -> str:
    """Return a line for each of the person's projects in which something waits, in their language; "" if none does."""
    members = Membership.objects.filter(user=user, active=True, project__archived_at=None, project__delete_after=None)
    with override(user.language or settings.LANGUAGE_CODE):
        waiting = [(member, _waiting(member)) for member in members.select_related("project").order_by("project__name")]
        return "\n".join(
            f"{member.project.name}: {', '.join(parts)}\n{_page(member)}\n" for member, parts in waiting if parts
        )


def _page(member: Membership) -> str:
    return settings.SITE_URL + reverse("annotation:project", args=[member.project.slug])


def _waiting(member: Membership) -> list[str]:
    parts = []
    if member.annotates and (n := _open_posts(member)):
        parts.append(ngettext("%(n)s open post", "%(n)s open posts", n) % {"n": n})
    if member.reviews and (n := Item.objects.filter(project=member.project, stage=Stage.DISPUTED).count()):
        parts.append(ngettext("%(n)s disputed item", "%(n)s disputed items", n) % {"n": n})
    if member.administers and (n := _requests(member)):
        parts.append(ngettext("%(n)s request for a release", "%(n)s requests for a release", n) % {"n": n})
    return parts


def _open_posts(member: Membership) -> int:
    """Count the open posts that the person may be given: with a free place, and neither labelled nor skipped by them.

    What they opted out of is not left out.
    """
    if not member.project.is_open:
        return 0
    queues = (COMMON_QUEUE, *member.batches.values_list("pk", flat=True))
    free = Item.objects.filter(project=member.project, stage=Stage.LABELLING, taken__lt=F("seats"), queue__in=queues)
    mine = Seat.objects.filter(item=OuterRef("pk"), round=OuterRef("round"), annotator=member, label__isnull=False)
    skipped = Skip.objects.filter(item=OuterRef("pk"), annotator=member)
    return free.exclude(picture_missing=True).exclude(Exists(mine) | Exists(skipped)).count()


def _requests(member: Membership) -> int:
    waiting = AccessRequest.objects.filter(state=AccessState.WAITING, publication__withdrawn_at=None)
    return waiting.filter(publication__release__project=member.project).count()
