"""Values for the consensus rules, read from an item's rows: votes, usable priors, intent, project rules."""

from collections.abc import Iterable, Sequence
from typing import Any

from annotation.domain.alignment import IntendedCategory, IntendedHateful, Intent
from annotation.domain.category_sets import further_of
from annotation.domain.choices import Modality, Policy, PriorState
from annotation.domain.item_decision import Case, Rules
from annotation.domain.patterns import Prior as PriorValue
from annotation.domain.patterns import Priors
from annotation.domain.votes import Challenge, Vote
from annotation.models import Item, Label, Prior, Project, Replacement, Seat


def seats_of(item: Item) -> list[Seat]:
    """Return the seats of the item's round in order, each with its label in force and that label's replacement."""
    return list(
        item.seat_rows.filter(round=item.round)
        .select_related("label__category", "label__replacement__category")
        .order_by("number")
    )


def is_round_complete(seats: Sequence[Seat]) -> bool:
    """Whether every seat of a round has a label; False for fewer than two seats."""
    return len(seats) >= 2 and all(seat.label_id is not None for seat in seats)


def case_of(item: Item, seats: Iterable[Seat]) -> Case:
    """Return the closed item as a value."""
    votes = tuple(vote_of(seat.label) for seat in seats if seat.label is not None)
    return Case(votes, intent_of(item), priors_of(item.priors.filter(current=True).select_related("category")))


def rules_of(project: Project, seats: Sequence[Seat]) -> Rules:
    """Return the project's rules for an item with these seats; extra seats are added once a round only."""
    added = any(seat.seats != seats[0].seats for seat in seats)
    return Rules(Policy(project.policy), project.low_quality_threshold, 0 if added else project.extra_seats)


def first_seats(seats: Sequence[Seat]) -> int:
    """Return k as it was when the round began: seats added later carry a higher number of seats."""
    return min(seat.seats for seat in seats)


def vote_of(label: Label) -> Vote:
    """Return the vote of a label: the category in force, the annotator's own flag and challenges."""
    answer = replacement_of(label) or label
    category = answer.category.value() if answer.category else None
    return Vote(
        category=category,
        low_quality=label.low_quality,
        challenges=tuple(challenge_of(row) for row in label.challenges),
        further=further_of(category, answer.categories) if category else (),
    )


def replacement_of(label: Label) -> Replacement | None:
    """Return the category that another expert gave in place of this label's *not sure*, if any."""
    replacement: Replacement | None = getattr(label, "replacement", None)
    return replacement


def challenge_of(row: dict[str, Any]) -> Challenge:
    """Return a challenge as a value; for the pattern only its bit counts."""
    return Challenge(Modality(row["modality"]), bool(row["hateful"]))


def intent_of(item: Item) -> Intent | None:
    """Return what the item was meant to be, if its source says so."""
    if item.intended is not None:
        intended = item.intended.value()
        return IntendedCategory(intended, further_of(intended, item.intended_categories))
    return None if item.intended_hateful is None else IntendedHateful(item.intended_hateful)


def priors_of(rows: Iterable[Prior]) -> Priors:
    """Return the usable priors by modality; refused, unreadable and failed ones are left out."""
    return {
        Modality(row.modality): value
        for row in rows
        if row.state == PriorState.OK and (value := _prior_value(row)) is not None
    }


def _prior_value(row: Prior) -> PriorValue | None:
    if row.category is not None:
        return PriorValue.of(row.category.value())
    return None if row.hateful is None else PriorValue(row.hateful)
