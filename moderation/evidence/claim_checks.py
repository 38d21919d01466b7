"""What checks of claims found, for apps whose texts hold claims (`extensions.ClaimChecks`)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from annotation.domain.claim_checks import CardPassage, ClaimVerdict, Ground, SourceCard, rests_on
from moderation.domain.antihateagent.doubts import rated_claim
from moderation.evidence.edit import investigated
from moderation.methods.antihateagent.questions import NAME
from moderation.models import Evidence
from runs.domain.states import ASIDE, RunState
from runs.models import Run

MOST_CARDS = 200
MOST_CHECKS = 200


class EvidenceChecks:
    """Checks of claims by AntiHateAgent, and the cards that it found."""

    def cards_of(self, project: UUID, post: UUID) -> Sequence[SourceCard]:
        """Return the cards about a post, the newest search first."""
        claims = dict(_runs(project, post).values_list("public_id", "options__claim"))
        on_item = Q(item__public_id=post, item__project__public_id=project)
        rows = Evidence.objects.filter(on_item | Q(item=None, project__public_id=project, run__in=claims))
        return _shown(rows.order_by("-fetched_at", "number")[:MOST_CARDS], claims)

    def cards(self, ids: Iterable[UUID]) -> Mapping[UUID, SourceCard]:
        """Return the cards with these ids that still exist."""
        rows = Evidence.objects.filter(public_id__in=list(ids))
        claims = Run.objects.filter(public_id__in=rows.values("run")).values_list("public_id", "options__claim")
        return {card.public_id: card for card in _shown(rows, dict(claims))}

    def verdicts(self, project: UUID, post: UUID) -> Sequence[ClaimVerdict]:
        """Return how the newest check of each claim about a post ended; checks under way are left out."""
        ended = _runs(project, post).filter(state=RunState.SUCCEEDED).exclude(options__claim="")
        rows = list(ended.select_related("forked_from").order_by("-id")[:MOST_CHECKS])
        newest = {run.options["claim"]: run for run in reversed(rows)}
        cards = _gathered({investigated(run).public_id for run in newest.values()})
        return [_verdict(run, cards) for run in newest.values()]

    def grounds(self, project: UUID, decided: Mapping[UUID, datetime | None]) -> Mapping[UUID, Sequence[Ground]]:
        """Return the cards that verdicts and decisions about posts rest on, the oldest search first."""
        judgments = _newest_judgments(project, decided)
        rows = Evidence.objects.filter(run__in=judgments, struck_at=None).order_by("number")
        cards: dict[UUID, list[SourceCard]] = defaultdict(list)
        for card in _shown(rows, {}):
            cards[card.run].append(card)
        grounds: dict[UUID, list[Ground]] = defaultdict(list)
        for search, judgment in judgments.items():
            cited, post = set((judgment.outcome or {}).get("cited", ())), judgment.subject
            found = (rests_on(card, card.number in cited, decided[post]) for card in cards[search])
            grounds[post] += [ground for ground in found if ground is not None]
        return grounds


def _runs(project: UUID, post: UUID) -> QuerySet[Run]:
    return Run.objects.filter(project=project, subject=post, method=NAME).exclude(variant__startswith=ASIDE)


def _newest_judgments(project: UUID, posts: Collection[UUID]) -> dict[UUID, Run]:
    """Return the newest judgment of each search about what posts mean, by the search, the oldest search first."""
    ended = Run.objects.filter(project=project, subject__in=posts, method=NAME, state=RunState.SUCCEEDED)
    runs = ended.exclude(variant__startswith=ASIDE).select_related("forked_from").order_by("id")
    return {investigated(run).public_id: run for run in runs if run.outcome and not run.options.get("claim")}


def _verdict(run: Run, cards: Mapping[UUID, Sequence[Evidence]]) -> ClaimVerdict:
    outcome = run.outcome or {}
    cited = {number: place for place, number in enumerate(outcome.get("cited", ()))}
    struck = set(run.options.get("struck", ()))
    rows = [card for card in cards.get(investigated(run).public_id, ()) if card.number not in struck]
    rows.sort(key=lambda card: (cited.get(card.number, len(cited)), card.number))
    return ClaimVerdict(
        claim=run.options["claim"],
        run=run.public_id,
        asked_at=run.created_at,
        holds=outcome.get("holds"),
        supporting=[card.public_id for card in rows if "supports" in card.stances],
        refuting=[card.public_id for card in rows if "refutes" in card.stances],
    )


def _gathered(runs: Iterable[UUID]) -> Mapping[UUID, Sequence[Evidence]]:
    """Return the cards of these investigations, by the investigation.

    Cards that were struck after the judgment are among them: what rests on one is open, not judged from nothing.
    """
    by_run: dict[UUID, list[Evidence]] = defaultdict(list)
    for card in Evidence.objects.filter(run__in=list(runs)).defer("text").prefetch_related("segments"):
        by_run[card.run].append(card)
    return by_run


def _shown(rows: QuerySet[Evidence], claims: Mapping[UUID, str | None]) -> list[SourceCard]:
    return [
        SourceCard(
            public_id=card.public_id,
            number=card.number,
            url=card.url,
            domain=card.domain,
            title=card.title,
            publisher=str(card.source.get("publisher") or ""),
            published=str(card.source.get("published") or ""),
            fetched_at=card.fetched_at,
            passages=[
                CardPassage(segment.quote, "supports" if segment.stance == "supports" else "refutes")
                for segment in card.segments.all()
            ],
            claim=claims.get(card.run) or "",
            run=card.run,
            counts=card.struck_at is None,
            is_link=card.is_link,
            author=str(card.source.get("author") or ""),
            changed=str(card.source.get("changed") or ""),
            language=str(card.source.get("language") or ""),
            paywall=card.source.get("paywall"),
            rated_claim=rated_claim(card.source),
            rating=str((card.source.get("claim_review") or {}).get("rating") or ""),
            sha256=card.sha256,
        )
        for card in rows.defer("text").prefetch_related("segments")
    ]
