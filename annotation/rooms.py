"""What other apps add: places in a header, tabs and actions on an item's page, settings to copy, steps of the sweeper.

Nothing here knows those apps: each registers its own in `ready()`, by the names of its URLs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

POSTS = "posts"
"""What brings posts in: items, imports, priors."""
MODELS = "models"
"""What models are asked: debates, evaluations, documents to search, who answers."""


@dataclass(frozen=True)
class Place:
    """A link of a project's header: for whom (`sees_debates`, `administers`, …), and where it is current."""

    url_name: str
    opens: str
    text: str | Promise
    current_at: Sequence[str] = ()
    first: bool = False
    """Stands before the items, beside the annotator's own place."""
    group: str = ""
    """Places of one group share a link of the header and stand as tabs over each other's pages."""


@dataclass(frozen=True)
class Tab:
    """A link on an item's pages for those who may see its votes; its URL takes the project's slug and the item's id.

    `checks_claims`: statements of fact about the post can be checked there; offered wherever such statements stand.
    `beside`: its parts may stand on another page, beside the post: each form names its address, and it has no keys.
    """

    url_name: str
    text: str | Promise
    checks_claims: bool = False
    beside: bool = False


@dataclass(frozen=True)
class Action:
    """A button on an item's page, where the item is at one of the stages; its URL takes slug and the item's id.

    `opens` names who gets it, as for places. The main one is drawn so. `fits`: which items at those stages have it.
    """

    url_name: str
    text: str | Promise
    stages: Sequence[str]
    opens: str = "reviews"
    main: bool = False
    fits: Callable[[Any], bool] = lambda item: True


places: list[Place] = []
tabs: list[Tab] = []
actions: list[Action] = []
copies: list[str] = []
"""Paths of functions `(first, made)` that copy an app's own settings to a project made like another."""
chores: dict[str, str] = {}
"""Steps of the sweeper: the name of the count → the path of a function that answers how many."""
samples: list[str] = []
"""What other apps add to the sample project of the demonstration: paths of functions of the project."""
own_data: list[str] = []
"""What people can take along of what other apps keep about them: paths of mappings like `personal.PARTS`."""
subjects: dict[str, str] = {}
"""Methods whose runs are about something else than items → the path of a function of the project that answers the
public ids of what they may be about, as a query."""
