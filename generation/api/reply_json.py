"""Replies as the API shows them: a row of the list, and one with all that is known of it."""

from collections.abc import Iterable

from generation.api.answers import Edit
from generation.api.answers_desk import ReplyRow, ReplyStanding, ReplyVersion
from generation.api.claims import claim_json
from generation.api.exchange_json import models_work
from generation.counterspeech import replies
from generation.counterspeech.presenters import draft_of
from generation.counterspeech.versions import Version, history_of, versions_of
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.registers import Register
from generation.domain.counterspeech.safety_flags import Flag
from generation.domain.counterspeech.states import ReplyState
from generation.domain.word_diff import Change
from generation.models import Reply

EVERY_VERSION = 10_000
"""More texts than anybody hands in."""


def reply_row(reply: Reply) -> ReplyRow:
    """Return a reply as it stands, with people under their pseudonyms.

    No query where `exchange__item`, the people, `candidate`, `replaces` and `corrections` are loaded.
    """
    item, correction = reply.exchange.item, _replaced_by(reply)
    return {
        "id": reply.public_id,
        "item": item.external_id if item else None,
        "exchange": reply.exchange.public_id,
        "injected": reply.exchange.injected,
        "state": ReplyState(reply.state),
        "version": reply.version,
        "intent": Intent(reply.intent),
        "registers": [Register(name) for name in reply.registers],
        "text": reply.text,
        "author": reply.author.pseudonym,
        "approver": reply.approver.pseudonym if reply.approver else None,
        "candidate": reply.candidate.public_id if reply.candidate else None,
        "created_at": reply.created_at,
        "changed_at": reply.changed_at,
        "submitted_at": reply.submitted_at,
        "approved_at": reply.approved_at,
        "pc": reply.pc,
        "aq": reply.aq,
        "t": reply.t,
        "reward": reply.reward,
        "seen_intent": reply.seen_intent or None,
        "scored": replies.is_scored(reply),
        "flags": [Flag(flag) for flag in reply.flags],
        "override_reason": reply.override_reason or None,
        "replaces": reply.replaces.public_id if reply.replaces else None,
        "correction_reason": reply.correction_reason or None,
        "replaced_by": correction.public_id if correction else None,
        "withdrawn_by": reply.withdrawn_by.pseudonym if reply.withdrawn_by else None,
        "withdrawn_at": reply.withdrawn_at,
        "withdrawal_reason": reply.withdrawal_reason or None,
    }


def standing(reply: Reply) -> ReplyStanding:
    """Return a reply as it stands, with its texts, what was said and done, and what marks its present text."""
    draft = draft_of(reply, reply.author)
    return {
        **reply_row(reply),
        "versions": [_version(version) for version in versions_of(reply, EVERY_VERSION)],
        "comments": [
            {"author": row.author.pseudonym, "text": row.text, "created_at": row.created_at}
            for row in reply.comments.select_related("author")
        ],
        "history": [
            {"what": event.verb, "who": event.actor.pseudonym if event.actor else None, "at": event.at}
            for event in history_of(reply)
        ],
        "marks": [{"flag": found.flag, "words": found.words} for found in draft.findings],
        "claims": [claim_json(claim) for claim in draft.claims],
        "lengths": [
            {"platform": each.platform, "length": each.length, "most": each.most, "over": each.over}
            for each in draft.lengths
        ],
        "edits": _edits(draft.changes) if reply.candidate else None,
        "scoring": models_work(draft.score_run),
    }


def _version(version: Version) -> ReplyVersion:
    row, said = version.row, version.row.returned_with
    return {
        "number": row.number,
        "intent": Intent(row.intent),
        "text": row.text,
        "submitted_at": row.submitted_at,
        "returned_by": said.author.pseudonym if said else None,
        "returned_at": said.created_at if said else None,
        "comment": said.text if said else None,
        "edits": _edits(version.changes) if version.follows else None,
    }


def _edits(changes: Iterable[Change]) -> list[Edit]:
    return [{"kind": change.kind, "text": change.text} for change in changes if change.kind != "same"]


def _replaced_by(reply: Reply) -> Reply | None:
    """Return the correction that took the reply's place."""
    if reply.state != ReplyState.REPLACED:
        return None
    return next((each for each in reply.corrections.all() if each.approved_at), None)
