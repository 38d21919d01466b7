"""Splits of a project's items for a release, and storage of given split lists."""

import hashlib
import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.core.stored_files import StoreAway
from annotation.domain.choices import EventVerb, Stage
from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue, Unreadable
from annotation.domain.formats.lines import read_lines
from annotation.domain.imports.near_duplicates import ALIKE, LEAST_WORDS, near_texts
from annotation.domain.pictures.perceptual_hash import NEAR, likeness, near_pairs, telling
from annotation.domain.releases.columns import SPLIT_COLUMN
from annotation.domain.releases.splits import Dealt, Member, Part, Tie, deal
from annotation.domain.releases.topic_clusters import topics_of
from annotation.models import Item, Membership, Picture, Project, Release, SplitList, record
from annotation.picture_text.texts import words_in_pictures
from annotation.releases.files import ITEMS
from annotation.releases.folders import release_folder
from annotation.releases.request import Selection, Splitting
from providers.wiring import embedder
from runs.spending.embedding_budget import charged_to_project

MAX_LISTED = 1_000_000
_LINE = 4096
_PIECE = 500
_NAMED = 5
"""The number of ids listed in the report for entries of a split list without an item in the release."""


class BadSplitList(Exception):
    """A split list that cannot be read; `sentence` names the line."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True)
class Division:
    """The part of each item of a release by its id, and the report on leakage."""

    parts: Mapping[str, Part]
    report: Mapping[str, Any]


def look_at_pictures(project: Project) -> int:
    """Compute the fingerprint of each picture without one, and return their number.

    Call it before a snapshot, which cannot write.
    """
    new = Picture.objects.filter(project=project, likeness="").order_by("pk")
    count = 0
    while some := list(new[:_PIECE]):
        for picture in some:
            picture.likeness = _fingerprint(str(picture.file.name))
        Picture.objects.bulk_update(some, ["likeness"])
        count += len(some)
    return count


def find_topics(project: Project, selection: Selection) -> Mapping[str, int | None]:
    """Return the topic of each chosen text, embedded on the project's budget; empty if no topics are requested.

    Call it before a snapshot, which must not stay open while a provider answers.
    Raises ProviderError or Refused if the embedding fails.
    """
    splitting = selection.split
    if splitting is None or not splitting.topics:
        return {}
    texts = list(selection.items(project).order_by("pk").values_list("text", flat=True))
    vectors = charged_to_project(project.public_id, embedder()).embed(texts)
    return dict(zip(texts, topics_of(vectors, splitting.topics, splitting.seed), strict=True))


def divide(project: Project, selection: Selection, topics: Mapping[str, int | None] | None = None) -> Division:
    """Split the chosen items, inside the snapshot in which their rows are read.

    `topics` is the result of `find_topics`. Texts imported since have no topic; the report gives their number.
    """
    assert selection.split is not None
    splitting = selection.split
    items = _Items(selection.items(project))
    members = items.members
    ties = items.ties(topics if splitting.topics else None)
    kept_from, kept = (None, {}) if splitting.frozen or splitting.anew else parts_before(project)
    frozen = kept or frozen_parts(project, splitting)
    dealt = deal(members, ties, splitting.shares, splitting.seed, frozen)
    parts = {member.id: part for member, part in zip(members, dealt.parts, strict=True)}
    report = _report(dealt, splitting, sum(member.id in frozen for member in members))
    if kept_from is not None:
        report["kept_from"] = kept_from.number
    elif missing := sorted(frozen.keys() - {member.id for member in members}):
        report["frozen_missing"] = {"ids": len(missing), "first": missing[:_NAMED]}
    if splitting.topics:
        report["used"][Tie.TOPIC] = _topics_used(splitting, sum(text not in (topics or {}) for text in items.texts()))
    return Division(parts, report)


def _stratum(stage: str, pattern: str | None, code: int | None) -> str:
    if stage != Stage.GOLD:  # the row names no category either
        pattern = code = None
    return f"{pattern or 'undefined'} {'–' if code is None else code}"


class _Items:
    """The items that are divided, by their place in the order of their keys. Of each, its id and key are held."""

    def __init__(self, items: QuerySet[Item]) -> None:
        self._items = items.order_by("pk")
        self.members: list[Member] = []
        self._keys = array("q")
        self._pictures: dict[int, tuple[str, str, str]] = {}
        read = words_in_pictures(items.order_by().values("pk"))
        strata: dict[tuple[Any, ...], str] = {}
        columns = ("picture__sha256", "picture__likeness", "picture__file")
        rows = self._items.values_list("pk", "external_id", "stage", "pattern", "category__code", *columns)
        for place, (key, name, *described, sha256, stored_print, file) in enumerate(rows.iterator()):
            stratum = strata.setdefault(tuple(described), _stratum(*described))
            self.members.append(Member(name, stratum))
            self._keys.append(key)
            if sha256 is not None:
                self._pictures[place] = sha256, stored_print, file
        self._worded = [place for place, key in enumerate(self._keys) if read.get(key, ("",))[0]]
        self._words = [read[self._keys[place]][0] for place in self._worded]

    def texts(self) -> Iterator[str]:
        """Read the texts of the items, without those in pictures."""
        return self._items.values_list("text", flat=True).iterator()

    def ties(self, topics: Mapping[str, int | None] | None) -> dict[str, list[Sequence[int]]]:
        """Return the places of items that must stay together, by kind of tie."""
        ties: dict[str, list[Sequence[int]]] = {
            Tie.SAME_PICTURE: _together((place, sha256) for place, (sha256, *_file) in self._pictures.items()),
            Tie.ALIKE_PICTURE: list(self._alike()),
            Tie.NEAR_TEXT: list(self._near_texts()),
        }
        if topics is not None:
            ties[Tie.TOPIC] = _together(enumerate(map(topics.get, self.texts())))
        return ties

    def _near_texts(self) -> Iterator[Sequence[int]]:
        """Yield pairs of places with near texts; the words in an item's picture are one more text of it."""
        most = len(self.members)
        for pair in near_texts(chain(self.texts(), self._words), most + len(self._words), self._text):
            first, second = (place if place < most else self._worded[place - most] for place in pair)
            if first != second:
                yield first, second

    def _text(self, place: int) -> str:
        """Return the text of this number among those of items and then of pictures."""
        if place >= len(self.members):
            return self._words[place - len(self.members)]
        return self._items.order_by().values_list("text", flat=True).get(pk=self._keys[place])

    def _alike(self) -> Iterator[Sequence[int]]:
        places, prints = [], []
        for place, (_sha256, stored_print, file) in self._pictures.items():
            fingerprint = stored_print or _fingerprint(file)  # the picture was imported after `look_at_pictures`
            if telling(fingerprint):
                places.append(place)
                prints.append(fingerprint)
        yield from ((places[first], places[second]) for first, second in near_pairs(prints))


def _together(keys: Iterable[tuple[int, Any]]) -> list[Sequence[int]]:
    """Group places that share a key; those without a key share nothing."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for place, key in keys:
        if key is not None:
            groups[key].append(place)
    return [places for places in groups.values() if len(places) > 1]


def _fingerprint(file: str) -> str:
    """Return the picture's fingerprint, or an empty one if the file cannot be read: the release reports that file."""
    try:
        with default_storage.open(file, "rb") as opened:
            return likeness(opened.read())
    except StoreAway:
        raise
    except OSError:
        return "0" * 32


def _report(dealt: Dealt, splitting: Splitting, frozen_items: int) -> dict[str, Any]:
    used = {
        Tie.SAME_PICTURE: "SHA-256 of the bytes that came in",
        Tie.ALIKE_PICTURE: f"difference hash of 128 bits, at most {NEAR} apart; even surfaces left out",
        Tie.NEAR_TEXT: f"one word changed, added or dropped (from {LEAST_WORDS} words), or more than {ALIKE:.0%} of "
        "five-character pieces in common, with as many negations; words in pictures, where they were read, are texts "
        "too",
    }
    return {
        "asked": splitting.model_dump(mode="json"),
        "stratified_by": "pattern and category",
        "used": used,
        "frozen_items": frozen_items,
    } | (dealt.as_json())


def _topics_used(splitting: Splitting, late: int) -> str:
    sentence = f"{splitting.topics} clusters of texts embedded by {embedder().name}"
    return f"{sentence}; {late} that came in meanwhile are in none" if late else sentence


# ── Split lists ────────────────────────────────────────────────────────────


def frozen_parts(project: Project, splitting: Splitting) -> dict[str, Part]:
    """Return the parts that a split list fixes; empty if no list is named."""
    if not splitting.frozen:
        return {}
    split_list = (
        SplitList.objects.filter(project=project, public_id=splitting.frozen).values_list("parts", flat=True).first()
    )
    return {name: Part(part) for name, part in (split_list or {}).items()}


def parts_before(project: Project) -> tuple[Release | None, dict[str, Part]]:
    """Return the latest release of the project that was divided, and the part of each of its items.

    Returns None and nothing if there is none whose rows can be read.
    """
    latest = Release.objects.filter(project=project, manifest__has_key="split").order_by("-number").first()
    if latest is None:
        return None, {}
    try:
        with release_folder(latest).open(ITEMS) as lines:
            rows = map(json.loads, lines)
            return latest, {row["id"]: Part(row[SPLIT_COLUMN]) for row in rows}
    except StoreAway:
        raise
    except OSError:
        return None, {}


def find_list(project: Project, public_id: str) -> SplitList | None:
    """Return the project's split list with this id. Returns None if there is none."""
    try:
        return SplitList.objects.filter(project=project, public_id=public_id).first()
    except ValidationError:
        return None


def keep_list(project: Project, by: Membership | None, name: str, file: BinaryIO) -> SplitList:
    """Store a split list: lines of `id,part` or `{"id": …, "split": …}`. The same parts give the same list.

    Raises BadSplitList with the wrong line; then nothing is stored.
    """
    return keep_parts(project, by, name, read_list(file))


def keep_parts(project: Project, by: Membership | None, name: str, parts: Mapping[str, str]) -> SplitList:
    """Store a split list from parsed parts: id → train, dev or test. The same parts give the same list."""
    canonical = json.dumps(dict(sorted(parts.items())), separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    list_values = {"name": name[:120], "parts": dict(parts), "created_by": by}
    row, new = SplitList.objects.get_or_create(project=project, sha256=digest, defaults=list_values)
    if new:
        sizes = Counter(parts.values())
        record(
            EventVerb.SPLIT_LIST_KEPT, project=project, actor=by, row=row.public_id, items=len(parts), sizes=dict(sizes)
        )
    return row


def read_list(file: BinaryIO) -> dict[str, str]:
    """Read the ids and parts of a CSV or JSONL file.

    Raises BadSplitList if the file cannot be read.
    """
    parts: dict[str, str] = {}
    try:
        for number, line in read_lines(file, _LINE):
            if not line.strip():
                continue
            name, part = _entry(number, line.strip())
            if number == 1 and (name, part) in (("id", "split"), ("id", "part")):
                continue
            if part not in set(Part):
                raise BadSplitList(_("Line %(line)s: the part is train, dev or test.") % {"line": number})
            if parts.setdefault(name, part) != part:
                raise BadSplitList(_("Line %(line)s: this id stands in another part already.") % {"line": number})
            if len(parts) > MAX_LISTED:
                raise BadSplitList(_("The list has more than a million ids."))
    except Unreadable as fault:
        raise BadSplitList(fault.error.reason) from None
    if not parts:
        raise BadSplitList(_("The list is empty. Write a line for each item: its id, a comma, train, dev or test."))
    return parts


def checked_parts(value: Mapping[str, str]) -> dict[str, str]:
    """Check ids and parts of one object, and return them under the names that releases use.

    Raises BadSplitList if a part is not valid or there are too many.
    """
    if len(value) > MAX_LISTED:
        raise BadSplitList(_("The list has more than a million ids."))
    parts = {name: _usual(part) for name, part in value.items()}
    for name, part in parts.items():
        if part not in set(Part):
            raise BadSplitList(_("%(id)s: the part is train, dev or test.") % {"id": name[:80]})
    return parts


def _entry(number: int, line: str) -> tuple[str, str]:
    if not line.startswith("{"):
        name, _comma, part = line.rpartition(",")
        return name.strip().strip('"'), _usual(part.strip().strip('"'))
    try:
        value = strict_json.parse(line)
        return str(value["id"]), _usual(str(value["split"]))
    except (BadValue, KeyError, TypeError):
        raise BadSplitList(_("Line %(line)s: write an id and its split.") % {"line": number}) from None


def _usual(part: str) -> str:
    """Map other names of parts to ours: many data sets write validation or valid instead of dev."""
    return Part.DEV.value if part in ("validation", "valid", "val") else part
