"""The page of one item at the desk: reasons, votes, priors, runs, and who works on it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.consensus.case_from_rows import case_of, seats_of
from annotation.domain.choices import Modality, Reason, Stage
from annotation.domain.item_decision import Case
from annotation.domain.patterns import Prior as PriorValue
from annotation.domain.patterns import contested
from annotation.models import Adjudication, Category, Dispute, Item, Membership, PictureText, Prior, Project, Seat
from annotation.picture_text.texts import reading_of
from annotation.review import adjudicate
from annotation.review.queue import VoteCard, names_revealed, vote_cards, waiting_counts, wants_category_of
from moderation.debates import presenters
from moderation.debates.presenters import RunLine
from moderation.debates.views import RUNS_OF_POST
from moderation.desk import appeals, blind_opinions, decide, leases, set_aside, triage
from moderation.desk import queue as desk_queue
from moderation.desk.dispute_reasons import REASON_NAMES, sentence_of
from moderation.desk.queue import QueueFilters
from moderation.desk.queue_rows import queued, with_votes
from moderation.desk.settings import rules_of, wants_second
from moderation.desk.triage import Pointer
from moderation.domain.text_spans import TextPiece, split_by_spans
from moderation.domain.triage import ENOUGH, PAPER_LABEL, PAPER_MODEL, Side
from moderation.models import Appeal, Evidence, Lease, Opinion, Proposal, SetAside
from runs.control import fork
from runs.models import Run

QUEUE_LENGTH = 30
"""The number of items in the queue column; the page of the queue shows all."""


@dataclass(frozen=True)
class DisputeReason:
    """One reason for the dispute, with a sentence that explains it."""

    name: str
    sentence: str
    since: Any


@dataclass(frozen=True)
class Contested:
    """A challenged prior that the reviewer may correct: its present value, and the corrected one."""

    modality: Modality
    prior: PriorValue
    correction: PriorValue


@dataclass
class Desk:
    """One item at the desk, as one member sees it."""

    member: Membership
    item: Item
    filters: QueueFilters = QueueFilters()

    @property
    def project(self) -> Project:
        return self.member.project

    @cached_property
    def categories(self) -> tuple[Category, ...]:
        return tuple(self.project.categories_by_code.values())

    @cached_property
    def offered(self) -> tuple[Category, ...]:
        """The categories that can be chosen, in the order of the page."""
        in_use = (category for category in self.categories if category.retired_at is None)
        return tuple(sorted(in_use, key=lambda category: (category.place, category.code)))

    @cached_property
    def seats(self) -> list[Seat]:
        return seats_of(self.item)

    @cached_property
    def case(self) -> Case:
        return case_of(self.item, self.seats)

    @cached_property
    def cards(self) -> list[VoteCard]:
        return vote_cards(self.item, self.member, self.seats, self.categories)

    @cached_property
    def priors(self) -> list[Prior]:
        return list(self.item.priors.filter(current=True).select_related("category").order_by("-modality"))

    @cached_property
    def reading(self) -> PictureText | None:
        """The words in the picture. None if nobody read it."""
        return reading_of(self.item) if self.item.picture_id or self.item.picture_missing else None

    @cached_property
    def why(self) -> list[DisputeReason]:
        """The open reasons with their sentences, oldest first."""
        return [
            DisputeReason(
                str(REASON_NAMES[Reason(row.reason)]),
                sentence_of(Reason(row.reason), self.case, self.categories),
                row.opened_at,
            )
            for row in self.disputes
        ]

    @cached_property
    def disputes(self) -> list[Dispute]:
        rows = Dispute.objects.filter(item=self.item, settled_at__isnull=True)
        return list(rows.order_by("opened_at", "pk"))

    @cached_property
    def contested(self) -> list[Contested]:
        """The priors that the reviewer may correct."""
        return [
            Contested(modality, prior := self.case.priors[modality], PriorValue(not prior.hateful))
            for modality in contested(self.case.priors, self.case.votes)
        ]

    @property
    def corrections(self) -> dict[Modality, PriorValue]:
        return {challenge.modality: challenge.correction for challenge in self.contested}

    @cached_property
    def past(self) -> list[Adjudication]:
        """Earlier decisions about the item, newest first."""
        return list(self.item.adjudications.select_related("category", "reviewer").order_by("-created_at", "-pk"))

    @cached_property
    def earlier_rounds(self) -> list[tuple[int, list[VoteCard]]]:
        """The votes of the earlier rounds, each round shuffled separately."""
        if self.item.round == 1:
            return []
        rows = with_votes(Seat.objects.filter(item=self.item, round__lt=self.item.round, label__isnull=False))
        rounds: dict[int, list[Seat]] = {}
        for seat in rows.order_by("-round", "number"):
            rounds.setdefault(seat.round, []).append(seat)
        return [
            (number, vote_cards(self.item, self.member, seats, self.categories)) for number, seats in rounds.items()
        ]

    @cached_property
    def blind(self) -> bool:
        """Whether the viewer should give a category before they see votes; the page then shows no vote."""
        return wants_category_of(self.item, self.member)

    @cached_property
    def may_decide(self) -> bool:
        """Whether the viewer may decide: they review, and nobody else works on the item.

        They may not if they labelled the item (where the project forbids that), took part in a decision about it, or if
        it is set aside for others.
        """
        return (
            self.member.reviews
            and adjudicate.may_settle(self.item, self.member)
            and not self.has_proposed
            and not appeals.is_against(self.appeal, self.member)
            and self.other_lease is None
            and self.kept is None
        )

    @cached_property
    def is_own_label(self) -> bool:
        """Whether the viewer labelled the item and the project requires somebody else to decide it."""
        return not adjudicate.may_settle(self.item, self.member)

    @cached_property
    def has_proposed(self) -> bool:
        """Whether the viewer has already decided about this version of the item; somebody else has to decide too."""
        return any(proposal.reviewer_id == self.member.pk for proposal in self.proposals)

    @cached_property
    def proposed(self) -> Proposal | None:
        """The viewer's own decision while it waits for a second reviewer: they may change it or take it back."""
        return decide.waiting(self.proposals, self.member)

    @cached_property
    def other_lease(self) -> Lease | None:
        """The lease of another reviewer who works on the item."""
        others = leases.in_force().filter(item=self.item).exclude(reviewer=self.member)
        return others.select_related("reviewer").first()

    @cached_property
    def set_aside(self) -> SetAside | None:
        """The row that sets the item aside now, for whomever."""
        return set_aside.in_force(self.item) if self.item.stage == Stage.DISPUTED else None

    @property
    def kept(self) -> SetAside | None:
        """The row that keeps the item from the viewer: parked, or assigned to somebody else."""
        row = self.set_aside
        return row if row is not None and row.reviewer_id != self.member.pk else None

    @cached_property
    def proposals(self) -> list[Proposal]:
        return decide.proposals(self.item)

    @cached_property
    def disagreement(self) -> list[Proposal]:
        """The proposals of two reviewers who disagree; empty for everybody who may not decide."""
        return self.proposals if len(self.proposals) == 2 and self.may_decide else []

    @cached_property
    def needs_second(self) -> bool:
        """Whether two reviewers have to decide about the item."""
        reasons = [Reason(row.reason) for row in self.disputes]
        return self.item.stage == Stage.DISPUTED and wants_second(rules_of(self.project), reasons)

    @cached_property
    def appeal(self) -> Appeal | None:
        return appeals.open_appeal(self.item)

    @cached_property
    def opinion(self) -> Opinion | None:
        return blind_opinions.opinion_of(self.item, self.member)

    @cached_property
    def asks_own_view(self) -> bool:
        """Whether the viewer may still record their own view. Debates persuade, so they are folded until then."""
        return self.opinion is None and self.may_decide and self.item.stage == Stage.DISPUTED

    @cached_property
    def named(self) -> bool:
        """Whether the viewer asked to see who gave which vote."""
        return names_revealed(self.item, self.member)

    @cached_property
    def runs(self) -> list[RunLine]:
        """The newest runs about the item, newest first."""
        return presenters.run_lines(self.project, self.item.public_id, self.categories, RUNS_OF_POST)

    @cached_property
    def run_count(self) -> int:
        """Number of runs on the item, of any age."""
        if len(self.runs) < RUNS_OF_POST:
            return len(self.runs)
        return presenters.debate_runs(self.project).filter(subject=self.item.public_id).count()

    @property
    def shown_run(self) -> Run | None:
        """The run that the page shows at first: the newest that is under way, else the newest."""
        line = next((line for line in self.runs if line.is_open), next(iter(self.runs), None))
        return line.run if line else None

    @cached_property
    def counts_of_tabs(self) -> dict[str, int]:
        """How much the tabs of other parts hold, by the names of their addresses."""
        return {
            "moderation:item-scores": triage.scores_of(self.item).count(),
            "moderation:evidence": count_sources(self.item),
        }

    @cached_property
    def stretches(self) -> list[TextPiece]:
        """The text, split by the quotations of the newest scored explanation; empty if there is none."""
        newest = triage.scores_of(self.item).filter(text=self.item.text).first() if self.item.text else None
        spans = newest.reading.get("spans", ()) if newest else ()
        return split_by_spans(self.item.text, spans) if spans else []

    @cached_property
    def pointer(self) -> Pointer | None:
        """The side that the newest score of a differing verdict supports."""
        return triage.pointer(self.item)

    @cached_property
    def hit_rate(self) -> dict[str, Any]:
        """How often such a hint was right: in this project, or in the paper if the project has too few decisions."""
        rates, decisions = triage.hit_rates(self.project)
        assert self.pointer is not None
        side = self.pointer.side
        if decisions >= ENOUGH and rates[side].of:
            return {"own": True, "percent": 100 * (rates[side].share or 0), "of": rates[side].of}
        return {"own": False, "percent": 100 * (PAPER_MODEL if side is Side.MODEL else PAPER_LABEL)}

    @cached_property
    def queue(self) -> list[Item]:
        """The head of the queue; it includes this item even if its place is further down."""
        head = list(queued(self.member, desk_queue.queue(self.member, self.filters), QUEUE_LENGTH))
        if self.item.stage == Stage.DISPUTED and self.item not in head:
            own = desk_queue.queue(self.member, QueueFilters()).filter(pk=self.item.pk)
            head = [*queued(self.member, own, 1), *head]
        return head

    @cached_property
    def ready_count(self) -> int:
        """Number of items of the queue that the viewer can decide now; for who does not review, of all that wait."""
        return desk_queue.ready(self.member, self.filters).count()

    @cached_property
    def counts(self) -> dict[Reason, int]:
        return waiting_counts(self.project)

    @property
    def neighbours(self) -> tuple[Item | None, Item | None]:
        """The items before and after this one in the queue column, of those that wait for nobody else."""
        places = [item.pk for item in self.queue]
        place = places.index(self.item.pk) if self.item.pk in places else -1
        before = (item for item in reversed(self.queue[: max(place, 0)]) if not getattr(item, "waits", False))
        after = (item for item in self.queue[place + 1 :] if not getattr(item, "waits", False))
        return next(before, None), next(after, None)


def count_sources(item: Item) -> int:
    """Count the sources of the item's evidence that stand, each once in an investigation, however often it went on.

    Judgments that were resumed used to store the cards of their investigation again, and nobody can strike those.
    """
    cards = Evidence.objects.filter(item=item, struck_at=None).values_list("run", "url")
    runs = Run.objects.filter(public_id__in={run for run, _url in cards}).select_related("forked_from")
    begun = {run.public_id: first for run in runs if (first := fork.first_of(run)).forked_from_id is None}
    return len({(begun[run], url) for run, url in cards if run in begun})
