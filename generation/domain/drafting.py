"""The states of a reply: draft → submitted → approved, or returned and written on."""

from enum import StrEnum


class ReplyState(StrEnum):
    """Where a reply is on its way to somebody's signature."""

    DRAFT = "draft"
    SUBMITTED = "submitted"
    RETURNED = "returned"
    APPROVED = "approved"


MOVES = frozenset(
    {
        (ReplyState.DRAFT, ReplyState.SUBMITTED),
        (ReplyState.RETURNED, ReplyState.SUBMITTED),
        (ReplyState.SUBMITTED, ReplyState.APPROVED),
        (ReplyState.SUBMITTED, ReplyState.RETURNED),
        (ReplyState.SUBMITTED, ReplyState.DRAFT),  # its author takes it back
    }
)
"""Every move there is; an approved reply stays as it was signed."""

WRITABLE = (ReplyState.DRAFT, ReplyState.RETURNED)
"""States in which the author may change the words."""
