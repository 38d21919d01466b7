"""The disagreement inside a debate as pages, the command and the API show it: one declaration for all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.analytics.declared_figures import DeclaredFigure, FigurePart, Part, json_of, type_of
from annotation.domain.statistics.figure import Figure
from moderation.domain.disagreement import Inner, stored_figures


@dataclass(frozen=True)
class InnerFigure:
    """One figure of a run's debate."""

    name: Inner
    figure: Figure


def figures_of(outcome: Mapping[str, Any] | None) -> Sequence[InnerFigure]:
    """Return the figures of an outcome; none for methods without a debate, or without a verdict."""
    return [InnerFigure(name, figure) for name, figure in stored_figures(outcome)]


PARTS: Sequence[Part] = (
    Part(attrgetter("name"), _("Disagreement inside the debate"), "figure", Inner),
    FigurePart(attrgetter("figure")),
)
DISAGREEMENT = DeclaredFigure[Mapping[str, Any]]("disagreement", _("Disagreement inside the debate"), figures_of, PARTS)


class RunDisagreement(type_of(PARTS)):  # type: ignore[misc]  # its fields are those of the declared figure
    """A figure of the disagreement inside a debate: `vote_entropy` in bits, `conceded_cues` as a share, or a count."""


def figures_json(outcome: Mapping[str, Any] | None) -> list[RunDisagreement]:
    """Return the figures of an outcome as JSON objects."""
    return [RunDisagreement(**json_of(PARTS, row)) for row in figures_of(outcome)]
