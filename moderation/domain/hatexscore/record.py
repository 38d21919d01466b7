"""What is kept of a reading, as JSON: enough to show a score, and to score again with another p or threshold."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from moderation.domain.hatexscore.score import Measure, Reading, Score, combined
from moderation.domain.hatexscore.second_reading import ReadBy, SecondReading, read_by
from moderation.domain.hatexscore.tgi import NamedGroup, identified
from vocabulary.answers import answer


class RationaleJson(TypedDict):
    """A quotation and where it stands in the text: first and last place, in code points."""

    quote: str
    spans: list[list[int]]


class GroupNamed(TypedDict):
    """A group that the explanation names, and what ties it to the post; empty: nothing does."""

    term: str
    category: str
    start: int
    end: int
    tie: str


class SecondReadingJson(TypedDict):
    """What a model read where the rules were not sure; `groups` are those that its words name, if it was scored."""

    model: str
    refusal: bool
    conclusion: bool | None
    group: str
    tie: str
    groups: NotRequired[list[GroupNamed]]


class ReadingJson(TypedDict, total=False):
    """What was found in an explanation; empty before it is scored. `second` is there where a reader read it too."""

    language: str
    conclusions: list[list[int | bool | None]]
    quotations: list[list[int]]
    rationales: list[RationaleJson]
    spans: list[list[int]]
    masked: str | None
    groups: list[GroupNamed]
    trivial: bool
    evidence: bool
    second: SecondReadingJson


def record_of(reading: Reading) -> ReadingJson:
    """Return the reading without the texts it was made from; `second` is there where a model read it too."""
    record: ReadingJson = {
        "language": reading.language,
        "conclusions": [[each.start, each.end, each.hateful] for each in reading.conclusions],
        "quotations": [[*each.outer] for each in reading.quotations],
        "rationales": [{"quote": each.quote, "spans": [[*span] for span in each.spans]} for each in reading.rationales],
        "spans": [[*span] for span in reading.spans],
        "masked": reading.masked,
        "groups": [answer(GroupNamed, each) for each in reading.groups],
        "trivial": reading.is_trivial,
        "evidence": reading.has_evidence,
    }
    if reading.second is not None:
        record["second"] = answer(SecondReadingJson, reading.second, groups=reading.second_groups)
    return record


def second_of(record: Mapping[str, Any]) -> SecondReading | None:
    """Return what a model read of the explanation. Returns None if none did."""
    second = record.get("second")
    return SecondReading.of(second["model"], second) if second else None


def groups_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the groups that the rules and the reader found."""
    return [*record.get("groups", ()), *(record.get("second") or {}).get("groups", ())]


def stated_in(record: Mapping[str, Any]) -> bool | None:
    """Return the conclusion by the rules, else by the reader. Returns None if neither read one."""
    if record["conclusions"]:
        return bool(record["conclusions"][-1][2])
    second = second_of(record)
    return second.conclusion if second else None


def read_by_of(record: Mapping[str, Any]) -> ReadBy:
    """Return who read the conclusion of a scored explanation: one that was not refused."""
    return read_by(bool(record["conclusions"]), False, second_of(record))


def scored(record: dict[str, Any], qf: float, prediction: bool | None, measure: Measure) -> Score:
    """Return the score of a record with this QF."""
    found = identified([NamedGroup(**each) for each in groups_of(record)], prediction)
    return combined(int(stated_in(record) is not None), qf, int(bool(found)), prediction, measure, found)
