"""The influence of the priors as tables, below the charts and as CSV."""

from collections.abc import Iterable, Iterator, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.analytics.influence import WORDS, Influence
from annotation.domain.choices import Modality
from annotation.domain.statistics.influence import (
    Account,
    Contrast,
    Estimate,
    Figure,
    Group,
    Scope,
    Undefined,
    View,
    Why,
)
from annotation.domain.votes import Category

Cell = str | int | float | None
Row = tuple[Cell, ...]

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

FIGURE = (gettext_lazy("low, 95 %"), gettext_lazy("high, 95 %"), gettext_lazy("why undefined"))
SHARES = (
    *(gettext_lazy("prior of the"), gettext_lazy("posts"), gettext_lazy("answers"), gettext_lazy("with a category")),
    *(gettext_lazy("as the prior"), gettext_lazy("without a category"), gettext_lazy("share"), *FIGURE),
)
DIFFERENCES = (
    *(gettext_lazy("prior of the"), gettext_lazy("posts"), gettext_lazy("comparison"), gettext_lazy("answers")),
    *(gettext_lazy("compared with"), gettext_lazy("difference"), *FIGURE),
)
CHANGES = (
    *(gettext_lazy("prior of the"), gettext_lazy("posts"), gettext_lazy("answered twice"), gettext_lazy("kept")),
    *(gettext_lazy("towards the prior"), gettext_lazy("away from the prior"), gettext_lazy("otherwise")),
)


def shares(influence: Influence) -> Iterator[Row]:
    """Yield how often answers equal the prior, for each group and view with answers."""
    for account, head in _headed(influence):
        for view, share in account.shares.items():
            if share.answers or share.without:
                counts = share.answers, share.agreeing, share.without
                yield *head, str(VIEWS[view]), *counts, *_figure(share.share)


def differences(influence: Influence) -> Iterator[Row]:
    """Yield the differences between views; differences without answers only for all posts."""
    for account, head in _headed(influence):
        for contrast, figure in account.differences.items():
            if account.group.scope is Scope.ALL or figure.difference != Undefined(Why.NO_ANSWERS):
                yield *head, str(CONTRASTS[contrast]), figure.answers, figure.others, *_figure(figure.difference)


def changes(influence: Influence) -> Iterator[Row]:
    """Yield how first answers changed after hidden priors opened."""
    for account, head in _headed(influence):
        if account.asked_twice:
            yield *head, account.asked_twice, *account.changes.values()


def influence_reason(figure: Figure) -> str | None:
    """Return the reason why a figure or its interval is undefined. Returns None if both are defined."""
    return str(WORDS[figure.why]) if figure.why else None


def group_name(group: Group, categories: tuple[Category, ...]) -> str:
    """Return the label of a group of posts."""
    if group.category is None:
        return str(_SCOPES[group.scope])
    return _("Prior says %(category)s") % {"category": categories[group.category].name}


def with_answers(accounts: Iterable[Account]) -> list[Account]:
    """Return the accounts that have an answer with a category."""
    return [candidate for candidate in accounts if any(share.answers for share in candidate.shares.values())]


def _headed(influence: Influence) -> Iterator[tuple[Account, tuple[str, str]]]:
    for account in influence.accounts:
        yield account, (str(_PRIORS[account.group.modality]), group_name(account.group, influence.categories))


def _figure(figure: Figure) -> Row:
    match figure:
        case Estimate(value, None):
            return value, None, None, influence_reason(figure)
        case Estimate(value, interval):
            assert interval is not None
            return value, interval.low, interval.high, None
        case Undefined():
            return None, None, None, influence_reason(figure)
