"""Reviewers rate scored explanations without seeing the score: quotes, group, and their own decision."""

from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef

from annotation.domain.choices import Reason
from annotation.models import Item, Membership, Project, record
from annotation.review.expert_replacement import waiting_for_expert
from annotation.review.queue import CLOSED_STAGES, may_see_votes
from moderation.desk import triage
from moderation.domain.event_verbs import ModerationVerb
from moderation.domain.hatexscore import human_review
from moderation.domain.hatexscore.human_review import Rated, Rating, Report
from moderation.models import ExplanationReview, Score, ScoreState

MOST = 2000


def next_for(member: Membership) -> Score | None:
    """Return a scored explanation that this reviewer did not rate and few others did. Returns None if none is left."""
    if not member.reviews:
        return None
    rows = Score.objects.filter(project=member.project, state=ScoreState.SCORED).exclude(reviews__reviewer=member)
    # The rule of `may_rate` as a query: any number of explanations may stand before the first that they may rate.
    rows = rows.filter(item__stage__in=CLOSED_STAGES).exclude(item__in=waiting_for_expert(member).values("pk"))
    rows = rows.exclude(item__excluded_for=Reason.REPORTED)
    # An explanation that was scored several times is one question: its first score stands for it.
    alike = Score.objects.filter(item=OuterRef("item"), explanation=OuterRef("explanation"), state=ScoreState.SCORED)
    rows = rows.exclude(Exists(alike.filter(pk__lt=OuterRef("pk"))))
    row = rows.annotate(rated=Count("reviews")).order_by("rated", "id").select_related("item__picture").first()
    if row is not None:
        row.item.project = member.project
    return row


def may_rate(item: Item, member: Membership) -> bool:
    """Whether the reviewer may see what models said about the item."""
    return member.reviews and item.excluded_for != Reason.REPORTED and may_see_votes(item, member)


def rate(score: Score, member: Membership, rating: Rating) -> bool:
    """Keep a rating; False where this reviewer rated it before, which stands."""
    try:
        with transaction.atomic():
            ExplanationReview.objects.create(
                score=score, reviewer=member, quotes=rating.quotes, group=rating.group, hateful=rating.hateful
            )
    except IntegrityError:
        return False
    record(
        ModerationVerb.EXPLANATION_REVIEWED, project=score.project, actor=member, item=score.item, row=score.public_id
    )
    return True


def results(project: Project) -> Report:
    """Return what the project's ratings come to, over its newest 2,000 rated explanations."""
    rows = Score.objects.filter(project=project, state=ScoreState.SCORED, reviews__isnull=False).distinct()
    scores = list(rows.select_related("item").prefetch_related("reviews").order_by("-id")[:MOST])
    return human_review.report(_rated(scores))


def _rated(rows: Sequence[Score]) -> list[Rated]:
    people = triage.people_say_of({row.item for row in rows})
    rated = []
    for row in rows:
        ratings = [Rating(review.quotes, review.group, review.hateful) for review in row.reviews.all()]
        rated.append(
            Rated(
                ratings,
                row.qf or 0.0,
                bool(row.tgi),
                row.threshold,
                triage.paper_score(row),
                row.prediction,
                people[row.item_id].hateful,
            )
        )
    return rated
