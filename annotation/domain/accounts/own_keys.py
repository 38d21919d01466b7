"""A person's own keys: another letter that presses what has one, where the usual letter does not suit their hands."""

import unicodedata
from collections.abc import Mapping
from string import ascii_lowercase

from annotation.domain.categories import KEYS
from annotation.domain.refusal import Refusal
from annotation.domain.refusal import gettext_noop as _

LETTERS = "".join(letter for letter in ascii_lowercase if letter not in KEYS)
"""Letters that a person may choose. The others are held for the categories and questions of projects."""


class BadOwnKey(Refusal):
    """A choice that is refused; `usual` is the usual letter of what it was chosen for."""

    def __init__(self, usual: str, pattern: str, **values: object) -> None:
        super().__init__(pattern, **values)
        self.usual = usual


def read_own_keys(actions: Mapping[str, object], chosen: Mapping[str, str], free: str = LETTERS) -> dict[str, str]:
    """Return the person's own letters by the usual ones, without those that are empty or as usual.

    `actions`: what the keys of some pages do, in words, by their usual letters. `chosen`: the letter that the person
    wants for each. `free`: those that may be chosen. Raises BadOwnKey for another letter, and for one that would press
    two of the actions.
    """
    own: dict[str, str] = {}
    for usual in actions:
        letter = unicodedata.normalize("NFKC", chosen.get(usual, "")).strip().lower()
        if letter in ("", usual):
            continue
        if letter not in set(free):
            raise BadOwnKey(
                usual,
                _("Choose one of these letters: %(letters)s. The others are held for categories and questions."),
                letters=" ".join(free.upper()),
            )
        own[usual] = letter
    _refuse_doubles(actions, own)
    return own


def _refuse_doubles(actions: Mapping[str, object], own: Mapping[str, str]) -> None:
    pressed: dict[str, str] = {}
    for usual in sorted(actions, key=lambda usual: usual in own):  # what was chosen is refused, not what it met
        letter = own.get(usual, usual)
        if letter in pressed:
            pattern = _("%(letter)s already presses “%(other)s”. Choose another letter for one of them.")
            raise BadOwnKey(usual, pattern, letter=letter.upper(), other=actions[pressed[letter]])
        pressed[letter] = usual
