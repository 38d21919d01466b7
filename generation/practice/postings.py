"""Write down where an approved reply was posted and what became of it. The site posts nothing and looks nothing up."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, TypedDict
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.domain.choices import Stage
from annotation.domain.one_line import read_line
from annotation.models import Membership, Project, record
from generation.counterspeech.replies import CannotDo
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.platforms import Platform
from generation.domain.counterspeech.postings import (
    MOST_ADDRESS,
    MOST_NOTE,
    CheckedAfter,
    Fate,
    MeanOf,
    ShareOf,
    mean_of,
    share_of,
)
from generation.domain.counterspeech.registers import Register
from generation.domain.counterspeech.states import ReplyState
from generation.domain.event_verbs import GenerationVerb
from generation.models import Exemplar, Posting, PostingCheck, Reply
from vocabulary.answers import answer

AHEAD = timedelta(minutes=5)
"""How far ahead of the site's clock a time may be that somebody writes down."""
WAS_APPROVED = (ReplyState.APPROVED, ReplyState.WITHDRAWN, ReplyState.REPLACED)
"""States of a reply that may have been posted: a withdrawn one may still stand somewhere."""


class PostingCheckJson(TypedDict):
    """What somebody saw of a posting; `reactions` is null where nobody counted them."""

    after: CheckedAfter
    deleted: bool
    answered: bool
    harassed: bool
    reactions: int | None
    note: str | None
    by: str
    at: datetime


class PostingJson(TypedDict):
    """Where and when a reply was posted, as somebody wrote it down; `platform` is null for another place."""

    id: UUID
    reply: UUID
    intent: Intent
    registers: list[Register]
    platform: Platform | None
    address: str | None
    posted_at: datetime
    by: str
    checks: list[PostingCheckJson]
    injected: bool


@dataclass(frozen=True)
class Seen:
    """What somebody saw of a posting."""

    after: CheckedAfter
    deleted: bool = False
    answered: bool = False
    harassed: bool = False
    reactions: int | None = None
    note: str = ""


@dataclass(frozen=True)
class PostingFigures:
    """What became of the postings of a kind: an intent, a register, or `all`."""

    kind: str
    postings: int
    deleted: ShareOf
    answered: ShareOf
    harassed: ShareOf
    after_day: MeanOf
    after_week: MeanOf


def can_post(reply: Reply) -> bool:
    """Return whether it can be written down that the reply was posted: once it was approved."""
    return reply.approved_at is not None and reply.state in WAS_APPROVED


@short_transaction
def add(reply: Reply, member: Membership, platform: Platform | None, address: str, posted_at: datetime) -> Posting:
    """Write down that the reply was posted. Raises CannotDo, and BadText if the address is not one line."""
    if not can_post(reply):
        raise CannotDo(_("Only a reply that was approved can be posted."))
    if posted_at > timezone.now() + AHEAD:
        raise CannotDo(_("The time lies ahead: record what was posted already."))
    posting = Posting.objects.create(
        reply=reply,
        platform=platform or "",
        address=read_line(address, MOST_ADDRESS),
        posted_at=posted_at,
        member=member,
    )
    rows = Exemplar.objects.filter(reply=reply)
    rows.filter(used_at=None).update(used_at=posted_at)
    rows.filter(used_at__lt=posted_at).update(used_at=posted_at)
    _record(GenerationVerb.REPLY_POSTED, posting, member, platform=posting.platform)
    return posting


@short_transaction
def check(posting: Posting, member: Membership, seen: Seen) -> PostingCheck:
    """Write down what became of a posting. A later check of the same time is in force. Raises BadText, CannotDo."""
    waited = timezone.now() - posting.posted_at
    if seen.after is CheckedAfter.WEEK and waited < timedelta(days=6):
        raise CannotDo(_("It has not stood there for a week yet."))
    row = PostingCheck.objects.create(
        posting=posting,
        after=seen.after,
        deleted=seen.deleted,
        answered=seen.answered,
        harassed=seen.harassed,
        reactions=seen.reactions,
        note=read_line(seen.note, MOST_NOTE),
        member=member,
    )
    _record(GenerationVerb.POSTING_CHECKED, posting, member, after=seen.after.value)
    return row


def of_project(project: Project) -> QuerySet[Posting]:
    """Return the postings of a project, oldest first, but of replies to items that were taken out."""
    rows = Posting.objects.filter(reply__exchange__project=project).exclude(reply__exchange__item__stage=Stage.EXCLUDED)
    related = rows.select_related("reply__exchange__item", "member")
    return related.prefetch_related("checks__member").order_by("posted_at", "pk")


def rows(project: Project) -> Iterator[PostingJson]:
    """Yield the postings for the file."""
    return map(as_json, of_project(project).iterator(chunk_size=500))


def as_json(posting: Posting) -> PostingJson:
    """Return a posting with its checks as JSON."""
    reply = posting.reply
    return answer(
        PostingJson,
        posting,
        id=str(posting.public_id),
        reply=str(reply.public_id),
        intent=reply.intent,
        registers=reply.registers,
        posted_at=posting.posted_at.isoformat(),
        by=posting.member,
        checks=[
            answer(PostingCheckJson, row, by=row.member, at=row.created_at.isoformat()) for row in posting.checks.all()
        ],
        injected=reply.exchange.injected,
    )


def fate(posting: Posting) -> Fate:
    """Return what is known of a posting: whatever was seen at any time, and the reactions as counted last."""
    checks = list(posting.checks.all())
    counted = {row.after: row.reactions for row in checks if row.reactions is not None}
    return Fate(
        posting.reply.intent,
        tuple(posting.reply.registers),
        any(row.deleted for row in checks) if checks else None,
        any(row.answered for row in checks) if checks else None,
        any(row.harassed for row in checks) if checks else None,
        counted.get(CheckedAfter.DAY),
        counted.get(CheckedAfter.WEEK),
    )


def figures(project: Project) -> list[PostingFigures]:
    """Return the figures of all postings first, then by intent and register. Empty if nothing was posted."""
    fates = [fate(posting) for posting in of_project(project)]
    kinds = dict.fromkeys(chain(["all"], (each.intent for each in fates), *(each.registers for each in fates)))
    of_kind = {kind: [each for each in fates if kind in ("all", each.intent, *each.registers)] for kind in kinds}
    return [_figures(kind, those) for kind, those in of_kind.items() if those]


def _figures(kind: str, fates: Sequence[Fate]) -> PostingFigures:
    return PostingFigures(
        kind,
        len(fates),
        share_of([fate.deleted for fate in fates]),
        share_of([fate.answered for fate in fates]),
        share_of([fate.harassed for fate in fates]),
        mean_of([fate.after_day for fate in fates]),
        mean_of([fate.after_week for fate in fates]),
    )


def _record(verb: GenerationVerb, posting: Posting, member: Membership, **facts: Any) -> None:
    exchange = posting.reply.exchange
    record(verb, project=exchange.project, actor=member, item=exchange.item, row=posting.reply.public_id, **facts)
