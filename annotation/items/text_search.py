"""Conditions for items by words in their texts, their ids and their pictures, helped by an index (`core/text_index`).

Terms and texts are compared in one written form (`domain/folding`): without regard to case, width, composed letters,
invisible signs, traditional characters, or blanks inside Korean and Chinese.
"""

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.core.text_index import ITEMS, PICTURES, SHORTEST, candidates
from annotation.domain.folding.text import folded
from annotation.models import Item, PictureText
from annotation.pages.long_lists import MOST_COSTLY

FILTERS = frozenset({"q", "text", "picture_text"})
"""The filters that compare words."""


def compared(term: str) -> str:
    """Return a term as it is compared; one of blanks and invisible signs alone stays as it is."""
    return folded(term).strip() or term


def in_text(term: str) -> Q:
    """Return the condition for words in the item's text."""
    term = compared(term)
    return candidates(term)[ITEMS] & Q(folded__contains=term)


def in_picture(term: str) -> Q:
    """Return the condition for words in the item's picture."""
    term = compared(term)
    if len(term) < SHORTEST:
        return Q(Exists(_pictures(term).filter(item=OuterRef("pk"))))
    return Q(pk__in=_pictures(term).filter(candidates(term)[PICTURES]).values("item"))


def anywhere(term: str, project: int) -> Q:
    """Return the condition for words in the text, the id or the picture of an item of this project.

    Each of the three is asked apart, because an index cannot answer "or" across tables. A term without a trigram, or in
    many items, is compared in one pass over the items: a page of them is found soon.
    """
    term = compared(term)
    likely = candidates(term)
    items = Item.objects.filter(likely[ITEMS], project=project).order_by()
    if len(term) < SHORTEST or _are_many(items.filter(folded__contains=term)):
        return Q(folded__contains=term) | Q(external_id__icontains=term) | in_picture(term)
    pictures = _pictures(term).filter(likely[PICTURES], item__project=project).order_by()
    by_text = items.filter(folded__contains=term).values("pk")
    return Q(pk__in=by_text.union(items.filter(external_id__icontains=term).values("pk"), pictures.values("item")))


def _are_many(items: QuerySet[Item]) -> bool:
    return items.values("pk")[MOST_COSTLY : MOST_COSTLY + 1].exists()


def _pictures(term: str) -> QuerySet[PictureText]:
    return PictureText.objects.filter(current=True, folded__contains=term)
