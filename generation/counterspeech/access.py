"""Access to the counterspeech pages: they are for reviewers and admins of the project."""

from collections.abc import Collection
from uuid import UUID

from django.http import Http404
from django.utils.translation import get_language

from annotation.core.visible_items import visible_items
from annotation.domain.choices import Role
from annotation.models import Item, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.review.queue import may_see_votes
from generation.counterspeech.presenters import may_open, readable
from generation.counterspeech.translations import POST, TranslationBox
from generation.models import Exchange, Reply


def desk_member(request: PersonRequest, slug: str) -> Membership:
    """Return the viewer as a reviewer or admin of the project. Raises Http404 for anybody else."""
    return member_of(request, slug, Role.REVIEWER, Role.ADMIN)


def item_for(member: Membership, public_id: UUID) -> Item:
    """Return an item of the project whose votes the viewer may see. Raises Http404 if there is none."""
    item = visible_items(member).filter(public_id=public_id).select_related("picture").first()
    if item is None or item.excluded_for == "reported" or not may_see_votes(item, member):
        raise Http404
    item.project = member.project
    return item


def exchange_for(member: Membership, public_id: UUID) -> Exchange:
    """Return an exchange of the project that the viewer may open. Raises Http404 if there is none."""
    rows = Exchange.objects.filter(project=member.project_id, public_id=public_id)
    exchange = rows.select_related("item__picture").first()
    if exchange is None or not may_open(exchange, member):
        raise Http404
    exchange.project = member.project
    return exchange


def reply_for(member: Membership, public_id: UUID) -> Reply:
    """Return a reply that the viewer may read. Raises Http404 if there is none."""
    rows = readable(Reply.objects.filter(exchange__project=member.project_id), member)
    reply = rows.filter(public_id=public_id).first()
    if reply is None or not may_open(reply.exchange, member):
        raise Http404
    reply.exchange.project = member.project
    return reply


class UnknownItem(ValueError):
    """There is no such item that the viewer may answer; the message names it."""


def items_named(member: Membership, names: Collection[str]) -> list[Item]:
    """Return the items with these external ids, in their order. Raises UnknownItem."""
    known = {item.external_id: item for item in visible_items(member).filter(external_id__in=names)}
    items = []
    for name in names:
        item = known.get(name)
        if item is None or item.excluded_for or not may_see_votes(item, member):
            raise UnknownItem(f"There is no item {name[:80]!r} that can be answered.")
        item.project = member.project
        items.append(item)
    return items


def box_named(
    member: Membership, exchange: Exchange, named: str, language: str = "", fault: str = ""
) -> TranslationBox:
    """Return the box of the post, or of the reply or candidate of this id.

    Raises Http404 for anything else, and for a reply that the member may not read.
    """
    text = exchange.hate if named == POST else _text_of(member, exchange, named)
    return TranslationBox(exchange, named, text, language or get_language() or "en", fault)


def _text_of(member: Membership, exchange: Exchange, named: str) -> str:
    try:
        public_id = UUID(named)
    except ValueError:
        raise Http404 from None
    candidate = exchange.candidates.filter(public_id=public_id).first()
    if candidate is not None:
        return candidate.text
    reply = reply_for(member, public_id)
    if reply.exchange_id != exchange.pk:
        raise Http404
    return reply.text
