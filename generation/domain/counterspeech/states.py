"""States of a reply: draft → submitted → approved; or submitted → returned, then written again."""

from vocabulary.display_names import NamedEnum, pgettext


class ReplyState(NamedEnum):
    """The state of a reply; it is approved by a second person."""

    DRAFT = "draft", pgettext("stored word", "draft")
    SUBMITTED = "submitted", pgettext("stored word", "waits for approval")
    RETURNED = "returned", pgettext("stored word", "sent back")
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
"""All permitted changes of state. An approved reply never changes."""

WRITABLE = (ReplyState.DRAFT, ReplyState.RETURNED)
"""States in which the author may change the text."""
