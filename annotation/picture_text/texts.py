"""The texts of an item: what was posted, and the words that were read in its picture."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.models import Item, PictureText


@dataclass(frozen=True)
class ItemTexts:
    """The texts of one item. `picture` and `reader` are empty if nothing was read in its picture."""

    text: str
    picture: str = ""
    reader: str = ""

    @property
    def picture_in_one_line(self) -> str:
        """The words of the picture without their line breaks: a line ends where there is no more room, in words too."""
        return self.picture.replace("\n", " ")

    @property
    def joined(self) -> str:
        """Both texts, the posted one first; what is looked for in an item is looked for here."""
        return "\n".join(filter(None, (self.text, self.picture_in_one_line)))


def texts_of(item: Item) -> ItemTexts:
    """Return the texts of an item, with one query if it has a picture."""
    if item.picture_id is None and not item.picture_missing:
        return ItemTexts(item.text)
    picture, reader = words_in_pictures([item.pk]).get(item.pk, ("", ""))
    return ItemTexts(item.text, picture, reader)


def words_in_pictures(items: "Iterable[int] | QuerySet[Item, Any]") -> dict[int, tuple[str, str]]:
    """Return the words in the pictures of these items and who read them, by the item's key; only where there are any.

    The keys may be a query.
    """
    rows = PictureText.objects.filter(item__in=items, current=True).exclude(text="")
    return {item: (text, reader) for item, text, reader in rows.values_list("item", "text", "reader")}


def words_at(item: int, then: datetime) -> str:
    """Return the words in an item's picture as they were known at that time, for runs that began then."""
    read = PictureText.objects.filter(item=item, created_at__lte=then).order_by("-pk")
    return read.values_list("text", flat=True).first() or ""


def reading_of(item: Item) -> PictureText | None:
    """Return the present reading of the item's picture, in any state.

    Returns None if it was not read yet.
    """
    return PictureText.objects.filter(item=item, current=True).select_related("member").first()
