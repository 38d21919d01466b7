"""Store what was read in a picture: by a machine for all items that show it, by a person for one item."""

from collections.abc import Sequence
from enum import Enum
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest

from annotation.domain.choices import EventVerb, PriorState, Stage
from annotation.domain.pictures.words import GIVEN, MOST_CHARS, PERSON, Words, language_of
from annotation.domain.text_rules import read_optional_text
from annotation.models import Item, Membership, PictureText, Project, record
from providers.keyword.model import own_cues, worst_hit


class ReadMeanwhile(ValueError):
    """The words were read or corrected after the page was shown; `reading` is their present state."""

    def __init__(self, reading: PictureText | None) -> None:
        super().__init__("another reading is there already")
        self.reading = reading


class Over(Enum):
    """What a new reading may replace. What came with the data and what a person corrected is never replaced."""

    NOTHING = "nothing"
    FAILURES = "failures"
    """What the reader on this machine could not read."""
    MACHINES = "machines"
    """Whatever a machine has read."""


_STAYS = {
    Over.NOTHING: Q(),
    Over.FAILURES: Q(state=PriorState.OK) | Q(run_id__isnull=False),
    Over.MACHINES: Q(reader__in=(GIVEN, PERSON)),
}


def unread_items(project: Project, over: Over = Over.NOTHING) -> QuerySet[Item]:
    """Return the items with a picture that nobody has read, or whose reading may be replaced."""
    readings = PictureText.objects.filter(_STAYS[over], item=OuterRef("pk"), current=True)
    pictured = Item.objects.filter(project=project, picture__isnull=False).exclude(stage=Stage.EXCLUDED)
    return pictured.filter(~Exists(readings))


@transaction.atomic
def store_words(
    project: Project,
    picture: int,
    words: Words,
    reader: str,
    *,
    run: UUID | None = None,
    over: Over = Over.NOTHING,
) -> int:
    """Store what a machine read in a picture for all items that show it and wait for it. Return how many did."""
    lines = [line.as_json() for line in words.lines]
    return _store(
        _held(project, picture, over),
        PictureText(
            text=words.text,
            lines=lines,
            confidence=words.confidence,
            language=words.language,
            reader=reader,
            run_id=run,
        ),
    )


@transaction.atomic
def store_failure(
    project: Project,
    picture: int,
    state: PriorState,
    reason: str,
    reader: str,
    *,
    run: UUID | None = None,
    over: Over = Over.NOTHING,
) -> int:
    """Store why a picture was not read; words that are there already stay. Return the number of items."""
    worded = PictureText.objects.filter(item=OuterRef("pk"), current=True, state=PriorState.OK)
    items = _held(project, picture, over, without=Exists(worded))
    return _store(items, PictureText(state=state, reason=reason[:40], reader=reader, run_id=run))


def store_given(item: Item, text: str, reader: str) -> bool:
    """Store words that came with the data, in the caller's transaction.

    Return False if words are there that came with the data, or that a person corrected.
    """
    if PictureText.objects.filter(item=item, current=True, reader__in=(GIVEN, PERSON)).exists():
        return False
    return bool(_store([item], PictureText(text=text, language=language_of(text), reader=reader)))


@transaction.atomic
def correct_words(member: Membership, item: Item, text: str, seen_key: int | None) -> PictureText:
    """Store a person's version of the words in a picture; the same words change nothing.

    `seen_key` is the key of the reading that the person saw, None if there was none.
    Raises ReadMeanwhile if there is another one now, and BadText.
    """
    text = read_optional_text(text.strip().replace("\r\n", "\n"), MOST_CHARS)
    locked = Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
    before = PictureText.objects.filter(item=locked, current=True).first()
    if (before.pk if before else None) != seen_key:
        raise ReadMeanwhile(before)
    if before is not None and before.state == PriorState.OK and before.text == text:
        return before
    _store([locked], PictureText(text=text, language=language_of(text), reader=PERSON, member=member))
    now = PictureText.objects.get(item=locked, current=True)
    record(
        EventVerb.PICTURE_TEXT_CORRECTED,
        project=member.project,
        actor=member,
        item=item,
        before=before.reader if before else None,
    )
    return now


def severity_of(text: str) -> int:
    """Return how severe words are by the open cues of the built-in list, 0 to 3; 0 says that no cue was found."""
    hit = worst_hit(text, own_cues()) if text else None
    return hit.severity if hit else 0


def _held(project: Project, picture: int, over: Over, without: Exists | None = None) -> list[Item]:
    """Lock and return the items that show a picture and wait for its words."""
    waiting = unread_items(project, over).filter(picture=picture)
    if without is not None:
        waiting = waiting.exclude(Q(without))
    return list(Item.objects.select_for_update(of=("self",)).filter(pk__in=waiting.values("pk")).order_by("pk"))


def _store(items: Sequence[Item], like: PictureText) -> int:
    """Make a reading like this one the present one of each item; severe words count for the item's severity."""
    keys = [item.pk for item in items]
    PictureText.objects.filter(item__in=keys, current=True).update(current=False)
    fields = [field.attname for field in PictureText._meta.concrete_fields if field.attname not in ("id", "item_id")]
    values = {name: getattr(like, name) for name in fields}
    PictureText.objects.bulk_create(PictureText(item_id=key, **values) for key in keys)
    if severity := severity_of(like.text):
        item_severity = Coalesce(F("severity"), 0)
        Item.objects.filter(pk__in=keys).update(severity=Greatest(item_severity, severity))
    return len(keys)
