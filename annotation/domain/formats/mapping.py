"""Interplay's own row names, and tables of any shape by a mapping, to rows (formats.md).

One set of names serves JSON lines and tables; a table's cells are strings, so flags and numbers are read from
both. What a release adds and is derived anew (level, pattern, digests …) is passed over.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from annotation.domain.choices import Modality, Source
from annotation.domain.formats import fields, strict_json
from annotation.domain.formats.base import BadValue, LabelUse, Reading, Row, RowChallenge, RowLabel, RowPrior

_ITEM = frozenset(
    {"id", "text", "image", "batch", "severity", "target_group", "source", "item_source", "licence", "provenance"}
)
_CATEGORIES = frozenset({"intended", "intended_hateful", "labels", "annotator", "gold", "gold_source", "rationale"})
_KNOWN = frozenset({"known_category", "known_explanation", "known_training"})
_PRIOR = ("label", "hateful", "explanation", "model", "severity")
_PRIORS = frozenset(f"{part}_{what}" for part in Modality for what in _PRIOR)
_INJECTION = {"strategy": 40, "pattern": 3, "model": 160, "prompt_digest": 64}
"""What a release says of an item that was made for its project, as `injection_…`, and how long it may be."""
NAMES = _ITEM | _CATEGORIES | _KNOWN | _PRIORS | {"injected", *(f"injection_{name}" for name in _INJECTION)}
DERIVED = frozenset(
    {"level", "pattern", "difficulty", "mechanism", "aligned", "hateful", "round", "guideline_version", "reasons"}
    | {"image_sha256", "image_sha256_original", "image_sha256_released", "text_prompt_digest", "image_prompt_digest"}
    | {"text_state", "image_state", "stage", "excluded_for", "votes", "text_sha256", "withheld", "split", "image_path"}
)
"""Names that releases write and that an import passes over in silence."""

_PROVENANCE = 20_000
SOURCES = frozenset(source.value for source in Source)


class Shape:
    """Turns the named values of one row into a `Row`."""

    def __init__(self, reading: Reading, columns: frozenset[str]) -> None:
        """`columns` are the names in the header, or of the first JSON line. Raises BadValue: `missing_column`."""
        mapped = reading.mapped
        self.reading, self.label, self.values = reading, mapped.label, mapped.values
        self.text = mapped.text or "text"
        self.image = mapped.image or ("file_name" if "file_name" in columns and "image" not in columns else "image")
        self.annotator = mapped.annotator or "annotator"
        self.id = mapped.id or ("id" if "id" in columns or reading.update else "")
        self.subset = mapped.subset
        self.used = NAMES | DERIVED | {self.text, self.image, self.id, self.label, self.annotator, self.subset}
        self._check_columns(columns)

    def _check_columns(self, columns: frozenset[str]) -> None:
        mapped = self.reading.mapped
        named = {
            "text": mapped.text,
            "image": mapped.image,
            "id": mapped.id,
            "label": mapped.label,
            "subset": mapped.subset,
        }
        found = ", ".join(sorted(columns)[:40]) or "none"
        for what, column in named.items():
            if column and column not in columns and self.reading.format.value in {"csv", "tsv"}:
                reason = f"There is no column {column!r} for the {what}. Found: {found}."
                raise BadValue("missing_column", reason, column)
        if self.reading.update:
            if self.id not in columns:
                raise BadValue("missing_column", f"An update needs the column id. Found: {found}.", "id")
        elif not columns & {self.text, self.image}:
            reason = f"There is no column for the text ({self.text!r}) or the picture ({self.image!r}). Found: {found}."
            raise BadValue("missing_column", reason, self.text)

    def row(self, line: int, values: Mapping[str, Any]) -> Row:
        """The row. Raises BadValue for the first value that is none."""
        get = values.get
        name = fields.external_id(get(self.id), self.id) if self.id else self._made_id(line, get("id"))
        text = fields.item_text(get(self.text), self.text)
        picture = fields.picture_path(get(self.image), self.image, addresses=True)
        if not text and not picture and not self.reading.update:
            raise BadValue("no_content", "The row has neither a text nor a picture.", self.text)
        gold, source, gold_source = _gold_and_sources(get)
        given = {key: _READ[key](value, key) for key, value in values.items() if value and key in _READ}
        if fields.flag(get("injected"), "injected"):
            given["provenance"] = {**given.get("provenance", {}), "injected": injection(values)}
        row = Row(
            line,
            name,
            text=text,
            picture=picture,
            source=source,
            text_prior=prior(values, "text"),
            image_prior=prior(values, "image"),
            labels=labels(get("labels"), self.reading.limits.labels) if get("labels") else (),
            gold=gold,
            gold_source=gold_source,
            intended=fields.category(get("intended"), "intended"),
            intended_hateful=fields.flag(get("intended_hateful"), "intended_hateful"),
            severity=fields.severity(get("severity")),
            known_category=fields.category(get("known_category"), "known_category"),
            subset=fields.short(get(self.subset), self.subset, 120) if self.subset else "",
            **given,
        )
        return with_label(row, get(self.label), self.reading, get(self.annotator)) if self.label else row

    def _made_id(self, line: int, given: Any) -> str:
        if given is not None:
            raise BadValue("missing_id", "The first row has no id, but this one has: give every row its id.", "id")
        return f"{self.reading.id_prefix}{line}"


def _gold_and_sources(get: Callable[[str], Any]) -> tuple[str | None, str, str]:
    """Gold, where the item comes from, and where its gold comes from; releases call the last `source` too."""
    gold, source = fields.category(get("gold"), "gold"), fields.short(get("source"), "source", 500)
    gold_source = fields.short(get("gold_source"), "gold_source", 20)
    if gold is not None and not gold_source and source in SOURCES:
        gold_source, source = source, ""
    if gold_source and gold_source not in SOURCES:
        raise BadValue("bad_gold_source", f"gold_source is one of {', '.join(sorted(SOURCES))}.", "gold_source")
    return gold, fields.short(get("item_source"), "item_source", 500) or source, gold_source


def with_label(row: Row, value: Any, reading: Reading, annotator: Any = None) -> Row:
    """The row with its one label, used as the mapping says; `hateful` and `not_hateful` set the binary intent."""
    if value is None or value == "":
        return row
    written = str(value).lower() if isinstance(value, bool) else fields.category(value, reading.mapped.label)
    assert written is not None
    mapped = reading.mapped.values.get(written, written)
    match reading.mapped.label_is:
        case LabelUse.INTENDED:
            return replace(row, intended=mapped)
        case LabelUse.GOLD:
            return replace(row, gold=mapped)
        case LabelUse.SEAT:
            who = fields.short(annotator, "annotator", 128) or "source-1"
            return replace(row, labels=(*row.labels, RowLabel(who, mapped)))


def prior(values: Mapping[str, Any], part: str) -> RowPrior | None:
    """The prior of a modality from `text_label`, `text_explanation` … or None where the row has no label for it."""
    written, hateful, explanation, model, severity = _PRIOR_KEYS[part]
    label = fields.category(values.get(written), written)
    if label is None:
        side = fields.flag(values.get(hateful), hateful)
        if side is None:
            return None
        label = "hateful" if side else "not_hateful"
    return RowPrior(
        label,
        fields.short(values.get(explanation), explanation, 20_000),
        fields.short(values.get(model), model, 120),
        fields.severity(values.get(severity), severity),
    )


def provenance(value: Any, field: str = "provenance") -> Mapping[str, Any]:
    """Where the row comes from, as an object."""
    read = strict_json.parse(value) if isinstance(value, str) else value
    if not isinstance(read, dict):
        raise BadValue("bad_provenance", "provenance is a JSON object.", field)
    if len(json.dumps(read)) > _PROVENANCE:
        raise BadValue("field_too_long", f"provenance is longer than {_PROVENANCE:,} characters.", field, _PROVENANCE)
    return read


def injection(values: Mapping[str, Any]) -> dict[str, str]:
    """How an item was made, from `injection_strategy`, `injection_model` and the others that are there."""
    read = {
        name: fields.short(values.get(f"injection_{name}"), f"injection_{name}", most)
        for name, most in _INJECTION.items()
    }
    return {name: said for name, said in read.items() if said}


def _short(limit: int) -> Callable[[Any, str], str]:
    return lambda value, field: fields.short(value, field, limit)


def _flag(value: Any, field: str) -> bool:
    return bool(fields.flag(value, field))


_READ: Mapping[str, Callable[[Any, str], Any]] = {
    "batch": _short(100),
    "target_group": _short(200),
    "licence": _short(200),
    "rationale": fields.note,
    "provenance": provenance,
    "known_explanation": fields.note,
    "known_training": _flag,
}
"""How the simple columns are read, where a row has them."""
_PRIOR_KEYS = {part.value: tuple(f"{part}_{what}" for what in _PRIOR) for part in Modality}


def labels(value: Any, limit: int) -> tuple[RowLabel, ...]:
    """The labels of a row, from a list or (in a table's cell) the JSON source of one."""
    read = strict_json.parse(value) if isinstance(value, str) else value
    if not isinstance(read, list):
        raise BadValue("bad_labels", "labels is a list of objects.", "labels")
    if len(read) > limit:
        raise BadValue("too_many_labels", f"The row has {len(read):,} labels; at most {limit}.", "labels", limit)
    found = tuple(_placed(place, each) for place, each in enumerate(read))
    refuse_doubled_annotators(found)
    return found


def refuse_doubled_annotators(found: tuple[RowLabel, ...]) -> None:
    """Nobody labels an item twice in a round."""
    seen: set[str] = set()
    for each in found:
        if each.annotator in seen:
            reason = f"The annotator {each.annotator[:80]!r} labels this item twice."
            raise BadValue("duplicate_annotator", reason, "labels")
        seen.add(each.annotator)


def _placed(place: int, value: Any) -> RowLabel:
    """The label at a place of the list, which an error names."""
    try:
        return label(value)
    except BadValue as fault:
        field = f"labels[{place}].{fault.field}".rstrip(".")
        raise BadValue(fault.code, fault.reason, field, fault.limit) from fault


def label(value: Any) -> RowLabel:
    """One annotator's label. Raises BadValue with the name of the label's own field."""
    if not isinstance(value, dict):
        raise BadValue("bad_labels", "A label is an object with annotator and category.")
    given = {key: _LABEL[key](raw, key) for key, raw in value.items() if raw not in _ABSENT and key in _LABEL}
    if not given.get("annotator", "").strip():
        raise BadValue("missing_annotator", "A label needs its annotator.", "annotator")
    read = RowLabel(**given)
    if read.not_sure and read.category is not None:
        raise BadValue("label_shape", "A label is either a category or not sure, never both.")
    if read.category is None and not read.not_sure and not read.low_quality:
        raise BadValue("label_shape", "A label needs a category, not_sure or low_quality.")
    if read.category is not None and read.replaced_by is not None:
        raise BadValue("label_shape", "Only a label without a category can be replaced.")
    return read


def challenges(value: Any, field: str) -> tuple[RowChallenge, ...]:
    """The priors an annotator corrects."""
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > 2:
        raise BadValue("bad_challenges", "challenges is a list of at most one object a modality.", field)
    return tuple(_challenge(each, field) for each in value)


def _challenge(value: Any, field: str) -> RowChallenge:
    if not isinstance(value, dict) or value.get("modality") not in {each.value for each in Modality}:
        raise BadValue("bad_challenges", "A challenge names its modality: text or image.", field)
    category, hateful = fields.category(value.get("category"), field), fields.flag(value.get("hateful"), field)
    if category is None and hateful is None:
        raise BadValue("bad_challenges", "A challenge gives a category, or hateful.", field)
    return RowChallenge(Modality(value["modality"]), category, hateful)


_ABSENT = (None, "")
_LABEL: Mapping[str, Callable[[Any, str], Any]] = {
    "annotator": _short(128),
    "category": fields.category,
    "not_sure": fields.flag,
    "low_quality": fields.flag,
    "note": fields.note,
    "seconds": fields.seconds,
    "at": fields.moment,
    "target_group": _short(200),
    "challenges": challenges,
    "replaced_by": fields.category,
}
"""How the parts of a label are read."""
