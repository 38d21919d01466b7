"""The glossary: entries are proposed, changed, approved and retired, every change is stored, and posts are searched.

A term learned from a run or a decision is then shown to everybody who sees a post with it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation.assignment.prior_display import visible_picture_text
from annotation.core import extensions
from annotation.domain.choices import EventVerb, GlossaryKind, GlossarySourceKind, GlossaryStatus
from annotation.domain.glossary.disguises import How
from annotation.domain.glossary.entry import EntryValues, key_of
from annotation.domain.glossary.matching import Hit, Matcher, Term, first_of_each
from annotation.domain.glossary.prompt_text import Known
from annotation.models import (
    Adjudication,
    GlossaryEntry,
    GlossarySource,
    GlossaryUse,
    GlossaryVersion,
    Membership,
    Project,
    Seat,
    record,
)
from annotation.picture_text.texts import ItemTexts
from runs.models import Run

MOST_ENTRIES = 20_000
"""The maximum number of entries in one project."""
MOST_IN_PROMPT = 12
"""The maximum number of entries given to a model with one post: the first ones in the text."""
_VERB_OF = {
    GlossaryStatus.PROPOSED: EventVerb.GLOSSARY_PROPOSED,
    GlossaryStatus.APPROVED: EventVerb.GLOSSARY_APPROVED,
    GlossaryStatus.RETIRED: EventVerb.GLOSSARY_RETIRED,
}


_NOTHING: tuple[Matcher[int], dict[int, GlossaryEntry]] = (Matcher([]), {})


class TermKnown(ValueError):
    """The project already has this term; `entry` explains it."""

    def __init__(self, entry: GlossaryEntry) -> None:
        super().__init__(f"{entry.term} is in the glossary already")
        self.entry = entry


class ChangedMeanwhile(ValueError):
    """Somebody changed the entry after the page was shown; `entry` is its present state."""

    def __init__(self, entry: GlossaryEntry) -> None:
        super().__init__(f"version {entry.version} is there already")
        self.entry = entry


class GlossaryFull(ValueError):
    """The glossary has the maximum number of entries."""


@dataclass(frozen=True)
class Origin:
    """A source of an entry: a run, a decision or a piece of evidence (with its item), or a reference in words."""

    kind: GlossarySourceKind
    reference: UUID | None = None
    item: UUID | None = None
    note: str = ""


@dataclass(frozen=True)
class Found:
    """An approved entry that occurs in a text, and its position."""

    entry: GlossaryEntry
    hit: Hit[int]
    written: str
    """What stands in the text."""
    in_picture: bool = False
    """Whether the text is the words that were read in the picture."""

    @property
    def how(self) -> str:
        """Return the way in which the term occurs."""
        return self.hit.how

    @property
    def percent(self) -> int:
        """Return how sure the hit is, in percent."""
        return round(100 * self.hit.sureness)

    def as_json(self) -> dict[str, Any]:
        """Return the hit as programs read it."""
        return {
            "term": self.entry.term,
            "start": self.hit.start,
            "end": self.hit.end,
            "how": str(self.hit.how),
            "sureness": self.hit.sureness,
        }


@transaction.atomic
def propose(
    member: Membership, values: EntryValues, origins: Sequence[Origin] = (), *, approved: bool = False
) -> GlossaryEntry:
    """Add an entry as a proposal, or as approved. Raises TermKnown and GlossaryFull."""
    project = _hold(member.project_id)
    if project.glossary.count() >= MOST_ENTRIES:
        raise GlossaryFull(f"a glossary holds at most {MOST_ENTRIES:,} entries")
    if (known := project.glossary.filter(key=key_of(values.term)).first()) is not None:
        raise TermKnown(known)
    status = GlossaryStatus.APPROVED if approved else GlossaryStatus.PROPOSED
    entry = GlossaryEntry.objects.create(
        project=project, key=key_of(values.term), status=status, author=member, **_columns(values)
    )
    GlossarySource.objects.bulk_create(_sources(entry, origins))
    _keep(entry, member)
    record(EventVerb.GLOSSARY_PROPOSED, project=project, actor=member, row=entry.public_id, term=entry.term)
    if approved:
        record(EventVerb.GLOSSARY_APPROVED, project=project, actor=member, row=entry.public_id, term=entry.term)
    return entry


@transaction.atomic
def add_many(
    member: Membership, entries: Sequence[tuple[EntryValues, Sequence[Origin]]], *, approved: bool = False
) -> None:
    """Add entries for terms that the project does not have, in few statements."""
    project = _hold(member.project_id)
    status = GlossaryStatus.APPROVED if approved else GlossaryStatus.PROPOSED
    rows = GlossaryEntry.objects.bulk_create(
        [
            GlossaryEntry(project=project, key=key_of(values.term), status=status, author=member, **_columns(values))
            for values, _ in entries
        ],
        batch_size=500,
    )
    pairs = list(zip(rows, entries, strict=True))
    GlossarySource.objects.bulk_create(
        [source for row, (_, origins) in pairs for source in _sources(row, origins)], batch_size=500
    )
    GlossaryVersion.objects.bulk_create(
        [
            GlossaryVersion(
                project=project, entry=row, number=1, values=values.as_json() | {"status": str(status)}, member=member
            )
            for row, (values, _) in pairs
        ],
        batch_size=500,
    )
    record(EventVerb.GLOSSARY_IMPORTED, project=project, actor=member, entries=len(rows), approved=approved)


@transaction.atomic
def change(member: Membership, entry: GlossaryEntry, values: EntryValues, version: int) -> GlossaryEntry:
    """Store new values over version `version`; equal values change nothing.

    Raises ChangedMeanwhile, and TermKnown if another entry has the new term.
    """
    project, locked = _hold(member.project_id), _lock(entry, version)
    if _columns(values) == {name: getattr(locked, name) for name in _columns(values)}:
        return locked
    other = project.glossary.filter(key=key_of(values.term)).exclude(pk=locked.pk).first()
    if other is not None:
        raise TermKnown(other)
    for name, value in _columns(values).items():
        setattr(locked, name, value)
    locked.key = key_of(values.term)
    _step(locked, member)
    record(EventVerb.GLOSSARY_CHANGED, project=project, actor=member, row=locked.public_id, version=locked.version)
    return locked


@transaction.atomic
def rule(member: Membership, entry: GlossaryEntry, status: GlossaryStatus, version: int) -> GlossaryEntry:
    """Approve an entry, retire it, or make it a proposal again. Raises ChangedMeanwhile."""
    project, locked = _hold(member.project_id), _lock(entry, version)
    if locked.status == status:
        return locked
    locked.status = status
    _step(locked, member)
    record(_VERB_OF[status], project=project, actor=member, row=locked.public_id, term=locked.term)
    return locked


def found_in(project: Project, text: str) -> list[Found]:
    """Return the approved entries of the project that this text contains, each once, in order of position."""
    matcher, entries = _index_of(project) if text else _NOTHING
    hits = first_of_each(matcher.find(text))
    return [Found(entries[key], hit, text[hit.start : hit.end]) for key, hit in hits.items()]


def found_in_item(project: Project, texts: ItemTexts) -> list[Found]:
    """Return the approved entries that an item contains: those in its text, then those only in its picture's words."""
    in_text = found_in(project, texts.text)
    known = {found.entry.pk for found in in_text}
    in_picture = (found for found in found_in(project, texts.picture_in_one_line) if found.entry.pk not in known)
    return [*in_text, *(replace(found, in_picture=True) for found in in_picture)]


def finder(project: Project) -> Callable[[str], list[Found]]:
    """Return a function for many texts: every place of an approved entry in a text, in order of position."""
    matcher, entries = _index_of(project)

    def find(text: str) -> list[Found]:
        return [Found(entries[hit.key], hit, text[hit.start : hit.end]) for hit in matcher.find(text)]

    return find


def _index_of(project: Project) -> tuple[Matcher[int], dict[int, GlossaryEntry]]:
    newest = GlossaryVersion.objects.filter(project=project.pk).aggregate(newest=Max("pk"))["newest"]
    return _NOTHING if newest is None else _index(project.public_id, newest)


def given_to(run: UUID, project: Project, text: str, *, like: UUID | None = None) -> tuple[Known, ...]:
    """Return the entries that a run is given, G1 first: searched at its first request, and the same ones afterwards.

    They keep their version of that time, even if somebody changes them later. A run that continues from the turns of
    another run, `like`, gets the entries of that run.
    """
    used = _used(run)
    if not used:
        earlier = [(use.entry, use.version) for use in _used(like) if use.entry] if like else []
        chosen = earlier or [(match.entry, match.entry.version) for match in found_in(project, text)][:MOST_IN_PROMPT]
        rows = [
            GlossaryUse(project=project, run=run, number=number, entry=entry, version=version)
            for number, (entry, version) in enumerate(chosen, 1)
        ] or [GlossaryUse(project=project, run=run, number=0)]
        GlossaryUse.objects.bulk_create(rows, ignore_conflicts=True)
        used = _used(run)
    return tuple(_known(use.number, use.entry, use.version) for use in used if use.entry is not None)


def uses_of(run: UUID) -> list[GlossaryUse]:
    """Return the entries that a run was given, by their numbers."""
    return [use for use in _used(run) if use.entry is not None]


def open_beside(seat: Seat) -> list[Found]:
    """Return the glossary entries for the post of a seat, at its annotator's request; the request is recorded.

    Those in the picture's words are among them only if the annotator may see these words.
    """
    project = seat.item.project
    record(EventVerb.GLOSSARY_OPENED, project=project, actor=seat.annotator, item=seat.item, row=seat.public_id)
    words = visible_picture_text(project, seat)
    return found_in_item(project, ItemTexts(seat.item.text, words.text if words else ""))


def values_of(entry: GlossaryEntry) -> EntryValues:
    """Return an entry as its values."""
    return EntryValues(
        entry.term,
        entry.meaning,
        GlossaryKind(entry.kind),
        entry.target_group,
        tuple(entry.languages),
        entry.examples,
        entry.variants,
        tuple(map(How, entry.switched_off)),
        entry.initials,
        entry.sounds,
    )


@lru_cache(maxsize=8)
def _index(project: UUID, newest: int) -> tuple[Matcher[int], dict[int, GlossaryEntry]]:
    """Return the matcher and the approved entries.

    `newest` identifies the last change, so each change makes a new index.
    """
    rows = GlossaryEntry.objects.filter(project__public_id=project, status=GlossaryStatus.APPROVED)
    entries = {entry.pk: entry for entry in rows}
    return Matcher(map(_term, entries.values())), entries


def _term(entry: GlossaryEntry) -> Term[int]:
    return Term(
        entry.pk,
        entry.term,
        tuple(entry.languages),
        tuple(entry.variants.splitlines()),
        frozenset(map(How, entry.switched_off)),
        entry.initials,
        entry.sounds,
    )


def _hold(project: int) -> Project:
    """Lock the project, so that its glossary has one change at a time, and return it."""
    return Project.objects.select_for_update(no_key=True).get(pk=project)


def _lock(entry: GlossaryEntry, version: int) -> GlossaryEntry:
    locked = GlossaryEntry.objects.select_for_update().get(pk=entry.pk)
    if locked.version != version:
        raise ChangedMeanwhile(locked)
    return locked


def _step(entry: GlossaryEntry, member: Membership) -> None:
    entry.version += 1
    entry.changed_at = timezone.now()
    entry.save()
    _keep(entry, member)


def _keep(entry: GlossaryEntry, member: Membership) -> None:
    values = values_of(entry).as_json() | {"status": str(entry.status)}
    GlossaryVersion.objects.create(
        project_id=entry.project_id, entry=entry, number=entry.version, values=values, member=member
    )


def _used(run: UUID) -> list[GlossaryUse]:
    return list(GlossaryUse.objects.filter(run=run).select_related("entry"))


def _known(number: int, entry: GlossaryEntry, version: int) -> Known:
    then = entry if entry.version == version else GlossaryEntry(**entry.versions.get(number=version).values)
    return Known(number, then.term, then.meaning, then.target_group)


def _columns(values: EntryValues) -> dict[str, object]:
    return values.as_json()


def source_rows() -> dict[GlossarySourceKind, Callable[[Project], QuerySet[Any, Any]]]:
    """Return the kinds of rows that an entry can come from, each with the query for those of a project."""
    rows: dict[GlossarySourceKind, Callable[[Project], QuerySet[Any, Any]]] = {
        GlossarySourceKind.RUN: lambda project: Run.objects.filter(project=project.public_id),
        GlossarySourceKind.DECISION: lambda project: Adjudication.objects.filter(item__project=project),
    }
    for extension in extensions.registered():
        rows |= {GlossarySourceKind(kind): query for kind, query in extension.glossary_sources.items()}
    return rows


def _sources(entry: GlossaryEntry, origins: Iterable[Origin]) -> list[GlossarySource]:
    return [
        GlossarySource(entry=entry, kind=origin.kind, reference=origin.reference, item=origin.item, note=origin.note)
        for origin in origins
    ]
