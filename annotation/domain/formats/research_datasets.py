"""Record formats of published data sets: H-VLI, Hateful Memes, MMHS150K, HateXplain (formats.md)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from annotation.domain.formats import fields
from annotation.domain.formats.base import BadValue, Format, LabelUse, Reading, Row, RowLabel, RowPrior
from annotation.domain.formats.columns import COMPUTED, PASSED_OVER
from annotation.domain.formats.kept_columns import kept_columns
from annotation.domain.formats.labels import listed
from annotation.domain.formats.labels.of_row import translated
from annotation.domain.formats.picture_words import COLUMNS as PICTURE_WORDS
from annotation.domain.formats.picture_words import words_from_file
from annotation.domain.formats.tools.one_answer_a_line import (
    POTATO_USES,
    PRODIGY_USES,
    other_schemes,
    potato,
    prodigy,
    prodigy_use,
)


def hvli(line: int, key: str, record: Mapping[str, Any], reading: Reading) -> Row:
    """Read a record of H-VLI: gold category, both priors, and the pattern and difficulty that it claims."""
    words, reader = words_from_file(record)
    gold = _named(record, "final_label")
    return Row(
        line,
        fields.external_id(key),
        text=fields.item_text(record.get("tweet_text"), "tweet_text"),
        picture=fields.picture_path(record.get("image_path"), "image_path"),
        text_prior=_hvli_prior(record, "text_label"),
        image_prior=_hvli_prior(record, "image_label"),
        gold=gold,
        undecided=gold is None and "final_label" in record,  # earlier releases wrote posts that are no gold
        picture_text=words,
        picture_text_reader=reader,
        claimed_pattern=fields.short(record.get("type"), "type", 10),
        claimed_difficulty=fields.short(record.get("difficulty"), "difficulty", 10),
    )


def _hvli_prior(record: Mapping[str, Any], field: str) -> RowPrior | None:
    category = _named(record, field)
    return None if category is None else RowPrior(category)


def _named(record: Mapping[str, Any], field: str) -> str | None:
    """Return the category by its name, which stays valid after renumbering, or by its code if it has no name."""
    return fields.category(record.get(f"{field}_str"), f"{field}_str") or fields.category(record.get(field), field)


def hateful_memes(line: int, key: str, record: Mapping[str, Any], reading: Reading) -> Row:
    """Read a line of Hateful Memes: text, picture, hateful or not. The data set has no categories."""
    row = Row(
        line,
        fields.external_id(record.get("id")),
        text=fields.item_text(record.get("text")),
        picture=fields.picture_path(record.get("img"), "img"),
    )
    hateful = fields.flag(record.get("label"), "label")
    if hateful is None:
        return row
    written = "hateful" if hateful else "not_hateful"
    match reading.mapped.label_is:
        case LabelUse.INTENDED:
            return replace(row, intended_hateful=hateful)
        case LabelUse.GOLD:
            return replace(row, gold=written)
        case LabelUse.SEAT:
            return replace(row, labels=(RowLabel("source-1", written),))


def mmhs150k(line: int, key: str, record: Mapping[str, Any], reading: Reading) -> Row:
    """Read a record of MMHS150K: three codes by position. The picture is `img_resized/<id>.jpg`; addresses are kept."""
    codes = record.get("labels")
    if not isinstance(codes, list):
        raise BadValue("bad_labels", "labels is a list of codes.", "labels")
    labels = tuple(
        RowLabel(f"mmhs-{place}", fields.category(code, "labels")) for place, code in enumerate(codes, start=1)
    )
    if any(label.category is None for label in labels):
        raise BadValue("bad_labels", "A label of the list is empty.", "labels")
    name = fields.external_id(key)
    return Row(
        line,
        name,
        text=fields.item_text(record.get("tweet_text"), "tweet_text"),
        picture=f"img_resized/{name}.jpg",
        labels=labels,
    )


def hatexplain(line: int, key: str, record: Mapping[str, Any], reading: Reading) -> Row:
    """Read a post of HateXplain: tokens joined by spaces, a label per annotator. Rationales are kept unchanged.

    Targets and rationales are offered as answers to the questions `targets` and `words` of the template for it.
    """
    tokens = record.get("post_tokens")
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise BadValue("bad_tokens", "post_tokens is a list of words.", "post_tokens")
    annotators = _objects(record.get("annotators"))
    if not isinstance(annotators, list):
        raise BadValue("bad_labels", "annotators is a list of objects.", "annotators")
    plain = tuple(_hatexplain_label(annotator, reading.mapped.values) for annotator in annotators)
    rationales = record.get("rationales")
    labels = _with_rationales(plain, rationales, tokens)
    listed.refuse_doubled_annotators(labels, reading.twice)
    return Row(
        line,
        fields.external_id(record.get("post_id") or record.get("id") or key, "post_id"),
        text=fields.item_text(" ".join(tokens), "post_tokens"),
        labels=labels,
        rationales_left=bool(rationales) and labels is plain,
    )


def _objects(value: Any) -> Any:
    """Return a list of objects also where the `datasets` library made an object of lists of them."""
    if not isinstance(value, dict) or not all(isinstance(part, list) for part in value.values()):
        return value
    if len({len(part) for part in value.values()}) > 1:
        raise BadValue("bad_labels", "The lists of annotators have different lengths.", "annotators")
    return [dict(zip(value, parts, strict=True)) for parts in zip(*value.values(), strict=True)]


def _with_rationales(labels: tuple[RowLabel, ...], rationales: Any, tokens: list[str]) -> tuple[RowLabel, ...]:
    """Return the labels with the passages that their annotators marked.

    A rationale has a mark for each token. Nobody marks a normal post, and rationales name nobody: they are taken where
    there is one for each other label, in the order of the labels. Where there are fewer, somebody marked nothing, and
    the file does not say who: the labels are returned as they are.
    """
    marking = [place for place, label in enumerate(labels) if label.category != "normal"]
    if not isinstance(rationales, list) or not rationales or len(rationales) != len(marking):
        return labels
    if not all(isinstance(marks, list) and len(marks) == len(tokens) for marks in rationales):
        return labels
    spans = {place: _marked(marks, tokens) for place, marks in zip(marking, rationales, strict=True)}
    return tuple(
        replace(label, offered={**label.offered, "words": spans[place]}) if place in spans else label
        for place, label in enumerate(labels)
    )


def _marked(marks: list[Any], tokens: list[str]) -> list[list[int]]:
    """Return the marked tokens as places in the text; neighbours are one passage, with the space between them."""
    spans: list[list[int]] = []
    start = 0
    for mark, token in zip(marks, tokens, strict=True):
        end = start + len(token)
        if mark and spans and spans[-1][1] == start - 1:
            spans[-1][1] = end
        elif mark:
            spans.append([start, end])
        start = end + 1
    return spans


_HATEXPLAIN_NAMES = {"0": "hatespeech", "1": "normal", "2": "offensive"}
"""What the numbers mean that the `datasets` library writes in place of HateXplain's labels: none of them is a code."""


def _hatexplain_label(value: Any, named: Mapping[str, str]) -> RowLabel:
    """Read the label of one annotator; a number is its label's name, unless `named` says what the number means."""
    if not isinstance(value, dict):
        raise BadValue("bad_labels", "An annotator is an object with label and annotator_id.", "annotators")
    annotator = fields.short(value.get("annotator_id"), "annotator_id", 128)
    category = fields.category(value.get("label"), "label")
    if category is not None and category not in named:
        category = _HATEXPLAIN_NAMES.get(category, category)
    if not annotator or category is None:
        raise BadValue("bad_labels", "An annotator needs annotator_id and label.", "annotators")
    targets = value.get("target") or []
    groups = [str(target) for target in targets if target != "None"] if isinstance(targets, list) else []
    offered = {"targets": [str(target) for target in targets]} if isinstance(targets, list) else {}
    return RowLabel(annotator, category, target_group=fields.short(", ".join(groups), "target", 200), offered=offered)


_USES: Mapping[Format, Mapping[str, str]] = {
    Format.HVLI: {
        "tweet_text": "text",
        "image_path": "image",
        **{f"text_label{end}": "text prior" for end in ("", "_str")},
        **{f"image_label{end}": "image prior" for end in ("", "_str")},
        **{f"final_label{end}": "gold" for end in ("", "_str")},
        "type": COMPUTED,
        "difficulty": COMPUTED,
    },
    Format.HATEFUL_MEMES: {"id": "id", "text": "text", "img": "image", "label": "label"},
    Format.MMHS150K: {
        "tweet_text": "text",
        "labels": "labels",
        "labels_str": COMPUTED,
    },
    Format.HATEXPLAIN: {"post_id": "id", "id": "id", "post_tokens": "text", "annotators": "labels"},
    Format.PRODIGY: PRODIGY_USES,
    Format.POTATO: POTATO_USES,
}
"""What each column of a data set is read as."""


def read_record(
    reader: "Reader", line: int, key: str, record: Mapping[str, Any], reading: Reading, entry: int = 0
) -> Row:
    """Read a record of a data set: count its columns, translate its categories. Raises BadValue."""
    uses, is_prodigy = _USES[reading.format], reading.format is Format.PRODIGY

    def use_of(name: str) -> str:
        known = prodigy_use(name, record) if is_prodigy else uses.get(name)
        return known or ("picture_text" if name in PICTURE_WORDS else PASSED_OVER)

    others = other_schemes(record, reading) if reading.format is Format.POTATO else {}
    kept = reading.columns.count({**record, **others}, use_of)
    row = translated(reader(line, key, record, reading), reading.mapped.values)
    row.entry, row.extra = entry, kept_columns(kept)
    return row


Reader = Callable[[int, str, Mapping[str, Any], Reading], Row]

READERS: Mapping[Format, Reader] = {
    Format.HVLI: hvli,
    Format.HATEFUL_MEMES: hateful_memes,
    Format.MMHS150K: mmhs150k,
    Format.HATEXPLAIN: hatexplain,
    Format.PRODIGY: prodigy,
    Format.POTATO: potato,
}


class HateXplainTable:
    """A reader of the rows of a typed table that has HateXplain's columns, as the `datasets` library writes it."""

    COLUMNS = frozenset({"annotators", "post_tokens"})
    id, image = "id", ""

    def __init__(self, reading: Reading, columns: frozenset[str]) -> None:
        self._reading, self.used = replace(reading, format=Format.HATEXPLAIN), columns

    def row(self, line: int, values: Mapping[str, Any]) -> Row:
        return read_record(hatexplain, line, "", values, self._reading)
