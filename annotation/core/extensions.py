"""What the apps above add to this one: pages in a header, tabs and actions on an item's page, steps of the sweeper.

Nothing here knows those apps: each registers one `Extension` in `AppConfig.ready()`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise

if TYPE_CHECKING:  # apps name their pages before models are loaded
    from django.db.models import Model, QuerySet

    from annotation.models import Item, Membership, Project

POSTS = "posts"
"""The group of pages about what brings posts in: items, imports, priors."""
MODELS = "models"
"""The group of pages about models: debates, evaluations, documents to search, who answers."""

Audience = Callable[["Membership"], bool]
"""Who gets a link: one of the five functions below."""


def annotators(member: "Membership") -> bool:
    """Return whether the member annotates."""
    return member.annotates


def reviewers(member: "Membership") -> bool:
    """Return whether the member reviews."""
    return member.reviews


def admins(member: "Membership") -> bool:
    """Return whether the member administers the project."""
    return member.administers


def debate_viewers(member: "Membership") -> bool:
    """Return whether the member may see debates."""
    return member.sees_debates


def figure_viewers(member: "Membership") -> bool:
    """Return whether the member may see figures of the whole project."""
    return member.sees_figures


@dataclass(frozen=True)
class Place:
    """A link of a project's header: for whom, and on which pages it is current."""

    url_name: str
    opens: Audience
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


def _every_item(item: "Item") -> bool:
    return True


@dataclass(frozen=True)
class Action:
    """A button on an item's page, where the item is at one of the stages; its URL takes slug and the item's id.

    `main`: drawn as the main button. `fits`: which items at those stages have it.
    """

    url_name: str
    text: str | Promise
    stages: Sequence[str]
    opens: Audience = reviewers
    main: bool = False
    fits: Callable[["Item"], bool] = _every_item


PersonalData = Mapping[str, tuple[type["Model"], str, Mapping[str, Any]]]
"""Rows that belong to a person: name of the part → model, the field that leads to the person, columns to give out."""


@dataclass(frozen=True)
class Extension:
    """Everything that one app adds."""

    places: Sequence[Place] = ()
    tabs: Sequence[Tab] = ()
    actions: Sequence[Action] = ()
    copy_settings: Sequence[Callable[["Project", "Project"], None]] = ()
    """Copy the app's settings from the first project to one that is made like it."""
    sweeper_steps: Mapping[str, Callable[[], int]] = field(default_factory=dict)
    """By the name of the count that each returns."""
    add_samples: Sequence[Callable[["Project"], None]] = ()
    """Add to the sample project of the demonstration."""
    personal_data: PersonalData = field(default_factory=dict)
    run_subjects: Mapping[str, Callable[["Project"], "QuerySet[Any, Any]"]] = field(default_factory=dict)
    """Methods whose runs are not about items → the public ids of what they may be about, as a query."""


_extensions: list[Extension] = []


def register_extension(extension: Extension) -> None:
    """Add what an app brings, after what others have registered."""
    _extensions.append(extension)


def registered() -> Sequence[Extension]:
    """Every extension, in the order of the installed apps."""
    return _extensions


def places() -> Iterator[Place]:
    """The links of all extensions for a project's header."""
    return (place for extension in registered() for place in extension.places)


def tabs() -> Iterator[Tab]:
    """The tabs of all extensions for an item's pages."""
    return (tab for extension in registered() for tab in extension.tabs)


def actions() -> Iterator[Action]:
    """The buttons of all extensions for an item's page."""
    return (action for extension in registered() for action in extension.actions)
