"""Versions of the guidelines: written by admins, read by annotators, compared with each other.

A version is never edited. Labels keep the version they were made under.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.domain.choices import EventVerb
from annotation.domain.markdown import Line, changes
from annotation.models import Category, Guideline, GuidelineExample, Label, Membership, Project, Question, record


class ChangedMeanwhile(ValueError):
    """Somebody stored another version since the writer began; `number` is the newest now."""

    def __init__(self, number: int) -> None:
        super().__init__(f"version {number} is there already")
        self.number = number


@dataclass(frozen=True)
class Example:
    """A worked example: a text, its category and why."""

    text: str
    category: Category
    why: str = ""


@dataclass(frozen=True)
class GuidelineNews:
    """What a member is asked to read: the newest version, and the changes since the one they read."""

    guideline: Guideline
    since: Guideline | None
    """The version they know; None: there is none to compare with."""
    summaries: tuple[Guideline, ...]
    """The versions between, oldest first, for their summaries."""
    changes: tuple[Line, ...]


@dataclass(frozen=True)
class VersionReading:
    """A version with how many annotators were asked to read it and how many confirmed it, and what was asked then."""

    guideline: Guideline
    annotators_asked: int
    read: int
    questions: tuple[Question, ...] = ()
    """The versions of further questions that were asked while this version was in force."""


@transaction.atomic
def write_guidelines(
    admin: Membership,
    text: str,
    examples: Sequence[Example],
    *,
    begun_at: int,
    summary: str = "",
    asks_reading: bool = True,
) -> Guideline | None:
    """Store a new version; `begun_at` is the number of the version that the writer began with, 0 for none.

    Returns None if neither text nor examples changed.

    Raises ChangedMeanwhile if that is not the newest version any more.
    """
    project = Project.objects.select_for_update().get(pk=admin.project_id)
    newest = project.guidelines.first()
    number = newest.number if newest else 0
    if number != begun_at:
        raise ChangedMeanwhile(number)
    if newest and newest.text == text and examples_of(newest) == list(examples):
        return None
    guideline = Guideline.objects.create(
        project=project, number=number + 1, text=text, summary=summary, asks_reading=asks_reading, author=admin
    )
    GuidelineExample.objects.bulk_create(
        GuidelineExample(
            guideline=guideline, place=place, text=example.text, category=example.category, why=example.why
        )
        for place, example in enumerate(examples, 1)
    )
    record(
        EventVerb.GUIDELINES_WRITTEN, project=project, actor=admin, number=guideline.number, asks_reading=asks_reading
    )
    return guideline


def examples_of(guideline: Guideline) -> list[Example]:
    """Return the examples of a version in order."""
    rows = guideline.examples.select_related("category")
    return [Example(row.text, row.category, row.why) for row in rows]


def as_text(guideline: Guideline) -> str:
    """Return a version as one text followed by its examples, for comparing two."""
    examples = [
        f"{place}. {example.text}\n→ {example.category}\n{example.why}".rstrip()
        for place, example in enumerate(examples_of(guideline), 1)
    ]
    return "\n\n".join([guideline.text.rstrip(), *examples])


def differences(old: Guideline, new: Guideline) -> tuple[Line, ...]:
    """Return what changed from one version to another, including the examples."""
    return changes(as_text(old), as_text(new))


def asks_to_read(member: Membership) -> bool:
    """Whether this member has to read a version before they go on labelling. One query."""
    return Guideline.objects.unread_by(member).exists()


def news_for(member: Membership) -> GuidelineNews | None:
    """Return what this member is asked to read.

    Returns None if there is nothing to read.
    """
    if not asks_to_read(member):
        return None
    versions = list(Guideline.objects.filter(project=member.project_id).order_by("number"))
    known = [
        version
        for version in versions
        if version.number <= member.guideline_read or version.created_at <= member.created_at
    ]
    since = known[-1] if known else None
    newest = versions[-1]
    between = tuple(version for version in versions if since is None or version.number > since.number)
    return GuidelineNews(newest, since, between, differences(since, newest) if since else ())


def mark_guidelines_read(member: Membership, number: int) -> None:
    """Record that the member read this version; an older one than they read, or an unknown one, changes nothing."""
    if Guideline.objects.filter(project=member.project_id, number=number).exists():
        Membership.objects.filter(pk=member.pk, guideline_read__lt=number).update(guideline_read=number)


def guideline_versions(project: Project) -> list[VersionReading]:
    """Return all versions, newest first, each with how many active annotators it asked and how many of them read it.

    A version asks annotators who joined before it and have labelled (`assignment.annotator_state` asks before the next
    item).
    """
    annotators = Membership.objects.filter(
        Exists(Label.objects.filter(annotator=OuterRef("pk"))),
        project=project,
        active=True,
        annotates=True,
        user__isnull=False,
        created_at__lt=OuterRef("created_at"),
    ).order_by()
    rows: QuerySet[Guideline] = project.guidelines.select_related("author").annotate(
        annotators_asked=_count(annotators), read=_count(annotators.filter(guideline_read__gte=OuterRef("number")))
    )
    asked_by = questions_by_guideline(project)
    return [
        VersionReading(
            row,
            row.annotators_asked if row.asks_reading else 0,  # type: ignore[attr-defined]  # annotated above; mypy sees only fields
            row.read if row.asks_reading else 0,  # type: ignore[attr-defined]  # annotated above; mypy sees only fields
            asked_by.get(row.number, ()),
        )
        for row in rows
    ]


def questions_by_guideline(project: Project) -> dict[int, tuple[Question, ...]]:
    """Return the versions of further questions that were asked while each version of the guidelines was in force."""
    if not project.question_count and project.design_number == 1:
        return {}  # it never asked any
    questions = project.questions.order_by("place", "code", "version")
    ended = {(row.code, row.version): row.retired_at for row in questions}
    ended |= {(row.code, row.version - 1): row.created_at for row in questions}
    by_number, until = {}, timezone.now()
    for number, since in project.guidelines.values_list("number", "created_at"):
        by_number[number] = tuple(
            row
            for row in questions
            if row.created_at <= until and ((end := ended[row.code, row.version]) is None or end > since)
        )
        until = since
    return by_number


def _count(members: QuerySet[Membership]) -> Coalesce:
    counted = members.values("project").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)
