"""What identifies a person in a text, found and replaced by a word before anything is stored: these forms, no names.

In every script: particles and verbs may touch what is found, signs and digits may have full width. What looks alike is
left alone: dates, ranges of years, addresses of machines, ISBNs, serials, versions, decimals, amounts, smileys.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TypedDict

from annotation.domain.masking import addresses, handles, identity, messengers, phones, streets
from annotation.domain.masking.ordinary import is_ordinary
from annotation.domain.masking.regions import Regions
from annotation.domain.masking.spans import Place, Places, Plain, read


class Mask(StrEnum):
    """The kinds of identifying text that can be masked. Where two overlap, the earlier one counts."""

    EMAILS = "emails"
    MESSENGERS = "messengers"
    URLS = "urls"
    IBANS = "ibans"
    IDS = "ids"
    CARDS = "cards"
    PASSPORTS = "passports"
    ADDRESSES = "addresses"
    PHONES = "phones"
    HANDLES = "handles"
    PLATES = "plates"


def _anywhere(find: Callable[[Plain], Places]) -> Callable[[Plain, Regions], Places]:
    """Return the function for a kind that does not depend on the campaign's countries."""
    return lambda text, _regions: find(text)


_FIND: Mapping[Mask, Callable[[Plain, Regions], Places]] = {
    Mask.EMAILS: _anywhere(addresses.emails),
    Mask.MESSENGERS: _anywhere(messengers.messengers),
    Mask.URLS: _anywhere(addresses.urls),
    Mask.IBANS: _anywhere(identity.ibans),
    Mask.IDS: _anywhere(identity.ids),
    Mask.CARDS: _anywhere(identity.cards),
    Mask.PASSPORTS: _anywhere(identity.passports),
    Mask.ADDRESSES: _anywhere(streets.addresses),
    Mask.PHONES: phones.phones,
    Mask.HANDLES: _anywhere(handles.handles),
    Mask.PLATES: _anywhere(identity.plates),
}
_NUMBERS = {Mask.IBANS, Mask.IDS, Mask.CARDS, Mask.PASSPORTS}
_MAY_BE_NUMBERS = {*list(_FIND)[list(_FIND).index(Mask.IBANS) :]} - _NUMBERS
"""The kinds that give way to such numbers, so that these need not be looked for where none of them is found."""
WORDS: Mapping[Mask, str] = {
    Mask.EMAILS: "<email>",
    Mask.URLS: "<url>",
    Mask.IBANS: "<iban>",
    Mask.IDS: "<id>",
    Mask.CARDS: "<card>",
    Mask.PASSPORTS: "<passport>",
    Mask.MESSENGERS: "<messenger>",
    Mask.ADDRESSES: "<address>",
    Mask.PHONES: "<phone>",
    Mask.HANDLES: "<user>",
    Mask.PLATES: "<plate>",
}


@lru_cache(maxsize=64)
def _finders(kinds: frozenset[Mask]) -> Sequence[tuple[Mask, Callable[[Plain, Regions], Places]]]:
    """Return the functions for these kinds in their order. An import asks for the same kinds in every text."""
    return [(kind, find_kind) for kind, find_kind in _FIND.items() if kind in kinds]


@dataclass(frozen=True)
class Found:
    """Something that identifies a person, and its place in the text."""

    kind: Mask
    start: int
    end: int


_ANY = Regions()


def find(text: str, kinds: Collection[Mask], regions: Regions = _ANY) -> list[Found]:
    """Return what is found of these kinds, in the order of the text; nothing overlaps.

    Telephone numbers are those of the regions. A card is none of them, also where cards may stay: such numbers are
    looked for too where they may stand in the place of something else.
    """
    if is_ordinary(text):
        return []
    plain, at = read(text)
    places: dict[Mask, list[Place]] = {}  # called as `dict[…]()` it takes 2 µs
    for kind, find_kind in _finders(frozenset(kinds)):
        if (found_here := find_kind(plain, regions)) and (listed := list(found_here)):
            places[kind] = listed
    if not places:
        return []
    if not _MAY_BE_NUMBERS.isdisjoint(places):
        places |= {kind: list(_FIND[kind](plain, regions)) for kind in _NUMBERS if kind not in kinds}
    taken: list[Found] = []
    for kind in _FIND:
        if spans := places.get(kind):
            free = [Found(kind, start, end) for start, end in spans]
            taken = sorted([*taken, *_without_overlaps(free, taken)], key=lambda found: found.start)
    return [Found(found.kind, at[found.start], at[found.end - 1] + 1) for found in taken if found.kind in kinds]


def _without_overlaps(new: list[Found], taken: list[Found]) -> Iterator[Found]:
    """Yield the new ones that overlap nothing taken. Both are in the order of the text."""
    at = 0
    for found in sorted(new, key=lambda found: found.start):
        while at < len(taken) and taken[at].end <= found.start:
            at += 1
        if at == len(taken) or found.end <= taken[at].start:
            yield found


_SHOWN, _AROUND = 2, 20
"""Characters of what is masked that an example shows, and of the text on each side of it."""


class Example(TypedDict):
    """What would be masked, but for its first characters hidden, and what becomes of the words around it."""

    was: str
    became: str


def examples_of(text: str, kinds: Collection[Mask], regions: Regions = _ANY) -> Iterator[tuple[Mask, Example]]:
    """Yield an example for each thing found. Who reads it sees the form of what goes, and not the thing itself."""
    found = find(text, kinds, regions)
    masked, places = _replaced(text, found)
    for each, place in zip(found, places, strict=True):
        secret = text[each.start : each.end]
        was = secret[:_SHOWN] + "".join("•" if letter.isalnum() else letter for letter in secret[_SHOWN:])
        became = masked[max(0, place - _AROUND) : place + len(WORDS[each.kind]) + _AROUND]
        yield each.kind, Example(was=was, became=became)


def mask(text: str, kinds: Collection[Mask], regions: Regions = _ANY) -> tuple[str, Counter[Mask]]:
    """Return the text with a word in angle brackets for each thing found, and the number of things of each kind."""
    found = find(text, kinds, regions) if kinds else []
    if not found:
        return text, Counter()
    return _replaced(text, found)[0], Counter(each.kind for each in found)


def _replaced(text: str, found: Sequence[Found]) -> tuple[str, list[int]]:
    """Return the text with a word for each thing found, and where in it the words begin."""
    pieces: list[str] = []
    places: list[int] = []
    at = length = 0
    for each in found:
        pieces += (text[at : each.start], WORDS[each.kind])
        length += each.start - at
        places.append(length)
        length += len(WORDS[each.kind])
        at = each.end
    return "".join([*pieces, text[at:]]), places
