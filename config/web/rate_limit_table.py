"""The rate limits of the site, by name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rate:
    """At most `count` times in any period of `seconds`.

    With `slows_to`, further times are let in too, each after a wait from the last one that doubles from a second to
    that many.
    """

    count: int
    seconds: int
    slows_to: int = 0


LIMITS = {
    "login": Rate(5, 60),
    "password": Rate(10, 3600, slows_to=60),  # wrong ones for one account, whoever tries
    "code": Rate(10, 300),  # wrong ones of one account's second step, whoever tries
    "invitation": Rate(10, 60),
    "submit": Rate(60, 60),
    "next": Rate(600, 60),  # a program labels ten posts a second with these two; nobody does by hand
    "label": Rate(600, 60),
    "trigger": Rate(10, 60),
    "score": Rate(30, 60),  # drafts are scored while a person writes
    "import": Rate(10, 3600),
    "export": Rate(5, 3600),
    "access": Rate(5, 3600),
    "api_read": Rate(300, 60),
    "not_found": Rate(60, 60),
    "refused": Rate(120, 60),  # what was refused counts here, and not against the limit of what was asked for
}
OF_AN_ACCOUNT = {"password", "code"}
"""Limits of wrong passwords and codes for one account."""
GUESSES = {"login", "invitation"} | OF_AN_ACCOUNT
"""Limits of what could be guessed: a password, a code, a link. Here what was refused is what counts."""
