"""The history of an item, newest first: who did what, and what they wrote."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from annotation.domain.choices import NEVER_SHOWN, EventVerb
from annotation.models import Adjudication, Event, Item, Membership, Ruling
from annotation.pages.display_names import name_of
from annotation.review.queue import names_revealed
from moderation.debates.presenters import debate_runs
from moderation.domain.event_verbs import ModerationVerb
from moderation.models import Appeal, Proposal, SetAside

_OF_ANNOTATORS = frozenset(
    {
        EventVerb.LABELLED,
        EventVerb.CORRECTED,
        EventVerb.TAKEN_BACK,
        EventVerb.FIRST_ANSWER,
        EventVerb.SEAT_LAPSED,
        EventVerb.SEAT_EMPTIED,
        EventVerb.REPORT,
    }
)
_RULINGS = frozenset(Ruling.values)
_SET_ASIDE = frozenset({ModerationVerb.ASSIGNED, ModerationVerb.PARKED})
_HIDDEN = frozenset({ModerationVerb.PROPOSED, ModerationVerb.PROPOSAL_TAKEN_BACK, ModerationVerb.OPINION})


@dataclass(frozen=True)
class Entry:
    """One event, proposal or run in the history."""

    at: datetime
    who: str
    what: str
    decided: Adjudication | Proposal | None = None
    reason: str = ""
    note: str = ""


@dataclass(frozen=True)
class _Rows:
    """The rows of an item that its events name, by their public ids."""

    rulings: dict[UUID, Adjudication]
    appeals: dict[UUID, Appeal]
    asides: dict[UUID, SetAside]


def history(item: Item, viewer: Membership) -> list[Entry]:
    """Return the whole history. Annotators have names only if the viewer asked to see them; nobody's skips are in it.

    Proposals about the present version of the item are left out.
    """
    named = names_revealed(item, viewer)
    rulings = {row.public_id: row for row in item.adjudications.select_related("category")}
    appeals = {row.public_id: row for row in Appeal.objects.filter(item=item)}
    events = (
        Event.objects.filter(item=item).exclude(verb__in=NEVER_SHOWN).select_related("actor").order_by("-at", "-pk")
    )
    asides = {row.public_id: row for row in SetAside.objects.filter(item=item).select_related("reviewer")}
    rows = _Rows(rulings, appeals, asides)
    entries = [_event_entry(event, rows, named=named) for event in events if event.verb not in _HIDDEN]
    entries += _proposals(item) + _runs(item)
    return sorted(entries, key=lambda entry: entry.at, reverse=True)


def _event_entry(event: Event, rows: _Rows, *, named: bool) -> Entry:
    verb, row = name_of(event.verb), event.row
    if event.verb in _RULINGS and row in rows.rulings:
        ruling = rows.rulings[row]
        return Entry(event.at, _who(event, named=named), verb, ruling, ruling.rationale, _beside(ruling))
    if event.verb == ModerationVerb.APPEALED and row in rows.appeals:
        opened = rows.appeals[row]
        return Entry(event.at, _who(event, named=named), verb, None, opened.grounds, opened.appellant)
    if event.verb in _SET_ASIDE and row in rows.asides:
        aside = rows.asides[row]
        note = " · ".join(filter(None, (str(aside.reviewer or ""), f"{aside.until:%Y-%m-%d}" if aside.until else "")))
        return Entry(event.at, _who(event, named=named), verb, None, aside.note, note)
    outcome = event.facts.get("outcome") or event.facts.get("reason") or event.facts.get("version")
    note = name_of(str(outcome)) if outcome else ", ".join(map(name_of, event.facts.get("reasons", ())))
    return Entry(event.at, _who(event, named=named), verb, None, "", note)


def _who(event: Event, *, named: bool) -> str:
    if event.actor is None:
        return _("the system")
    return str(event.actor) if named or event.verb not in _OF_ANNOTATORS else _("an annotator")


def _beside(ruling: Adjudication) -> str:
    parts = [ruling.target_group, ruling.message]
    if ruling.drafted_from:
        parts.append(_("started from a model's reason"))
    return " · ".join(text for text in parts if text)


def _proposals(item: Item) -> list[Entry]:
    """Return the proposals about earlier versions of the item; those need not be hidden from reviewers any more."""
    rows: Sequence[Proposal] = list(
        Proposal.objects.filter(item=item, item_version__lt=item.version).select_related("category", "reviewer")
    )
    return [
        Entry(
            row.created_at,
            str(row.reviewer),
            f"{name_of('proposed')}: {name_of(row.ruling)}",
            row,
            row.rationale,
        )
        for row in rows
    ]


def _runs(item: Item) -> list[Entry]:
    return [
        Entry(run.finished_at, capfirst(name_of(run.method)), name_of(run.state), None, "", "")
        for run in debate_runs(item.project).filter(subject=item.public_id, finished_at__isnull=False)
        if run.finished_at is not None
    ]
