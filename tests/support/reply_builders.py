"""A post that people found hateful, and replies to it: begun, handed in, approved. All on the ways of the site."""

from typing import Any

from annotation.consensus.close import close_item
from annotation.models import Item, Membership, Project
from builders import make_labelled_item, make_member
from generation.counterspeech import approve, replies, request
from generation.domain.counterspeech.intents import Intent
from generation.models import Candidate, Exchange, Reply

POST = "All newcomers are weeds."
READ_BY_TWO = "No critic is bound, and two of us read it."


def make_hateful_item(project: Project, text: str = POST, **fields: Any) -> Item:
    """Create an item that three people found hateful, so that its desk is open."""
    people = [make_member(project) for _ in range(3)]
    item = make_labelled_item(project, people, [1, 1, 1], text=text, **{"external_id": "post-1", **fields})
    close_item(item)
    item.refresh_from_db()
    return item


def draft_reply(
    about: Item | Exchange,
    author: Membership,
    text: str,
    intent: Intent = Intent.POSITIVE,
    *registers: Any,
    candidate: Candidate | None = None,
) -> Reply:
    """Begin a reply to a post, from a candidate if there is one, and write its text."""
    exchange = request.open_on_item(about) if isinstance(about, Item) else about
    return write_reply(replies.begin(exchange, author, intent, candidate), text, *registers)


def write_reply(reply: Reply, text: str, *registers: Any) -> Reply:
    """Write the text of a reply as its author, with these registers if any are named."""
    return replies.write(reply, reply.author, text, Intent(reply.intent), reply.version, registers or None)


def submit_reply(about: Item | Exchange, author: Membership, text: str, *more: Any, **fields: Any) -> Reply:
    """Draft a reply and hand it in."""
    reply = draft_reply(about, author, text, *more, **fields)
    replies.submit(reply, author)
    return reply


def approve_reply(
    about: Item | Exchange, author: Membership, second: Membership, text: str, *more: Any, **fields: Any
) -> Reply:
    """Draft a reply, hand it in, and approve it as a second person."""
    return approve.approve(submit_reply(about, author, text, *more, **fields), second, READ_BY_TWO)
