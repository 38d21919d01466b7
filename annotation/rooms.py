"""What other apps add to a project's pages: places in the header, tabs on an item's page.

Nothing here knows those apps: each registers its own in `ready()`, by the names of its URLs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise


@dataclass(frozen=True)
class Place:
    """A link of a project's header: for whom (`sees_debates`, `administers`, …), and where it is current."""

    url_name: str
    opens: str
    text: str | Promise
    current_at: Sequence[str] = ()


@dataclass(frozen=True)
class Tab:
    """A link on an item's pages for those who may see its votes; its URL takes the project's slug and the item's id."""

    url_name: str
    text: str | Promise


places: list[Place] = []
tabs: list[Tab] = []
