"""The lists of protected groups: category → terms, as files beside this module, or as JSON of somebody's own."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

NAMES = ("un_extended", "un", "un_zh_extended", "un_zh", "un_ko_extended", "un_ko", "meta", "x", "youtube")
DEFAULT = "un_extended"
OF_LANGUAGE = {"zh": "un_zh_extended", "ko": "un_ko_extended"}
_ADDED_TO = {"un_zh_extended": "un_zh", "un_ko_extended": "un_ko"}
"""Lists whose file holds only what they add to another list."""
MOST_TERMS = 5_000
LONGEST_TERM = 100

Groups = Mapping[str, Sequence[str]]


class BadGroups(ValueError):
    """A group list that cannot be used; the sentence says what it must look like."""


def default_name(language: str) -> str:
    """Return the name of the list that is used where none is named."""
    return OF_LANGUAGE.get(language, DEFAULT)


@cache
def built_in(name: str) -> dict[str, tuple[str, ...]]:
    """Return the list of this name.

    Raises BadGroups if there is none.
    """
    if name not in NAMES:
        raise BadGroups(f"There is no group list {name!r}; there are {', '.join(NAMES)}, or a JSON file of your own.")
    file = Path(__file__).with_name("lists") / f"{name}.json"
    listed = dict(built_in(_ADDED_TO[name])) if name in _ADDED_TO else {}
    for category, terms in json.loads(file.read_text(encoding="utf-8")).items():
        listed[category] = (*listed.get(category, ()), *terms)
    return listed


def checked(given: Any) -> dict[str, tuple[str, ...]]:
    """Return somebody's own list: a JSON object of categories, each with a list of terms.

    Raises BadGroups if it has another form or too many terms.
    """
    if not isinstance(given, dict) or not given:
        raise BadGroups('A group list is an object: {"category": ["term", …], …}.')
    listed = {}
    for category, terms in given.items():
        if not isinstance(terms, list | tuple) or not all(isinstance(term, str) and term.strip() for term in terms):
            raise BadGroups(
                f"The category {str(category)[:60]!r} needs a list of terms, each a text that is not empty."
            )
        if any(len(term) > LONGEST_TERM for term in terms):
            raise BadGroups(f"The category {category[:60]!r} has a term of more than {LONGEST_TERM} characters.")
        listed[category] = tuple(term.strip() for term in terms)
    if not any(listed.values()):
        raise BadGroups("A group list has at least one term.")
    if sum(len(terms) for terms in listed.values()) > MOST_TERMS:
        raise BadGroups(f"A group list holds {MOST_TERMS} terms at most.")
    return listed


@cache
def countries(language: str) -> frozenset[str]:
    """Return countries in this language, in lower case: they count only where they are written as names."""
    if language == "zh":
        return frozenset()  # its list names peoples
    if language == "ko":
        return frozenset(built_in("un_ko")["국적"])
    return frozenset(built_in("un")["National"]) | frozenset(built_in("un_extended")["National"])
