"""Reports of illegal content that wait, and their answers by an admin of the project or of the site.

An answer is about a post: it answers all of its reports that wait. A post that is put back stands where it stood when
it was first reported.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime

from annotation.assignment.release_seats import reset_idle_members
from annotation.consensus.case_from_rows import seats_of
from annotation.consensus.close import close_locked_item, lock_item, move_locked_item
from annotation.consensus.exclude import filled_seats, take_out
from annotation.consensus.rounds import UNDECIDED, open_next_round
from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Reason, Source, Stage
from annotation.domain.reports import ReportAnswer, needs_labels_again
from annotation.models import Item, KnownAnswer, Membership, Report, Skip, User, record
from runs.sql.database_clock import database_now, seconds_from_now

MOST_SHOWN = 100
"""The most posts that a page or an answer of the API lists."""
MOST_COUNTED = 1000
"""The most posts that are counted for every page of an admin."""


class AnsweredMeanwhile(Exception):
    """Somebody answered these reports first, or reported the post once more since the page was shown."""


class ProjectClosed(Exception):
    """The project is archived or about to be deleted: nothing is put back into it."""


@dataclass(frozen=True)
class ReportedPost:
    """A post with reports that have one answer, or wait for one; the oldest report comes first."""

    item: Item
    reports: tuple[Report, ...]

    @property
    def first(self) -> Report:
        """The oldest report: it knows where the post stood."""
        return self.reports[0]

    @property
    def answered_at(self) -> datetime | None:
        """When the reports were answered. None while they wait."""
        return self.first.answered_at


# ── The queue ─────────────────────────────────────────────────────────────────


def reports_to_answer(user: User) -> QuerySet[Report]:
    """Return the reports, answered or not, of the projects of which the person is an admin; of all for a site admin."""
    rows = Report.objects.exclude(item__project__delete_after__lte=seconds_from_now(0))
    if user.is_staff:
        return rows
    administered = Membership.objects.filter(user=user, active=True, administers=True)
    return rows.filter(item__project__in=administered.values("project"))


def count_waiting_posts(user: User) -> int:
    """Count the posts whose reports wait for an answer of this person, up to `MOST_COUNTED`."""
    waiting = reports_to_answer(user).filter(answered_at=None)
    return waiting.order_by().values("item").distinct()[:MOST_COUNTED].count()


def waiting_posts(reports: QuerySet[Report]) -> list[ReportedPost]:
    """Return the posts whose reports wait, the one that was reported first before the others."""
    return _by_post(_with_rows(reports.filter(answered_at=None)).order_by("created_at", "pk")[: 5 * MOST_SHOWN])


def answered_posts(reports: QuerySet[Report]) -> list[ReportedPost]:
    """Return the posts whose reports were answered, the newest answer first; a post stands there once an answer."""
    answered = _with_rows(reports.filter(answered_at__isnull=False))
    return _by_post(answered.order_by("-answered_at", "pk")[: 5 * MOST_SHOWN])


def reported_post(item: Item) -> ReportedPost | None:
    """Return the item with its reports that wait, or else those of its last answer. Returns None without reports."""
    reports = Report.objects.filter(item=item)
    return next(iter(waiting_posts(reports) or answered_posts(reports)), None)


def _with_rows(reports: QuerySet[Report]) -> QuerySet[Report]:
    return reports.select_related("item__project", "item__picture", "reporter", "answered_by")


def _by_post(reports: Iterable[Report]) -> list[ReportedPost]:
    posts: dict[tuple[int, datetime | None], list[Report]] = {}
    for report in reports:
        posts.setdefault((report.item_id, report.answered_at), []).append(report)
    return [ReportedPost(rows[0].item, tuple(rows)) for rows in posts.values()][:MOST_SHOWN]


# ── The answer ────────────────────────────────────────────────────────────────


@short_transaction
def answer_reports(item: Item, by: Membership | None, version: int, answer: ReportAnswer, reason: str) -> ReportedPost:
    """Answer all reports of the item that wait. `by`: None for a site admin who is no member of the project.

    The same answer sent twice, by a double click, is stored once.

    Raises AnsweredMeanwhile if none waits, or the item is not in the state that the person saw.
    Raises ProjectClosed for what would return to a project in which nothing changes.
    """
    locked = lock_item(item)
    waiting = _waiting(locked)
    if not waiting and (before := _same_answer(locked, by, answer, reason)) is not None:
        return before
    if not waiting or locked.version != version:
        raise AnsweredMeanwhile
    if answer is not ReportAnswer.PUT_BACK:
        if locked.excluded_for != Reason.REPORTED:
            take_out(locked, Reason.REPORTED)
    elif locked.project.is_closed:
        raise ProjectClosed
    elif locked.excluded_for == Reason.REPORTED:
        _put_back(locked, waiting[0])
    return _store(locked, waiting, by, answer, reason)


def answer_by_reopening(item: Item, admin: Membership, reason: str) -> None:
    """Answer the waiting reports of a locked item that an admin has just sent back to labelling."""
    if waiting := _waiting(item):
        _store(item, waiting, admin, ReportAnswer.PUT_BACK, reason)


def _waiting(item: Item) -> list[Report]:
    rows = Report.objects.filter(item=item, answered_at=None).select_related("reporter")
    return list(rows.order_by("created_at", "pk"))


def _same_answer(item: Item, by: Membership | None, answer: ReportAnswer, reason: str) -> ReportedPost | None:
    last = reported_post(item)
    if last is None or last.first.answered_by != by or (last.first.answer, last.first.reason) != (answer, reason):
        return None
    return last


def _store(
    item: Item, reports: Sequence[Report], by: Membership | None, answer: ReportAnswer, reason: str
) -> ReportedPost:
    now = database_now()
    Report.objects.filter(pk__in=[report.pk for report in reports]).update(
        answer=answer, reason=reason, answered_by=by, answered_at=now
    )
    if answer is ReportAnswer.PUT_BACK:
        _spare_reporters(item, reports)
    facts = {"answer": answer, "reason": reason, "stage": item.stage, "reports": len(reports)}
    record(EventVerb.REPORT_ANSWERED, project=item.project, actor=by, item=item, **facts)
    for report in reports:
        report.answer, report.reason, report.answered_by, report.answered_at = answer, reason, by, now
    return ReportedPost(item, tuple(reports))


def _spare_reporters(item: Item, reports: Iterable[Report]) -> None:
    """See to it that nobody is given again what they reported. A skip says just that, and nothing else follows."""
    for reporter in {report.reporter for report in reports if report.reporter.annotates}:
        Skip.objects.get_or_create(item=item, annotator=reporter, defaults={"round": item.round})


# ── Back to where it was ──────────────────────────────────────────────────────


def _put_back(item: Item, first: Report) -> None:
    if not first.stage_before:
        _put_back_by_rows(item)
        return
    stage, before = Stage(first.stage_before), first.before
    if needs_labels_again(stage, before["excluded_for"], before["labels"], filled_seats(item)):
        open_next_round(item)
        return
    gold_at = parse_datetime(before["gold_at"]) if before["gold_at"] else None
    fields = {"excluded_for": before["excluded_for"], "category_source": before["category_source"], "gold_at": gold_at}
    item.disputes.filter(pk__in=before["disputes"]).update(settled_at=None)
    move_locked_item(item, stage, **fields)
    if stage is Stage.LABELLING:
        reset_idle_members(item.project)


def _put_back_by_rows(item: Item) -> None:
    """Put back an item of whose stage the report knows nothing: labels decide again, else it is as it came."""
    if KnownAnswer.objects.filter(item=item).exists():
        move_locked_item(item, Stage.KNOWN, excluded_for=None)
    elif seats := seats_of(item):
        move_locked_item(item, Stage.LABELLING, **UNDECIDED)
        reset_idle_members(item.project)
        close_locked_item(item, seats)
    elif item.category_id is not None:
        move_locked_item(item, Stage.GOLD, excluded_for=None, category_source=Source.IMPORTED, gold_at=item.created_at)
    else:
        move_locked_item(item, Stage.READY, excluded_for=None)
