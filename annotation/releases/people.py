"""Columns about people that came in with their labels, and which of them may tell who somebody is."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from annotation.domain.formats.kept_columns import as_cell
from annotation.domain.wellbeing.opt_outs import FEWEST_PEOPLE
from annotation.models import Membership, Project


class ColumnAboutPeople(NamedTuple):
    """A column about people: its different values, those that fewer than five people share, and how many people."""

    column: str
    values: int
    rare: int
    people: int


def known_of_people(project: Project) -> dict[int, Mapping[str, Any]]:
    """Return what came in about people, by the key of the member; those of whom nothing is known are not there."""
    described = Membership.objects.filter(project=project).exclude(extra={}).order_by("pk")
    return dict(described.values_list("pk", "extra"))


def columns_about_people(project: Project) -> list[ColumnAboutPeople]:
    """Return the columns about people, in the order of the alphabet."""
    counted: dict[str, Counter[str]] = {}
    for known in known_of_people(project).values():
        for name, value in known.items():
            counted.setdefault(name, Counter())[str(as_cell(value))] += 1
    return [
        ColumnAboutPeople(
            name, len(values), sum(people < FEWEST_PEOPLE for people in values.values()), sum(values.values())
        )
        for name, values in sorted(counted.items())
    ]


def with_rare_values(columns: list[ColumnAboutPeople]) -> list[ColumnAboutPeople]:
    """Return those columns whose values may tell who somebody is."""
    return [column for column in columns if column.rare]
