"""A stated conclusion, for all languages."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Conclusion:
    """A stated conclusion at `start` … `end` of the explanation."""

    start: int
    end: int
    hateful: bool
