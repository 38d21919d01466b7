"""The columns of a prior. An item has each twice: for its text and for its picture."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from annotation.domain.choices import Modality, PriorState
from annotation.domain.columns.column import CATEGORY, FLAG, TEXT, WHOLE, Column, Facts, FromFile, fields_of
from vocabulary.refusals import gettext_noop as _

_PARTS = {Modality.TEXT: "text", Modality.IMAGE: "picture"}


def _if_usable(value: Callable[[Facts], Any]) -> Callable[[Facts], Any]:
    return lambda prior: value(prior) if prior["state"] == PriorState.OK else None


def _side(prior: Facts) -> Any:
    by_category = prior["category__hateful"]
    return prior["hateful"] if by_category is None else by_category


PRIORS = (
    Column(
        "label",
        of=_if_usable(lambda prior: prior["category__code"]),
        needs=("category__code", "state"),
        kind=CATEGORY,
        meaning="the category of the {part} alone, from the model named",
        compared=True,
        file=FromFile(_("What a model says about the text, or the picture, alone: a category.")),
    ),
    Column(
        "hateful",
        of=_if_usable(_side),
        needs=("category__hateful", "hateful", "state"),
        kind=FLAG,
        file=FromFile(_("The same without a category: true or false.")),
    ),
    Column(
        "explanation",
        "explanation",
        quotes=True,
        file=FromFile(_("The model's reason."), most=20_000, lines=True),
    ),
    Column("model", "model", file=FromFile(_("The model's name."), most=120, lines=True)),
    Column(
        "severity",
        "severity",
        kind=WHOLE,
        when=None,
        file=FromFile(_("The model's severity, 0 to 3.")),
    ),
    Column(
        "prompt_digest",
        "prompt_digest",
        file=FromFile(_("The SHA-256 of the prompt that the model was asked with."), most=64, lines=True),
    ),
    Column("state", "state"),
)
ABOUT_PRIORS = tuple(column for column in PRIORS if column.file and column.field)
"""Those that an import stores as the file has them, in the field of the same name."""
NOTHING_ABOUT: Facts = {column.field: "" if column.kind == TEXT else None for column in ABOUT_PRIORS}
NO_PRIOR: Facts = dict.fromkeys(fields_of(PRIORS))


def prior_columns(modality: Modality) -> tuple[Column, ...]:
    """Return the columns that an item has for its prior of this modality, of its fact `priors`."""
    return tuple(
        replace(
            column,
            name=f"{modality}_{column.name}",
            field="",
            of=_of_prior(modality, column),
            needs=(),
            meaning=column.meaning.format(part=_PARTS[modality]),
            file=column.file and replace(column.file, most=0),
        )
        for column in PRIORS
    )


def _of_prior(modality: Modality, column: Column) -> Callable[[Facts], Any]:
    return lambda item: column.value(item["priors"].get(modality, NO_PRIOR))
