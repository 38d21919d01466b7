"""The answer forms of the one-call methods, and the parsing of their prose (design section 8)."""

import re
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from moderation.domain.prompt_options import PromptOptions
from moderation.domain.verdicts import HATEFUL_FORMS, NOT_HATEFUL_FORMS, AnswerShape
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked
from vocabulary.written_values import OWN_REASON, ClosedSet, one_of


class Variant(StrEnum):
    """The variants of the baseline."""

    CATEGORY = "category"
    BINARY = "binary"
    COMMENT = "comment"
    """Prose in one of two fixed forms (AntiHateAgent, Appendix D)."""
    AGENT = "agent"
    """A label and a reason about the text alone (PREDICT's base agent)."""


class BaselineOptions(PromptOptions):
    """The options of the baseline; a temperature of None means the provider's default."""

    variant: Annotated[
        Variant,
        Asked(
            _("Variant"),
            words={
                Variant.CATEGORY: _("category"),
                Variant.BINARY: _("hateful or not"),
                Variant.COMMENT: _("comment form"),
                Variant.AGENT: _("label and reason"),
            },
            option="which",
        ),
    ] = Variant.CATEGORY
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None


class ExplainOptions(PromptOptions):
    """The options of an explanation."""

    shots: Annotated[
        Literal[0, 2],
        Asked(
            _("Worked examples"),
            words={0: _("none"), 2: _("two")},
            option="worked examples in the prompt",
            compared=_("Worked examples of an explanation"),
        ),
    ] = 0
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0


class AgentAnswer(AnswerShape):
    """The answer of the base agent."""

    label: Annotated[
        Literal["hateful", "not hateful"], one_of({"hateful": HATEFUL_FORMS, "not hateful": NOT_HATEFUL_FORMS})
    ]
    reason: Annotated[str, Field(min_length=1, max_length=4000), OWN_REASON]


_FORM = re.compile(
    r"\A\W*(?P<no>not |non-?)?hate[ -]?speech\s*[:：\-–—]\s*(?P<reason>\S.*)\Z", re.IGNORECASE | re.DOTALL
)


_LABELS = ClosedSet({True: HATEFUL_FORMS, False: NOT_HATEFUL_FORMS})


def read_comment(text: str) -> tuple[bool, str] | None:
    """Return hateful or not and the reason, from a text in one of the two fixed forms, also in the post's language.

    Returns None if the text has neither form.
    """
    match = _FORM.match(text.strip())
    if match is not None:
        return match["no"] is None, match["reason"].strip()
    label, *reasons = re.split("[:：]", text, maxsplit=1)
    hateful, reason = _LABELS.read(label), "".join(reasons).strip()
    return None if hateful is None or not reason else (hateful, reason)
