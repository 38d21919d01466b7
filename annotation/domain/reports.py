"""Rules of reports of illegal content: how one is answered, where a post returns to, whom a contact's words name."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from annotation.domain.choices import Reason, Stage
from vocabulary.display_names import NamedEnum, pgettext

_ADDRESS = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)


class ReportAnswer(NamedEnum):
    """What an admin decides about the reports of a post."""

    KEPT_OUT = "kept_out", pgettext("stored word", "kept out")
    PUT_BACK = "put_back", pgettext("stored word", "put back")
    HANDED_OVER = "handed_over", pgettext("stored word", "kept out and handed over")
    """It stays out, and the authorities or the operator were told outside of the site."""


@dataclass(frozen=True)
class ReportTold:
    """Who is told of a report: admins of the project and of the site, on each of their pages; by mail; the contact."""

    admins: bool
    site_admins: bool
    mail: bool
    contact: str
    """Whom to write to in one's own words; "" if nobody is named."""


def rested_on_votes(stage: Stage, excluded_for: str | None) -> bool:
    """Return whether the labels of an item's round decided where it stood."""
    if stage is Stage.EXCLUDED:
        return excluded_for not in (Reason.REPORTED, Reason.WITHDRAWN)
    return stage in (Stage.GOLD, Stage.DISPUTED)


def needs_labels_again(stage: Stage, excluded_for: str | None, labels_before: int, labels_now: int) -> bool:
    """Return whether a post cannot return to where it stood, because labels that decided it were withdrawn since."""
    return rested_on_votes(stage, excluded_for) and labels_now < labels_before


def addresses_in(*contacts: str) -> list[str]:
    """Return the e-mail addresses that the words of contacts name, each once, in their order."""
    return first_of_each(address for contact in contacts for address in _ADDRESS.findall(contact))


def first_of_each(addresses: Iterable[str]) -> list[str]:
    """Return the addresses without those that differ from an earlier one in case alone."""
    kept: dict[str, str] = {}
    for address in addresses:
        kept.setdefault(address.casefold(), address)
    return list(kept.values())
