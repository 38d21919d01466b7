"""The columns of a label: those of all releases, then those that a release may have."""

from collections.abc import Callable
from typing import Any

from annotation.domain.category_sets import codes_of
from annotation.domain.columns.column import CATEGORY, FLAG, NUMBER, TEXT, Column, Facts, FromFile, When
from annotation.domain.questions.released_answers import ANSWERS, VERSIONS
from annotation.domain.text_rules import NOTE_LIMIT

_CHALLENGE = {"modality": TEXT, "category": CATEGORY, "hateful": FLAG}


def _challenges(label: Facts) -> list[dict[str, Any]]:
    return [{name: challenge.get(name) for name in _CHALLENGE} for challenge in label["challenges"]]


def _codes(lead: str, stored: str) -> Callable[[Facts], list[int]]:
    return lambda label: list(codes_of(label[lead], label[stored] or ()))


def _first_codes(label: Facts) -> list[int]:
    return list(codes_of(label["first"].get("category"), label["first"].get("categories", ())))


LABELS = (
    Column("annotator", of=lambda label: label["annotator"], file=FromFile(most=128)),
    Column("category", "label__category__code", kind=CATEGORY, file=FromFile()),
    Column("not_sure", "label__not_sure", kind=FLAG, file=FromFile()),
    Column("low_quality", "label__low_quality", kind=FLAG, file=FromFile()),
    Column("target_group", "label__target_group", file=FromFile(most=200)),
    Column("note", "label__note", quotes=True, file=FromFile(most=NOTE_LIMIT, lines=True)),
    Column("challenges", of=_challenges, kind=[_CHALLENGE], file=FromFile()),
    Column("replaced_by", "label__replacement__category__code", kind=CATEGORY, file=FromFile()),
    Column("first_category", of=lambda label: label["first"].get("category"), kind=CATEGORY),
    Column("priors_seen", of=lambda label: bool(label["priors_seen"]), kind=FLAG),
    Column(
        "seconds",
        of=lambda label: None if label["label__seconds"] is None else round(label["label__seconds"], 1),
        needs=("label__seconds",),
        kind=NUMBER,
        file=FromFile(),
    ),
    Column("at", of=lambda label: label["day"], file=FromFile()),
    Column(
        "categories",
        of=_codes("label__category__code", "label__categories"),
        needs=("label__category__code", "label__categories"),
        kind=[CATEGORY],
        when=When.SEVERAL,
        file=FromFile(),
    ),
    Column(
        "replaced_by_categories",
        of=_codes("label__replacement__category__code", "label__replacement__categories"),
        needs=("label__replacement__category__code", "label__replacement__categories"),
        kind=[CATEGORY],
        when=When.SEVERAL,
        file=FromFile(),
    ),
    Column("first_categories", of=_first_codes, kind=[CATEGORY], when=When.SEVERAL),
    Column(ANSWERS, of=lambda label: label[ANSWERS], when=When.ASKED),
    Column(VERSIONS, of=lambda label: label[VERSIONS], when=When.ASKED),
)

AS_MADE = tuple(sorted(LABELS, key=lambda column: (When.SEVERAL, When.ASKED, When.ALWAYS).index(column.when)))
"""In the order of labels before they are written: the cells with all labels have always followed it."""
