"""The rate limits of the site, by name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rate:
    """At most `count` times in any period of `seconds`."""

    count: int
    seconds: int


LIMITS = {
    "login": Rate(5, 60),
    "invitation": Rate(10, 60),
    "submit": Rate(60, 60),
    "trigger": Rate(10, 60),
    "score": Rate(30, 60),  # drafts are scored while a person writes
    "import": Rate(10, 3600),
    "export": Rate(5, 3600),
    "access": Rate(5, 3600),
    "api_read": Rate(300, 60),
    "not_found": Rate(60, 60),
}
