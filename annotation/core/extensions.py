"""What other apps add to this one: pages in a header, tabs and actions on an item's page, steps of the sweeper.

This app does not import those apps: each registers one `Extension` in what its `AppConfig.ready()` names.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from django.utils.functional import Promise

from annotation.domain.accounts.own_keys import LETTERS
from vocabulary.registration import complete

if TYPE_CHECKING:  # apps register their pages before models are loaded
    from datetime import datetime
    from uuid import UUID

    from django.db.models import Model, QuerySet

    from annotation.domain.claim_checks import ClaimVerdict, Ground, SourceCard
    from annotation.models import Item, Membership, Project
    from annotation.releases.formats.base import Target, Writer
    from annotation.releases.rows import Rows

POSTS = "posts"
"""The group of pages about posts: items, imports, priors."""
MODELS = "models"
"""The group of pages about models: debates, evaluations, documents to search, choice of models."""

Audience = Callable[["Membership"], bool]
"""The condition for a member to get a link: one of the five functions below."""


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
class NavigationLink:
    """A link of a project's header, with the members who get it and the pages on which it is current."""

    url_name: str
    visible_to: Audience
    text: str | Promise
    current_at: Sequence[str] = ()
    first: bool = False
    """Whether the link is shown before the items, next to the annotator's own link."""
    group: str = ""
    """Pages of one group share a link in the header and are tabs above each other's pages."""


@dataclass(frozen=True)
class Tab:
    """A link on an item's pages for members who may see its votes; its URL takes the project's slug and the item's id.

    `checks_claims`: factual statements about the post can be checked there; the tab is offered beside such statements.
    `of_text`: the name of the same page for a post that is no item (`Extension.pasted_text`); it takes that post's id.
    `beside`: its parts may be shown on another page, beside the post: each form names its URL, and it has no keys.
    """

    url_name: str
    text: str | Promise
    checks_claims: bool = False
    of_text: str = ""
    beside: bool = False


def _every_item(item: "Item") -> bool:
    return True


@dataclass(frozen=True)
class Action:
    """A button on an item's page at the given stages; its URL takes the project's slug and the item's id.

    `main`: shown as the main button. `fits`: says which items at those stages have the button.
    """

    url_name: str
    text: str | Promise
    stages: Sequence[str]
    visible_to: Audience = reviewers
    main: bool = False
    fits: Callable[["Item"], bool] = _every_item


@dataclass(frozen=True)
class PageKey:
    """A letter that presses something on pages of an app, and what that does in words."""

    letter: str
    does: str | Promise


@dataclass(frozen=True)
class PageKeys:
    """The letters of some pages. People may give each of them another letter of their own.

    `name`: under which their own letters are stored. `visible_to`: members who see such pages. `app`: the app whose
    pages these are, by the name that its URLs have. `pages`: the names of their URLs; none: all pages of the app.
    `free`: letters that people may choose. The others are held for categories and questions.
    """

    name: str
    title: str | Promise
    visible_to: Audience
    keys: Sequence[PageKey]
    app: str
    pages: Collection[str] = ()
    free: str = LETTERS

    def are_on(self, app: str, page: str) -> bool:
        """Whether these are the letters of the app's page of this name."""
        return app == self.app and (not self.pages or page in self.pages)


@dataclass(frozen=True)
class GoldWanted:
    """How many gold items a project wants.

    `read` returns the numbers by pattern and code of the category; admins change them at `url_name`, which takes the
    project's slug.
    """

    url_name: str
    read: Callable[["Project"], Mapping[tuple[str, int], int]]


class ClaimChecks(Protocol):
    """What the app that checks claims knows. A post is an item, or a text that another app holds, by its public id."""

    def cards_of(self, project: "UUID", post: "UUID") -> "Sequence[SourceCard]":
        """Return the cards about a post, the newest search first."""

    def cards(self, ids: "Iterable[UUID]") -> "Mapping[UUID, SourceCard]":
        """Return the cards with these ids that still exist."""

    def verdicts(self, project: "UUID", post: "UUID") -> "Sequence[ClaimVerdict]":
        """Return how the newest check of each claim about a post ended; checks under way are left out."""

    def grounds(self, project: "UUID", decided: "Mapping[UUID, datetime | None]") -> "Mapping[UUID, Sequence[Ground]]":
        """Return the cards that verdicts and decisions about posts rest on, the oldest search first.

        `decided`: when a reviewer decided each of the posts; None if nobody did.
        """


class OrderReadings(Protocol):
    """What a model reads in posts beside the rules: whether they try to steer a program that reads them."""

    def ask(self, project: "Project", post: "UUID") -> None:
        """Have the reader asked about a post, once; nothing happens where no reader is named."""

    def with_orders(self, project: "UUID", posts: "Iterable[UUID]") -> "Set[UUID]":
        """Return those of these posts in which the reader reads an order."""


PersonalData = Mapping[str, tuple[type["Model"], str, Mapping[str, Any]]]
"""Rows about a person: name of the part → model, the lookup that leads to the person, columns to export."""


@dataclass(frozen=True)
class Extension:
    """Everything that one app adds."""

    navigation: Sequence[NavigationLink] = ()
    tabs: Sequence[Tab] = ()
    actions: Sequence[Action] = ()
    copy_settings: Sequence[Callable[["Project", "Project"], None]] = ()
    """Functions that copy the app's settings from the first project to its copy."""
    page_keys: Sequence[PageKeys] = ()
    gold_wanted: GoldWanted | None = None
    sweeper_steps: Mapping[str, Callable[[], int]] = field(default_factory=dict)
    """Steps of the sweeper, by the name of the count that each returns."""
    prompt_sets: Sequence[Callable[[], Mapping[str, str]]] = ()
    """Functions that return the prompt sets that a project may choose: title by name."""
    add_samples: Sequence[Callable[["Project"], None]] = ()
    """Functions that add samples to the demonstration project."""
    personal_data: PersonalData = field(default_factory=dict)
    run_subjects: Mapping[str, Callable[["Project"], "QuerySet[Any, Any]"]] = field(default_factory=dict)
    """Methods whose runs have subjects other than items → a query for the public ids of these subjects."""
    glossary_sources: Mapping[str, Callable[["Project"], "QuerySet[Any, Any]"]] = field(default_factory=dict)
    """Kinds of sources of a glossary entry → a query for the rows of the project that have a `public_id`."""
    release_writers: Mapping[str, Callable[["Target", "Rows"], "Writer"]] = field(default_factory=dict)
    """Formats of a release that the app writes from its own rows, by their names (`ReleaseFormat`)."""
    claim_checks: "ClaimChecks | None" = None
    order_readings: "OrderReadings | None" = None
    after_claim_check: Sequence[Callable[["UUID", "UUID"], None]] = ()
    """Functions to call when a check of a claim ended, with the public ids of the project and the post."""
    pasted_posts: Callable[["UUID"], "QuerySet[Any, Any]"] | None = None
    """A query for the posts of a project that are no items, by its public id: rows of `public_id` and `text`."""


_extensions: list[Extension] = []


def register_extension(extension: Extension) -> None:
    """Add an extension after those already registered."""
    _extensions.append(extension)


def registered() -> Sequence[Extension]:
    """Return every extension, in the order of the installed apps."""
    complete()
    return _extensions


def navigation() -> Iterator[NavigationLink]:
    """Return the links of all extensions for a project's header."""
    return (place for extension in registered() for place in extension.navigation)


def tabs() -> Iterator[Tab]:
    """Return the tabs of all extensions for an item's pages."""
    return (tab for extension in registered() for tab in extension.tabs)


def actions() -> Iterator[Action]:
    """Return the buttons of all extensions for an item's page."""
    return (action for extension in registered() for action in extension.actions)


def page_keys() -> Iterator[PageKeys]:
    """Return the letters of all extensions' pages."""
    return (keys for extension in registered() for keys in extension.page_keys)


def gold_wanted() -> GoldWanted | None:
    """Return where a project says how many gold items it wants. Returns None if no app offers that."""
    return next((extension.gold_wanted for extension in registered() if extension.gold_wanted), None)


def claim_checks() -> ClaimChecks | None:
    """Return what is known of checks of claims. Returns None if no app checks any."""
    return next((extension.claim_checks for extension in registered() if extension.claim_checks), None)


def order_readings() -> OrderReadings | None:
    """Return what a model reads in posts beside the rules. Returns None if no app has that read."""
    return next((extension.order_readings for extension in registered() if extension.order_readings), None)


def tell_of_claim_check(project: "UUID", post: "UUID") -> None:
    """Tell every app that a check of a claim about this post ended."""
    for extension in registered():
        for told in extension.after_claim_check:
            told(project, post)


def pasted_posts(project: "UUID") -> "list[QuerySet[Any, Any]]":
    """Return the queries for the posts of a project that are no items, with the columns `public_id` and `text`."""
    return [extension.pasted_posts(project) for extension in registered() if extension.pasted_posts]


def pasted_text(project: "UUID", post: "UUID") -> str | None:
    """Return the text of a post that is no item. Returns None if no app knows such a post."""
    rows = (posts.filter(public_id=post).values_list("text", flat=True).first() for posts in pasted_posts(project))
    return next((text for text in rows if text is not None), None)
