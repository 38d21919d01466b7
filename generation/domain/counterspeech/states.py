"""States of a reply: draft → submitted → returned | approved → withdrawn | replaced.

A returned reply is written again. A withdrawn and a replaced one are ends: nothing is done with them any more.
"""

from vocabulary.display_names import NamedEnum, pgettext

MOST_REASON = 1000
"""The maximum length of the reason for a withdrawal or a correction, in characters."""


class ReplyState(NamedEnum):
    """The state of a reply; it is approved by a second person."""

    DRAFT = "draft", pgettext("stored word", "draft")
    SUBMITTED = "submitted", pgettext("stored word", "waits for approval")
    RETURNED = "returned", pgettext("stored word", "sent back")
    APPROVED = "approved", pgettext("stored word", "approved")
    WITHDRAWN = "withdrawn", pgettext("stored word", "withdrawn")
    REPLACED = "replaced", pgettext("stored word", "replaced")


WRITABLE = (ReplyState.DRAFT, ReplyState.RETURNED)
"""States in which the author may change the text."""

OPEN = (*WRITABLE, ReplyState.SUBMITTED)
"""States of a reply that nobody has decided about for good: it can be discussed and scored."""

MOVES = frozenset(
    {
        (ReplyState.DRAFT, ReplyState.SUBMITTED),
        (ReplyState.RETURNED, ReplyState.SUBMITTED),
        (ReplyState.SUBMITTED, ReplyState.APPROVED),
        (ReplyState.SUBMITTED, ReplyState.RETURNED),
        (ReplyState.SUBMITTED, ReplyState.DRAFT),  # its author takes it back
        *((state, ReplyState.WITHDRAWN) for state in (*OPEN, ReplyState.APPROVED)),
        (ReplyState.APPROVED, ReplyState.REPLACED),  # by a correction that was approved
    }
)
"""All permitted changes of state."""


def may_withdraw(state: ReplyState, *, is_author: bool, is_admin: bool, was_submitted: bool) -> bool:
    """Return whether a person may withdraw a reply: its author or an admin, once it was handed in.

    A draft that nobody else has seen is discarded instead.
    """
    return (is_author or is_admin) and was_submitted and (state, ReplyState.WITHDRAWN) in MOVES


def may_correct(state: ReplyState, *, is_author: bool, is_admin: bool) -> bool:
    """Return whether a person may begin a correction of a reply: its author or an admin, once it is approved."""
    return (is_author or is_admin) and (state, ReplyState.REPLACED) in MOVES
