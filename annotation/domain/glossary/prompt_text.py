"""Glossary entries in prompts for models: numbered, so that an argument can cite G1."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A glossary entry whose term occurs in a post, with the number by which it is cited."""

    number: int
    term: str
    meaning: str
    target_group: str = ""


def told(known: Iterable[Known]) -> str:
    """Return the entries for a prompt, one on each line."""
    return "\n".join(
        f"G{entry.number}: “{entry.term}”{f' (about {entry.target_group})' if entry.target_group else ''}: "
        f"{' '.join(entry.meaning.split())}"
        for entry in known
    )
