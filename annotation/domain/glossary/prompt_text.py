"""Entries of the glossary as models are told of them: numbered, so that an argument can cite G1."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """An entry that a post holds, under the number by which it is cited."""

    number: int
    term: str
    meaning: str
    target_group: str = ""


def told(known: Iterable[Known]) -> str:
    """The entries for a prompt, a line each."""
    return "\n".join(
        f"G{each.number}: “{each.term}”{f' (about {each.target_group})' if each.target_group else ''}: "
        f"{' '.join(each.meaning.split())}"
        for each in known
    )
