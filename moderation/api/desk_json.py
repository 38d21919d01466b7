"""What the desk of reviewers holds, as the API shows it: disputes, decisions, appeals, statements."""

from typing import Any

from annotation.domain.choices import Level, Modality, Reason
from annotation.models import Adjudication, Item
from annotation.review.queue import VoteCard
from moderation.api.answers_desk import (
    AppealJson,
    Decision,
    DisputeJson,
    DisputeRow,
    SetAsideJson,
    StatementJson,
    VoteJson,
)
from moderation.desk import statements
from moderation.desk.case_view import Desk
from moderation.models import Appeal, SetAside, Statement
from vocabulary.answers import answer


def decision_json(adjudication: Adjudication) -> Decision:
    """Return a decision as the API shows it."""
    return answer(Decision, adjudication, at=adjudication.created_at)


def appeal_json(appeal: Appeal) -> AppealJson:
    """Return an appeal as the API shows it."""
    return answer(AppealJson, appeal)


def dispute_row_json(item: Item) -> DisputeRow:
    """Return a post of the queue, without its votes."""
    return answer(
        DisputeRow,
        item,
        reasons=[row.reason for row in getattr(item, "open_disputes", ())],
        since=getattr(item, "open_since", None),
        vote_entropy=getattr(item, "vote_entropy", None),
        waits=getattr(item, "waits", False),
        set_aside=next((set_aside_json(row, blind=True) for row in getattr(item, "set_aside_rows", ())), None),
    )


def set_aside_json(row: SetAside, *, blind: bool) -> SetAsideJson:
    """Return what sets a post aside; without its note where the caller should know nothing of others' views yet."""
    return answer(SetAsideJson, row, note=None if blind else row.note)


def dispute_json(desk: Desk) -> DisputeJson:
    """Return a disputed post as its reviewer sees it: without votes as long as their own category is wanted."""
    item, blind = desk.item, desk.blind
    shown: DisputeJson = {
        "id": item.public_id,
        "text": item.text,
        "picture": item.picture.public_id if item.picture else None,
        "picture_text": None if blind or desk.reading is None else desk.reading.text,
        "version": item.version,
        "round": item.round,
        "reasons": [Reason(row.reason) for row in desk.disputes],
        "wants_category": blind,
        "may_decide": desk.may_decide and not blind,
        "second_look": desk.needs_second,
        "proposal": desk.proposed.public_id if desk.proposed else None,
        "leased_to": str(desk.other_lease.reviewer) if desk.other_lease else None,
        "set_aside": set_aside_json(desk.set_aside, blind=blind) if desk.set_aside else None,
    }
    if not blind:
        shown["level"] = _level(item)
        shown["votes"] = [_vote(card) for card in desk.cards]
        shown["contested"] = [Modality(challenge.modality) for challenge in desk.contested]
        shown["decisions"] = [decision_json(adjudication) for adjudication in desk.past]
        hint: Any = desk.pointer.facts if desk.pointer else None  # as a decision records it, ids as text
        shown["triage"] = hint
    return shown


def _level(item: Item) -> Level | None:
    return Level(item.level) if item.level else None


def _vote(card: VoteCard) -> VoteJson:
    named = {"category": card.category, "categories": card.row.categories}
    return answer(VoteJson, card.label, letter=card.letter, replaced=card.replaced, **named)


def statement_json(version: Statement) -> StatementJson:
    """Return a version of a statement of reasons."""
    return {"version": version.version, "at": version.created_at, "fields": statements.as_json(version)}
