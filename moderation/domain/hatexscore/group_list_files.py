"""The lists of protected groups: category → terms, as files beside this module, or as JSON of somebody's own."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

NAMES = ("un_extended", "un", "un_zh", "un_ko", "meta", "x", "youtube")
DEFAULT = "un_extended"
OF_LANGUAGE = {"zh": "un_zh", "ko": "un_ko"}
MOST_TERMS = 5_000
LONGEST_TERM = 100

Groups = Mapping[str, Sequence[str]]


class BadGroups(ValueError):
    """A group list that cannot be used; the sentence says what it must look like."""


def default_name(language: str) -> str:
    """The list that is used where none is named."""
    return OF_LANGUAGE.get(language, DEFAULT)


@cache
def built_in(name: str) -> dict[str, tuple[str, ...]]:
    """The list of this name. Raises BadGroups."""
    if name not in NAMES:
        raise BadGroups(f"There is no group list {name!r}; there are {', '.join(NAMES)}, or a JSON file of your own.")
    held = json.loads((Path(__file__).with_name("lists") / f"{name}.json").read_text(encoding="utf-8"))
    return {category: tuple(terms) for category, terms in held.items()}


def checked(given: Any) -> dict[str, tuple[str, ...]]:
    """Somebody's own list: a JSON object of categories, each with a list of terms. Raises BadGroups."""
    if not isinstance(given, dict) or not given:
        raise BadGroups('A group list is an object: {"category": ["term", …], …}.')
    found = {}
    for category, terms in given.items():
        if not isinstance(terms, list | tuple) or not all(isinstance(term, str) and term.strip() for term in terms):
            raise BadGroups(
                f"The category {str(category)[:60]!r} needs a list of terms, each a text that is not empty."
            )
        if any(len(term) > LONGEST_TERM for term in terms):
            raise BadGroups(f"The category {category[:60]!r} has a term of more than {LONGEST_TERM} characters.")
        found[category] = tuple(term.strip() for term in terms)
    if sum(len(terms) for terms in found.values()) > MOST_TERMS:
        raise BadGroups(f"A group list holds {MOST_TERMS} terms at most.")
    return found


@cache
def countries(language: str) -> frozenset[str]:
    """Names of countries in this language, which count only where they are written as names; in lower case."""
    if language == "zh":
        return frozenset()  # its list names peoples
    if language == "ko":
        return frozenset(built_in("un_ko")["국적"])
    return frozenset(built_in("un")["National"]) | frozenset(built_in("un_extended")["National"])
