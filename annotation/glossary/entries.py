"""The glossary: entries proposed, changed, approved and retired, each change kept; and what a post holds of them.

A term once learned, from a run or a decision, is known to everybody who looks at the next post.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.domain.choices import EventVerb, GlossaryKind, GlossarySourceKind, GlossaryStatus
from annotation.domain.glossary.entry import EntryValues, key_of
from annotation.domain.glossary.matching import Hit, Matcher, Term, first_of_each
from annotation.domain.glossary.prompt_text import Known
from annotation.models import (
    GlossaryEntry,
    GlossarySource,
    GlossaryUse,
    GlossaryVersion,
    Membership,
    Project,
    Seat,
    record,
)

MOST_ENTRIES = 20_000
"""Entries of one project."""
MOST_IN_PROMPT = 12
"""Entries given to a model with one post; the earliest in the text."""
_VERB_OF = {
    GlossaryStatus.PROPOSED: EventVerb.GLOSSARY_PROPOSED,
    GlossaryStatus.APPROVED: EventVerb.GLOSSARY_APPROVED,
    GlossaryStatus.RETIRED: EventVerb.GLOSSARY_RETIRED,
}


class TermKnown(ValueError):
    """The project has this term already; `entry` explains it."""

    def __init__(self, entry: GlossaryEntry) -> None:
        super().__init__(f"{entry.term} is in the glossary already")
        self.entry = entry


class ChangedMeanwhile(ValueError):
    """Somebody changed the entry since the page was shown; `entry` is what stands now."""

    def __init__(self, entry: GlossaryEntry) -> None:
        super().__init__(f"version {entry.version} is there already")
        self.entry = entry


class GlossaryFull(ValueError):
    """No further entry fits."""


@dataclass(frozen=True)
class Origin:
    """Where somebody found it: a run, a decision or a piece of evidence (with its item), or words."""

    kind: GlossarySourceKind
    reference: UUID | None = None
    item: UUID | None = None
    note: str = ""


@dataclass(frozen=True)
class Found:
    """An approved entry that a text holds, and where."""

    entry: GlossaryEntry
    hit: Hit[int]

    def written(self, text: str) -> str:
        """The words of the text that were taken for the term."""
        return text[self.hit.start : self.hit.end]


@transaction.atomic
def propose(
    member: Membership, values: EntryValues, origins: Sequence[Origin] = (), *, approved: bool = False
) -> GlossaryEntry:
    """Add an entry; it counts once it is approved. Raises TermKnown and GlossaryFull."""
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
    """Add entries whose terms the project does not have, in few statements."""
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
    """Store what was written over version `version`; the same values change nothing.

    Raises ChangedMeanwhile, and TermKnown where the new term is another entry's.
    """
    project, held = _hold(member.project_id), _lock(entry, version)
    if _columns(values) == {name: getattr(held, name) for name in _columns(values)}:
        return held
    other = project.glossary.filter(key=key_of(values.term)).exclude(pk=held.pk).first()
    if other is not None:
        raise TermKnown(other)
    for name, value in _columns(values).items():
        setattr(held, name, value)
    held.key = key_of(values.term)
    _step(held, member)
    record(EventVerb.GLOSSARY_CHANGED, project=project, actor=member, row=held.public_id, version=held.version)
    return held


@transaction.atomic
def rule(member: Membership, entry: GlossaryEntry, status: GlossaryStatus, version: int) -> GlossaryEntry:
    """Approve an entry, retire it, or make it a proposal again. Raises ChangedMeanwhile."""
    project, held = _hold(member.project_id), _lock(entry, version)
    if held.status == status:
        return held
    held.status = status
    _step(held, member)
    record(_VERB_OF[status], project=project, actor=member, row=held.public_id, term=held.term)
    return held


@transaction.atomic
def add_source(member: Membership, entry: GlossaryEntry, origin: Origin) -> None:
    """Note one more place an entry is known from; the same place twice is once."""
    same = entry.sources.filter(kind=origin.kind, reference=origin.reference, note=origin.note)
    if not same.exists():
        GlossarySource.objects.bulk_create(_sources(entry, [origin]))
        record(EventVerb.GLOSSARY_SOURCE_ADDED, project=member.project, actor=member, row=entry.public_id)


def found_in(project: Project, text: str) -> list[Found]:
    """Return the approved entries of the project that this text contains, each once, in order of position."""
    newest = GlossaryVersion.objects.filter(project=project.pk).aggregate(newest=Max("pk"))["newest"] if text else None
    if newest is None:
        return []
    matcher, entries = _index(project.public_id, newest)
    return [Found(entries[key], hit) for key, hit in first_of_each(matcher.find(text)).items()]


def given_to(run: UUID, project: Project, text: str, *, like: UUID | None = None) -> tuple[Known, ...]:
    """The entries a run is given, G1 first: found when it first asks, and the same ones ever after.

    They stand as they were then, also where somebody has changed them since. A run that goes on from another one's
    turns is given what that one, `like`, was given.
    """
    used = _used(run)
    if not used:
        before = [(use.entry, use.version) for use in _used(like) if use.entry] if like else []
        found = before or [(each.entry, each.entry.version) for each in found_in(project, text)][:MOST_IN_PROMPT]
        rows = [
            GlossaryUse(project=project, run=run, number=number, entry=entry, version=version)
            for number, (entry, version) in enumerate(found, 1)
        ] or [GlossaryUse(project=project, run=run, number=0)]
        GlossaryUse.objects.bulk_create(rows, ignore_conflicts=True)
        used = _used(run)
    return tuple(_known(use.number, use.entry, use.version) for use in used if use.entry is not None)


def uses_of(run: UUID) -> list[GlossaryUse]:
    """Return the entries that a run was given, by their numbers."""
    return [use for use in _used(run) if use.entry is not None]


def open_beside(seat: Seat) -> list[Found]:
    """What the glossary says about the post of a seat, for its annotator, who asked for it; that is recorded."""
    project = seat.item.project
    record(EventVerb.GLOSSARY_OPENED, project=project, actor=seat.annotator, item=seat.item, row=seat.public_id)
    return found_in(project, seat.item.text)


def values_of(entry: GlossaryEntry) -> EntryValues:
    """An entry as its values."""
    return EntryValues(
        entry.term,
        entry.meaning,
        GlossaryKind(entry.kind),
        entry.target_group,
        tuple(entry.languages),
        entry.examples,
    )


@lru_cache(maxsize=8)
def _index(project: UUID, newest: int) -> tuple[Matcher[int], dict[int, GlossaryEntry]]:
    """The approved entries and their matcher; `newest` is the last change of the glossary, so each makes another."""
    rows = GlossaryEntry.objects.filter(project__public_id=project, status=GlossaryStatus.APPROVED)
    entries = {entry.pk: entry for entry in rows}
    return Matcher(Term(entry.pk, entry.term, tuple(entry.languages)) for entry in entries.values()), entries


def _hold(project: int) -> Project:
    """The project, locked, one change of its glossary ahead."""
    return Project.objects.select_for_update(no_key=True).get(pk=project)


def _lock(entry: GlossaryEntry, version: int) -> GlossaryEntry:
    held = GlossaryEntry.objects.select_for_update().get(pk=entry.pk)
    if held.version != version:
        raise ChangedMeanwhile(held)
    return held


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


def _sources(entry: GlossaryEntry, origins: Iterable[Origin]) -> list[GlossarySource]:
    return [
        GlossarySource(entry=entry, kind=each.kind, reference=each.reference, item=each.item, note=each.note)
        for each in origins
    ]
