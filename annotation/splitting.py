"""Dividing a project's items for a release, and keeping lists of parts that others have fixed."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.utils.translation import gettext as _

from annotation.domain.formats import strict_json
from annotation.domain.formats.lines import read_lines
from annotation.domain.formats.rows import BadValue, Unreadable
from annotation.domain.likeness import NEAR, likeness, near_pairs, telling
from annotation.domain.near_texts import ALIKE, LEAST_WORDS, near_texts
from annotation.domain.splits import Dealt, Member, Part, deal
from annotation.domain.topics import topics_of
from annotation.models import Membership, Picture, Project, SplitList, record
from annotation.release_selection import Selection, Splitting
from providers.wiring import embedder
from runs.embedding import paid_by

MAX_LISTED = 1_000_000
_LINE = 4096
_PIECE = 500
_NAMED = 5
"""Ids of a list that are named where the release holds no such item."""


class BadSplitList(Exception):
    """A list of parts that cannot be read; `sentence` names the line."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True)
class Division:
    """The part of each item of a release by its id, and the report on leakage."""

    parts: Mapping[str, Part]
    report: Mapping[str, Any]


def look_at_pictures(project: Project) -> int:
    """Take the fingerprint of each picture that has none yet; how many. Before a snapshot, which cannot write."""
    new = Picture.objects.filter(project=project, likeness="").order_by("pk")
    done = 0
    while some := list(new[:_PIECE]):
        for picture in some:
            picture.likeness = _fingerprint(str(picture.file.name))
        Picture.objects.bulk_update(some, ["likeness"])
        done += len(some)
    return done


def find_topics(project: Project, selection: Selection) -> Mapping[str, int | None]:
    """The topic of each chosen text, embedded at the project's expense; nothing where no topics are asked for.

    Before a snapshot, which is not held open for a vendor. Raises ProviderError or Refused where the embedding does.
    """
    asked = selection.split
    if asked is None or not asked.topics:
        return {}
    texts = list(selection.items(project).order_by("pk").values_list("text", flat=True))
    vectors = paid_by(project.public_id, embedder()).embed(texts)
    return dict(zip(texts, topics_of(vectors, asked.topics, asked.seed), strict=True))


def divide(project: Project, selection: Selection, topics: Mapping[str, int | None] | None = None) -> Division:
    """Deal the chosen items out; inside the snapshot in which their rows are read.

    `topics`: what `find_topics` gave. A text that came in since is tied by none; the report says how many there are.
    """
    assert selection.split is not None
    asked = selection.split
    columns = (
        "external_id",
        "text",
        "pattern",
        "category__code",
        "picture__sha256",
        "picture__likeness",
        "picture__file",
    )
    items = list(selection.items(project).order_by("pk").values_list(*columns))
    members = [Member(each[0], f"{each[2] or 'undefined'} {'–' if each[3] is None else each[3]}") for each in items]
    ties = _ties(items, topics if asked.topics else None)
    frozen = frozen_parts(project, asked)
    dealt = deal(members, ties, asked.shares, asked.seed, frozen)
    parts = {member.id: part for member, part in zip(members, dealt.parts, strict=True)}
    report = _report(dealt, asked, sum(member.id in frozen for member in members))
    if missing := sorted(frozen.keys() - {member.id for member in members}):
        report["frozen_missing"] = {"ids": len(missing), "first": missing[:_NAMED]}
    if asked.topics:
        report["used"]["topic"] = _topics_used(asked, sum(each[1] not in (topics or {}) for each in items))
    return Division(parts, report)


def _ties(items: Sequence[tuple[Any, ...]], topics: Mapping[str, int | None] | None) -> dict[str, list[Sequence[int]]]:
    texts = [each[1] for each in items]
    ties: dict[str, list[Sequence[int]]] = {
        "same_picture": _together(each[4] for each in items),
        "alike_picture": list(_alike(items)),
        "near_text": list(near_texts(texts)),
    }
    if topics is not None:
        ties["topic"] = _together(topics.get(text) for text in texts)
    return ties


def _together(keys: Iterable[Any]) -> list[Sequence[int]]:
    """Places that share a key; those without one share nothing."""
    found: dict[Any, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        if key is not None:
            found[key].append(place)
    return [places for places in found.values() if len(places) > 1]


def _alike(items: Sequence[tuple[Any, ...]]) -> Iterator[Sequence[int]]:
    places, prints = [], []
    for place, (*_others, sha256, found, file) in enumerate(items):
        if sha256 is not None:
            fingerprint = found or _fingerprint(file)  # it came while the release began
            if telling(fingerprint):
                places.append(place)
                prints.append(fingerprint)
    yield from ((places[one], places[two]) for one, two in near_pairs(prints))


def _fingerprint(file: str) -> str:
    """The picture's fingerprint; one that says nothing where the file cannot be read: the release itself names it."""
    try:
        with default_storage.open(file, "rb") as opened:
            return likeness(opened.read())
    except OSError:
        return "0" * 32


def _report(dealt: Dealt, asked: Splitting, kept: int) -> dict[str, Any]:
    used = {
        "same_picture": "SHA-256 of the bytes that came in",
        "alike_picture": f"difference hash of 128 bits, at most {NEAR} apart; even surfaces left out",
        "near_text": f"one word changed, added or dropped (from {LEAST_WORDS} words), or more than {ALIKE:.0%} of "
        "five-character pieces in common",
    }
    return {"asked": asked.as_json(), "stratified_by": "pattern and category", "used": used, "frozen_items": kept} | (
        dealt.as_json()
    )


def _topics_used(asked: Splitting, late: int) -> str:
    said = f"{asked.topics} clusters of texts embedded by {embedder().name}"
    return f"{said}; {late} that came in meanwhile are in none" if late else said


# ── Lists of parts ────────────────────────────────────────────────────────────


def frozen_parts(project: Project, asked: Splitting) -> dict[str, Part]:
    """What a list settles; empty where none is named."""
    if not asked.frozen:
        return {}
    found = SplitList.objects.filter(project=project, public_id=asked.frozen).values_list("parts", flat=True).first()
    return {name: Part(part) for name, part in (found or {}).items()}


def find_list(project: Project, public_id: str) -> SplitList | None:
    """The project's list with this id."""
    try:
        return SplitList.objects.filter(project=project, public_id=public_id).first()
    except ValidationError:
        return None


def keep_list(project: Project, by: Membership | None, name: str, file: BinaryIO) -> SplitList:
    """Freeze a list: lines of `id,part` or `{"id": …, "split": …}`. The same parts again are the same list.

    Raises BadSplitList with the line at fault; nothing is kept then.
    """
    return keep_parts(project, by, name, read_list(file))


def keep_parts(project: Project, by: Membership | None, name: str, parts: Mapping[str, str]) -> SplitList:
    """Freeze parts that were read already: id → train, dev or test. The same parts again are the same list."""
    canonical = json.dumps(dict(sorted(parts.items())), separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    given = {"name": name[:120], "parts": dict(parts), "created_by": by}
    row, new = SplitList.objects.get_or_create(project=project, sha256=digest, defaults=given)
    if new:
        sizes = Counter(parts.values())
        record("split_list_kept", project=project, actor=by, row=row.public_id, items=len(parts), sizes=dict(sizes))
    return row


def read_list(file: BinaryIO) -> dict[str, str]:
    """Ids and parts of a CSV or JSONL file. Raises BadSplitList."""
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


def checked_parts(given: Mapping[str, str]) -> dict[str, str]:
    """Ids and parts that came as one object, under the names that releases use. Raises BadSplitList."""
    if len(given) > MAX_LISTED:
        raise BadSplitList(_("The list has more than a million ids."))
    parts = {name: _usual(part) for name, part in given.items()}
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
    """Other data sets say validation or valid for dev."""
    return Part.DEV.value if part in ("validation", "valid", "val") else part
