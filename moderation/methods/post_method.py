"""What all methods about posts share: the post may go away, and the verdict is compared with the people's."""

from moderation.methods import verdict_outcome
from moderation.methods.post_case import post_exists
from runs.methods.method import Outcome
from runs.models import Run


class PostMethod:
    """The base of methods that look at a post; nothing about the item's labels ever changes."""

    def still_wanted(self, run: Run) -> bool:
        """Return whether the post is still there."""
        return post_exists(run)

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Compare the verdict with the people's. Return False if the item is gone."""
        return verdict_outcome.dispute_if_verdict_differs(run, outcome)
