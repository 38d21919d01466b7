"""States of a reply: draft → submitted → approved, or returned and written again."""

from vocabulary.display_names import NamedEnum, pgettext


class ReplyState(NamedEnum):
    """The state of a reply on its way to a second person's approval."""

    DRAFT = "draft", pgettext("stored word", "draft")
    SUBMITTED = "submitted", pgettext("stored word", "waits for approval")
    RETURNED = "returned", pgettext("stored word", "returned")
    APPROVED = "approved", pgettext("stored word", "approved")


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
