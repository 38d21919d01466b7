"""The words of all reasons why a figure is not defined."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.domain.statistics.figure import Measured, Undefined, Why

REASONS: Mapping[Why, Promise] = {
    Why.NO_ITEMS: _("There is no such item yet."),
    Why.ONE_CATEGORY: _("Only one category was used, so agreement beyond chance is not defined."),
    Why.TOO_FEW_RATINGS: _("No item has two ratings that could be compared."),
    Why.FREE_TEXT: _("Texts in people's own words have no figure of agreement."),
    Why.NO_ANSWERS: _("There is no such answer yet."),
    Why.NOT_TOGETHER: _("Both were never handed out at the same time, so chance did not choose between them."),
    Why.TOO_FEW_ANSWERS: _("There are fewer than ten answers on one side."),
    Why.ONE_PERSON: _("One person alone tells nothing about others."),
    Why.ONE_ITEM: _("One post alone tells nothing about others."),
    Why.NO_SPREAD: _("All answers are alike, so nothing tells how far they might differ."),
    Why.NO_LABELS: _("There is no such label yet."),
    Why.NO_OTHERS: _("On none of these items have the others a majority yet."),
    Why.NO_FINAL: _("None of these items is gold yet."),
    Why.NO_KNOWN: _("No item with a known answer was mixed in yet."),
    Why.NO_TIMES: _("No label says how long it took."),
    Why.TOO_FEW_LABELS: _("Fewer than 30 labels can be compared, too few for a trend."),
    Why.TOO_FEW_WEEKS: _("The labels lie in fewer than three weeks (or blocks), too few for a trend."),
    Why.ALWAYS_ALIKE: _("They always agreed, or never did, so there is no change to measure."),
}
ABOUT_ANSWERS: Mapping[Why, Promise] = {
    **REASONS,
    Why.ONE_CATEGORY: _("Everybody gave the same answer, so agreement beyond chance is not defined."),
}
"""The words where a figure is about answers to a further question, not about categories."""

Words = Mapping[Why, Promise]


def reason_of(figure: object, words: Words = REASONS) -> str | None:
    """Return why a figure or its interval is undefined, in the reader's language.

    Returns None if it is defined, or is no figure.
    """
    why = figure.why if isinstance(figure, Measured | Undefined) else None
    return str(words[why]) if why else None
