"""The influence of the priors in a dataset card: lines of English text, from a manifest alone."""

from collections.abc import Mapping
from typing import Any

from annotation.domain.choices import Modality
from annotation.domain.statistics.influence import Contrast, View

_TOLD = ("all", "conflict")
_POSTS = {"all": "all", "conflict": "text and picture priors differ"}
_PRIOR = {Modality.TEXT.value: "text", Modality.IMAGE.value: "picture"}


def card_rows(influence: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row by modality, for all items and for those with priors in conflict: shares, differences, changes."""
    return [
        {
            "prior": _PRIOR[group["modality"]],
            "items": _POSTS[group["scope"]],
            "shares": [_share(group["shares"][view.value]) for view in View],
            "differences": [_difference(group["differences"][contrast.value]) for contrast in Contrast],
            "changes": group["changes"],
            "answered_twice": sum(group["changes"].values()),
        }
        for group in influence["groups"]
        if group["scope"] in _TOLD
    ]


def _share(share: Mapping[str, Any]) -> str:
    if share["value"] is None:
        return "–"
    return f"{_percent(share['value'])} %{_interval(share['interval'], _percent)}, n = {share['answers']:,}"


def _difference(difference: Mapping[str, Any]) -> str:
    if difference["value"] is None:
        return "–"
    return f"{_points(difference['value'])}{_interval(difference['interval'], _points)}"


def _interval(interval: list[float] | None, written: Any) -> str:
    return f" ({written(interval[0])} to {written(interval[1])})" if interval else " (no interval)"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _points(value: float) -> str:
    return f"{100 * value:+.1f}".replace("-", "−")
