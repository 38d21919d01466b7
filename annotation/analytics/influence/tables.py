"""The influence of the priors as tables, below the charts and as CSV."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.analytics.declared_figures import DeclaredFigure, FigurePart, Part
from annotation.analytics.influence.figures import Influence
from annotation.domain.choices import Modality
from annotation.domain.statistics.figure import Undefined, Why
from annotation.domain.statistics.influence import (
    Account,
    Change,
    Contrast,
    Difference,
    MatchRate,
    ReadingGroup,
    Scope,
    View,
)
from annotation.domain.votes import Category

VIEWS: Mapping[View, Promise] = {
    View.SHOWN: pgettext_lazy("answers", "priors shown"),
    View.OWN: pgettext_lazy("answers", "hidden: own view"),
    View.AFTER: pgettext_lazy("answers", "hidden: after seeing"),
    View.WITHHELD: pgettext_lazy("answers", "priors withheld"),
}
CONTRASTS: Mapping[Contrast, Promise] = {
    Contrast.SHOWN_WITHHELD: gettext_lazy("shown − withheld"),
    Contrast.AFTER_WITHHELD: gettext_lazy("after seeing − withheld"),
    Contrast.AFTER_OWN: gettext_lazy("after seeing − own view"),
}
_PRIORS: Mapping[Modality, Promise] = {
    Modality.TEXT: pgettext_lazy("prior", "text"),
    Modality.IMAGE: pgettext_lazy("prior", "picture"),
}
_SCOPES: Mapping[Scope, Promise] = {
    Scope.ALL: gettext_lazy("All posts"),
    Scope.CONFLICT: gettext_lazy("Priors in conflict"),
    Scope.ALIKE: gettext_lazy("Priors alike"),
}


@dataclass(frozen=True)
class GroupRow:
    """A group of posts with one of its figures; `what` is its view or contrast."""

    account: Account
    categories: tuple[Category, ...]
    what: View | Contrast | None = None
    figure: MatchRate | Difference | None = None


HEAD = (
    Part(lambda row: _PRIORS[row.account.group.modality], gettext_lazy("prior of the")),
    Part(lambda row: group_name(row.account.group, row.categories), gettext_lazy("posts")),
)
SHARE_PARTS = (
    Part(attrgetter("figure.answers"), gettext_lazy("with a category"), "answers"),
    Part(attrgetter("figure.agreeing"), gettext_lazy("as the prior"), "agreeing"),
    Part(attrgetter("figure.without"), gettext_lazy("without a category"), "without_category"),
    FigurePart(attrgetter("figure.share"), gettext_lazy("share")),
)
DIFFERENCE_PARTS = (
    Part(attrgetter("figure.answers"), gettext_lazy("answers"), "answers"),
    Part(attrgetter("figure.others"), gettext_lazy("compared with"), "others"),
    FigurePart(attrgetter("figure.difference"), gettext_lazy("difference")),
)
_CHANGES: Mapping[Change, Promise] = {
    Change.KEPT: gettext_lazy("kept"),
    Change.TOWARDS: gettext_lazy("towards the prior"),
    Change.AWAY: gettext_lazy("away from the prior"),
    Change.OTHERWISE: gettext_lazy("otherwise"),
}


def _times(change: Change) -> Callable[[GroupRow], int]:
    return lambda row: row.account.changes[change]


def _shares(influence: Influence) -> Iterator[GroupRow]:
    """Yield how often answers equal the prior, for each group and view with answers."""
    for account in influence.accounts:
        for view, share in account.shares.items():
            if share.answers or share.without:
                yield GroupRow(account, influence.categories, view, share)


def _differences(influence: Influence) -> Iterator[GroupRow]:
    """Yield the differences between views; differences without answers only for all posts."""
    for account in influence.accounts:
        for contrast, figure in account.differences.items():
            if account.group.scope is Scope.ALL or figure.difference != Undefined(Why.NO_ANSWERS):
                yield GroupRow(account, influence.categories, contrast, figure)


def _changed(influence: Influence) -> Iterator[GroupRow]:
    """Yield how first answers changed after hidden priors opened."""
    for account in influence.accounts:
        if account.asked_twice:
            yield GroupRow(account, influence.categories)


SHARES = DeclaredFigure(
    "prior_shares",
    gettext_lazy("Prior influence"),
    _shares,
    (*HEAD, Part(lambda row: VIEWS[row.what], gettext_lazy("answers")), *SHARE_PARTS),
)
DIFFERENCES = DeclaredFigure(
    "prior_differences",
    gettext_lazy("Prior influence: differences"),
    _differences,
    (*HEAD, Part(lambda row: CONTRASTS[row.what], gettext_lazy("comparison")), *DIFFERENCE_PARTS),
)
CHANGES = DeclaredFigure(
    "prior_changes",
    gettext_lazy("Prior influence: changed answers"),
    _changed,
    (
        *(*HEAD, Part(attrgetter("account.asked_twice"), gettext_lazy("answered twice"))),
        *(Part(_times(change), label) for change, label in _CHANGES.items()),
    ),
)
INFLUENCE_FIGURES = (SHARES, DIFFERENCES, CHANGES)
"""They contain no names."""


def group_name(group: ReadingGroup, categories: tuple[Category, ...]) -> str:
    """Return the label of a group of posts."""
    if group.category is None:
        return str(_SCOPES[group.scope])
    return _("Prior says %(category)s") % {"category": categories[group.category].name}


def with_answers(accounts: Iterable[Account]) -> list[Account]:
    """Return the accounts that have an answer with a category."""
    return [candidate for candidate in accounts if any(share.answers for share in candidate.shares.values())]
