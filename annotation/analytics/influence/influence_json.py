"""The influence of priors as JSON, for the API and the manifests of releases, with its types."""

from typing import TypedDict

from django.utils.translation import override

from annotation.analytics.declared_figures import json_of, type_of
from annotation.analytics.influence.figures import Influence
from annotation.analytics.influence.tables import DIFFERENCE_PARTS, SHARE_PARTS, GroupRow
from annotation.domain.choices import Modality, PriorArm
from annotation.domain.statistics.influence import Account, Change, Contrast, Scope, View
from annotation.domain.votes import Category
from vocabulary.answers import answer


class ShareJson(type_of(SHARE_PARTS)):  # type: ignore[misc]  # its fields are those of the declared figure
    """How many answers agree with the prior; `why` says what is undefined."""


class DifferenceJson(type_of(DIFFERENCE_PARTS)):  # type: ignore[misc]  # as above
    """The difference of two shares; `why` says what is undefined."""


class InfluenceGroup(TypedDict):
    """The influence of the priors in one group of answers."""

    modality: Modality
    scope: Scope
    category: int | None
    shares: dict[View, ShareJson]
    differences: dict[Contrast, DifferenceJson]
    changes: dict[Change, int]


class InfluenceFigures(TypedDict):
    """How far the priors sway answers: labels by arm, and every group with answers."""

    labels: dict[PriorArm, int]
    labels_without_arm: int
    groups: list[InfluenceGroup]


def as_json(influence: Influence) -> InfluenceFigures:
    """Return the labels by arm, and every group of readings with answers; `why` has the reasons in English."""
    with override("en"):
        return {
            "labels": {**influence.labels},
            "labels_without_arm": influence.without_arm,
            "groups": [_group(account, influence.categories) for account in influence.accounts if _told(account)],
        }


def _told(account: Account) -> bool:
    return any(share.answers or share.without for share in account.shares.values())


def _group(account: Account, categories: tuple[Category, ...]) -> InfluenceGroup:
    group = account.group
    return answer(
        InfluenceGroup,
        group,
        category=None if group.category is None else categories[group.category],
        shares={
            view.value: json_of(SHARE_PARTS, GroupRow(account, categories, view, share))
            for view, share in account.shares.items()
        },
        differences={
            contrast.value: json_of(DIFFERENCE_PARTS, GroupRow(account, categories, contrast, difference))
            for contrast, difference in account.differences.items()
        },
        changes={change.value: n for change, n in account.changes.items()},
    )
