"""Make a label of an answer, with everything that the annotator was shown: the priors, the guideline, the picture."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from annotation.assignment.prior_display import CLOCK_TOLERANCE, priors_seen_at
from annotation.assignment.seat_lookup import guideline_seen, next_revision
from annotation.domain.answer import Answer, BadAnswer, Correction
from annotation.domain.choices import Modality, PriorArm, PriorState
from annotation.domain.questions.answers import Stored as Answers
from annotation.labelling.offered_categories import read_offered
from annotation.models import Category, Label, Membership, Prior, Project, Seat


def new_label(
    member: Membership,
    seat: Seat,
    answer: Answer,
    category: Category | None,
    answers: Answers,
    **fields: Any,
) -> Label:
    """Return the answer as the next revision at the seat, with everything that was seen; it is not stored yet.

    Raises BadAnswer if a challenged prior was not shown.
    """
    priors = priors_seen(member.project, seat)
    return Label(
        seat=seat,
        item=seat.item,
        annotator=member,
        revision=next_revision(seat),
        category=category,
        categories=list(answer.categories),
        not_sure=answer.not_sure,
        low_quality=answer.low_quality,
        target_group=answer.target_group,
        note=answer.note,
        answers=answers,
        challenges=_challenges(member.project, answer.corrections, priors),
        first_answer=seat.first_answer,
        priors_shown=[prior.pk for prior in priors.values()],
        priors_shown_at=seat.priors_shown_at,
        prior_arm=seat.prior_arm,
        reveals=seat.reveals,
        guideline_id=guideline_seen(seat),
        **fields,
    )


def priors_seen(project: Project, seat: Seat) -> dict[Modality, Prior]:
    """Return the priors that were shown with the item, by modality; none if they were not shown."""
    if seat.priors_shown_at is None or seat.prior_arm == PriorArm.WITHHELD:
        return {}
    priors = priors_seen_at(project, seat, seat.priors_shown_at + CLOCK_TOLERANCE)
    return {Modality(prior.modality): prior for prior in priors}


def _challenges(
    project: Project, corrections: Collection[Correction], priors: Mapping[Modality, Prior]
) -> list[dict[str, Any]]:
    """Return the corrections as a label stores them.

    Raises BadAnswer if no usable prior of that modality was shown.
    """
    categories = read_offered(project, [correction.category for correction in corrections], "challenges")
    challenges = []
    for correction in corrections:
        modality, code = correction.modality, correction.category
        if modality not in priors or priors[modality].state != PriorState.OK:
            sentence = f"No view of the {modality} was shown that could be challenged."
            raise BadAnswer("no_prior", sentence, "challenges")
        hateful = correction.hateful if code is None else categories[code].hateful
        challenges.append({"modality": modality, "category": code, "hateful": hateful})
    return challenges


def working_seconds(seat: Seat, now: datetime, counted: float | None) -> float | None:
    """Return the working time at the seat: what the client counted, at most the time since the seat was held.

    The seat need not have been shown: a program may hold seats, and answer for them later. Without a count it is the
    time since the item was shown, or None if it was never shown. Both bounds go by the database's clock.
    """
    since = seat.shown_at if counted is None else seat.held_at
    if since is None:
        return counted
    passed = max((now - since).total_seconds(), 0.0)
    return round(passed, 1) if counted is None else min(counted, passed)
