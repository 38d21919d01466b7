"""The post that a run or an investigation is about: an item, or a text that somebody pasted at another desk."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.http import Http404
from django.urls import reverse

from annotation.core.extensions import pasted_posts, pasted_text
from annotation.core.found import found
from annotation.models import Item, Membership, Project
from annotation.review.queue import may_see_votes


@dataclass(frozen=True)
class ReadPost:
    """A post that models read: an item, or a text that somebody pasted (`item` is None)."""

    public_id: UUID
    text: str
    item: Item | None = None

    @property
    def name(self) -> str | None:
        """The id under which the item was imported. A pasted text has none."""
        return self.item.external_id if self.item else None

    def page(self, slug: str) -> str:
        """Return the address of its evidence page."""
        return reverse(f"moderation:{'evidence' if self.item else 'text-evidence'}", args=[slug, self.public_id])

    def start(self, slug: str) -> str:
        """Return the address that starts an investigation of it."""
        name = "evidence-start" if self.item else "text-evidence-start"
        return reverse(f"moderation:{name}", args=[slug, self.public_id])


def item_for(member: Membership, public_id: UUID) -> Item:
    """Return an item of the project whose votes the viewer may see.

    Raises Http404.
    """
    item = Item.objects.filter(project=member.project, public_id=public_id).select_related("picture").first()
    if item is None or item.excluded_for == "reported" or not may_see_votes(item, member):
        raise Http404
    item.project = member.project
    return item


def item_post(member: Membership, public_id: UUID) -> ReadPost:
    """Return an item as a post. Raises Http404 as `item_for` does."""
    item = item_for(member, public_id)
    return ReadPost(item.public_id, item.text, item)


def text_post(member: Membership, public_id: UUID) -> ReadPost:
    """Return a pasted text of the project as a post. Raises Http404 if there is none."""
    return ReadPost(public_id, found(pasted_text(member.project.public_id, public_id)))


def post_for(member: Membership, public_id: UUID) -> ReadPost:
    """Return the item or the pasted text with this id. Raises Http404 where the viewer may not see it."""
    text = pasted_text(member.project.public_id, public_id)
    return item_post(member, public_id) if text is None else ReadPost(public_id, text)


def pasted_among(project: Project, subjects: Iterable[UUID]) -> set[UUID]:
    """Return those of these posts that are pasted texts."""
    named = list(subjects)
    queries = pasted_posts(project.public_id) if named else []
    return {post for rows in queries for post in rows.filter(public_id__in=named).values_list("public_id", flat=True)}
