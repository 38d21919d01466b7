"""What the rules need to know about an item, read from its rows: votes, usable priors, intent, project rules."""

from collections.abc import Iterable, Sequence
from typing import Any

from annotation.domain.alignment import IntendedCategory, IntendedHateful, Intent
from annotation.domain.closing import Case, Rules
from annotation.domain.patterns import Prior as PriorValue
from annotation.domain.patterns import Priors
from annotation.domain.votes import Challenge, Vote
from annotation.domain.words import Modality, Policy, PriorState
from annotation.models import Item, Label, Prior, Project, Replacement, Seat


def seats_of(item: Item) -> list[Seat]:
    """The seats of the item's round in order, each with its label in force and what replaced it."""
    return list(
        item.seat_rows.filter(round=item.round)
        .select_related("label__category", "label__replacement__category")
        .order_by("number")
    )


def complete(seats: Sequence[Seat]) -> bool:
    """Whether every seat holds a label; an item without seats has nothing to close."""
    return len(seats) >= 2 and all(seat.label_id is not None for seat in seats)


def case_of(item: Item, seats: Iterable[Seat]) -> Case:
    """The closed item as a value."""
    votes = tuple(vote_of(seat.label) for seat in seats if seat.label is not None)
    return Case(votes, intent_of(item), priors_of(item.priors.filter(current=True).select_related("category")))


def rules_of(project: Project, seats: Sequence[Seat]) -> Rules:
    """The project's rules for an item with these seats; extra ones are added once a round only."""
    added = any(seat.seats != seats[0].seats for seat in seats)
    return Rules(Policy(project.policy), project.low_quality_threshold, 0 if added else project.extra_seats)


def first_seats(seats: Sequence[Seat]) -> int:
    """k, as it was when the round began: seats added later carry a higher number of seats."""
    return min(seat.seats for seat in seats)


def vote_of(label: Label) -> Vote:
    """What a seat says: the category in force, the annotator's own flag and challenges."""
    replacement = replacement_of(label)
    category = replacement.category if replacement else label.category
    return Vote(
        category=category.value() if category else None,
        low_quality=label.low_quality,
        challenges=tuple(challenge_of(row) for row in label.challenges),
    )


def replacement_of(label: Label) -> Replacement | None:
    """The category another expert gave in place of this label's *not sure*, if any."""
    replacement: Replacement | None = getattr(label, "replacement", None)
    return replacement


def challenge_of(row: dict[str, Any]) -> Challenge:
    """A challenge as its label stores it; the bit is what counts for the pattern."""
    return Challenge(Modality(row["modality"]), bool(row["hateful"]))


def intent_of(item: Item) -> Intent | None:
    """What the item was meant to be, if anybody said so."""
    if item.intended is not None:
        return IntendedCategory(item.intended.value())
    return None if item.intended_hateful is None else IntendedHateful(item.intended_hateful)


def priors_of(rows: Iterable[Prior]) -> Priors:
    """The priors that say something; refused, unreadable and failed ones say nothing."""
    return {
        Modality(row.modality): value
        for row in rows
        if row.state == PriorState.OK and (value := _prior_value(row)) is not None
    }


def _prior_value(row: Prior) -> PriorValue | None:
    if row.category is not None:
        return PriorValue.of(row.category.value())
    return None if row.hateful is None else PriorValue(row.hateful)
