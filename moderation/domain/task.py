"""What a method is asked about a post."""

from enum import StrEnum

MOST_REPEATS = 20
"""How often the same may be asked anew."""


class Task(StrEnum):
    """The question to the judge of a post."""

    SIX = "six"
    """One of the project's categories."""
    BINARY = "binary"
    """Hateful or not."""
