"""The words of all reasons why a figure is not defined."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.domain.statistics.figure import SENTENCES, Measured, Undefined, Why

REASONS: Mapping[Why, Promise] = {why: _(sentence) for why, sentence in SENTENCES.items()}
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
