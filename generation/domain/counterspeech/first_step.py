"""The first step: whether to answer a post at all, report it, support the people meant, or leave it.

The rule follows the practitioners' guides (Council of Europe, WE CAN; Dangerous Speech Project): what the law forbids
is reported, people who are attacked come before the debate, who is in danger does not write under their own name, and
an answer is for those who read along. It advises. People decide.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum

from vocabulary.display_names import NamedEnum, pgettext
from vocabulary.refusals import gettext_noop as _


class FirstChoice(StrEnum):
    """What is done about a post."""

    ANSWER = "answer"
    REPORT = "report"
    SUPPORT = "support"
    LEAVE = "leave"


class StepReason(NamedEnum):
    """A reason for the first step."""

    THREAT = "threat", pgettext("stored word", "it threatens somebody")
    CALL_TO_VIOLENCE = "call_to_violence", pgettext("stored word", "it calls for violence")
    PRIVATE_DATA = "private_data", pgettext("stored word", "it spreads somebody’s private data")
    ILLEGAL = "illegal", pgettext("stored word", "it may be against the law or the platform’s rules")
    PERSON_ATTACKED = "person_attacked", pgettext("stored word", "a single person is attacked")
    TARGET_READS = "target_reads", pgettext("stored word", "the people meant read along")
    WRITER_IN_DANGER = "writer_in_danger", pgettext("stored word", "an answer would endanger who writes it")
    READERS_IN_DOUBT = "readers_in_doubt", pgettext("stored word", "people who read along can be won over")
    WIDE_REACH = "wide_reach", pgettext("stored word", "it reaches many")
    FALSEHOOD = "falsehood", pgettext("stored word", "it spreads something false")
    NOBODY_READS = "nobody_reads", pgettext("stored word", "hardly anybody reads it: an answer would spread it")
    WANTS_ATTENTION = "wants_attention", pgettext("stored word", "the author only wants attention")
    ANSWERED = "answered", pgettext("stored word", "others have answered it well")


CHOICE_WORDS = {
    FirstChoice.ANSWER: _("Answer it"),
    FirstChoice.REPORT: _("Report it"),
    FirstChoice.SUPPORT: _("Support the people meant"),
    FirstChoice.LEAVE: _("Leave it alone"),
}

REASONS: Mapping[FirstChoice, tuple[StepReason, ...]] = {
    FirstChoice.ANSWER: (StepReason.READERS_IN_DOUBT, StepReason.WIDE_REACH, StepReason.FALSEHOOD),
    FirstChoice.REPORT: (
        StepReason.THREAT,
        StepReason.CALL_TO_VIOLENCE,
        StepReason.PRIVATE_DATA,
        StepReason.ILLEGAL,
    ),
    FirstChoice.SUPPORT: (StepReason.PERSON_ATTACKED, StepReason.TARGET_READS, StepReason.WRITER_IN_DANGER),
    FirstChoice.LEAVE: (StepReason.NOBODY_READS, StepReason.WANTS_ATTENTION, StepReason.ANSWERED),
}
"""What each reason speaks for."""

_FIRST = (FirstChoice.REPORT, FirstChoice.SUPPORT)
"""What is advised as soon as one reason speaks for it, whatever speaks against it."""

MOST_NOTE = 500
"""The longest line of text beside the reasons, in characters."""


def advised(reasons: Collection[StepReason]) -> FirstChoice | None:
    """Return what the reasons speak for.

    Report and support go first. Between answer and leave, more reasons decide; in doubt it is left alone. Returns None
    without a reason.
    """
    counts = {choice: sum(reason in reasons for reason in own) for choice, own in REASONS.items()}
    if not any(counts.values()):
        return None
    urgent = next((choice for choice in _FIRST if counts[choice]), None)
    if urgent is not None:
        return urgent
    return FirstChoice.ANSWER if counts[FirstChoice.ANSWER] > counts[FirstChoice.LEAVE] else FirstChoice.LEAVE
