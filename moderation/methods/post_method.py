"""The common part of all methods about posts: the post may disappear, and the verdict is compared with people's.

A method's last step may be the second reading of its reason; near a limit its run ends without that.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from moderation.methods import second_reader, verdict_outcome
from moderation.methods.post_case import post_exists
from runs.methods.method import LIMIT_KEY, Finish, GiveUp, Outcome, SavedTurn, Step
from runs.models import Run


class PostMethod(ABC):
    """The base class of methods about posts. A method never changes an item's labels."""

    @abstractmethod
    def next_steps(self, case: Any, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Return the next steps of the method, or its end."""

    def closing_step(self, case: Any, turns: Mapping[str, SavedTurn]) -> Step | None:
        """Return the second reading where it is what comes next.

        Returns None if the rules are sure, nobody reads a second time, or that is done.
        """
        if not case.post.reader or LIMIT_KEY in turns:
            return None
        steps = self.next_steps(case, turns)
        if isinstance(steps, (Finish, GiveUp)) or steps[0].key != second_reader.KEY:
            return None
        return steps[0]

    def still_wanted(self, run: Run) -> bool:
        """Return whether the post still exists."""
        return post_exists(run)

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Compare the verdict with people's.

        Returns False if the item is gone.
        """
        return verdict_outcome.dispute_if_verdict_differs(run, outcome)
