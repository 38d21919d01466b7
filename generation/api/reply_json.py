"""Replies as the API shows them: a row of the list, and one with all that is known of it."""

from collections.abc import Iterable

from generation.api.answers_desk import CommentJson, Happened, LengthJson, ReplyRow, ReplyStanding, ReplyVersion
from generation.api.claims import claim_json
from generation.api.exchange_json import models_work
from generation.counterspeech import replies
from generation.counterspeech.presenters import draft_of
from generation.counterspeech.versions import Version, history_of, versions_of
from generation.domain.counterspeech.states import ReplyState
from generation.domain.word_diff import Change
from generation.files.reply_types import Edit
from generation.models import Reply
from vocabulary.answers import answer

EVERY_VERSION = 10_000
"""More texts than anybody hands in."""


def reply_row(reply: Reply) -> ReplyRow:
    """Return a reply as it stands, with people under their pseudonyms.

    No query where `exchange__item`, the people, `candidate`, `replaces` and `corrections` are loaded.
    """
    return answer(
        ReplyRow,
        reply,
        item=reply.exchange.item,
        injected=reply.exchange.injected,
        scored=replies.is_scored(reply),
        replaced_by=_replaced_by(reply),
    )


def standing(reply: Reply) -> ReplyStanding:
    """Return a reply as it stands, with its texts, what was said and done, and what marks its present text."""
    draft = draft_of(reply, reply.author)
    return {
        **reply_row(reply),
        "versions": [_version(version) for version in versions_of(reply, EVERY_VERSION)],
        "comments": [answer(CommentJson, row) for row in reply.comments.select_related("author")],
        "history": [answer(Happened, event, what=event.verb, who=event.actor) for event in history_of(reply)],
        "marks": draft.findings,
        "claims": [claim_json(claim) for claim in draft.claims],
        "lengths": [answer(LengthJson, each) for each in draft.lengths],
        "edits": _edits(draft.changes) if reply.candidate else None,
        "scoring": models_work(draft.score_run),
    }


def _version(version: Version) -> ReplyVersion:
    row, said = version.row, version.row.returned_with
    return answer(
        ReplyVersion,
        row,
        returned_by=said and said.author,
        returned_at=said and said.created_at,
        comment=said and said.text,
        edits=_edits(version.changes) if version.follows else None,
    )


def _edits(changes: Iterable[Change]) -> list[Edit]:
    return [{"kind": change.kind, "text": change.text} for change in changes if change.kind != "same"]


def _replaced_by(reply: Reply) -> Reply | None:
    """Return the correction that took the reply's place."""
    if reply.state != ReplyState.REPLACED:
        return None
    return next((each for each in reply.corrections.all() if each.approved_at), None)
