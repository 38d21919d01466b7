"""The common part of all methods about posts: the post may disappear, and the verdict is compared with people's."""

from moderation.methods import verdict_outcome
from moderation.methods.post_case import post_exists
from runs.methods.method import Outcome
from runs.models import Run


class PostMethod:
    """The base class of methods about posts. A method never changes an item's labels."""

    def still_wanted(self, run: Run) -> bool:
        """Return whether the post still exists."""
        return post_exists(run)

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Compare the verdict with people's.

        Returns False if the item is gone.
        """
        return verdict_outcome.dispute_if_verdict_differs(run, outcome)
