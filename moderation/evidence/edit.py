"""Evidence on items: what investigations brought, cards struck by people, and new judgments over the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.domain.text_rules import read_text
from annotation.models import Item, Membership, Project, record
from moderation.debates import start
from moderation.domain.event_verbs import ModerationVerb
from moderation.methods.antihateagent.method import NAME
from moderation.methods.antihateagent.presenter import RationalePiece, split_citations
from moderation.models import Evidence
from runs.control import fork
from runs.domain.states import ASIDE, RunState
from runs.models import Run

REASON_LENGTH = 1000


class CannotJudge(ValueError):
    """There is nothing to judge again; says why in one sentence."""


@dataclass(frozen=True)
class Investigation:
    """A run that gathered evidence, its cards, and all judgments over them, newest first; its own is the last."""

    run: Run
    cards: Sequence[Evidence]
    judgments: Sequence[Run]

    @property
    def current(self) -> Run:
        """The judgment that counts: the newest that has an outcome, else the newest."""
        return next((run for run in self.judgments if run.outcome), self.judgments[0])

    @property
    def struck(self) -> list[int]:
        """The numbers of the cards that people took out."""
        return [card.number for card in self.cards if card.struck_at]

    @property
    def is_open(self) -> bool:
        """Whether something is still to come."""
        return any(RunState(run.state).is_open for run in self.judgments)

    @property
    def is_outdated(self) -> bool:
        """Whether the newest judgment rests on other evidence than what now stands."""
        return sorted(self.judgments[0].options.get("struck", ())) != self.struck

    @cached_property
    def rationale(self) -> list[RationalePiece]:
        """The reasons of the current judgment, citations apart."""
        return split_citations((self.current.outcome or {}).get("reason", ""))

    @property
    def used_no_language_model(self) -> bool:
        """Whether the built-in baseline spoke."""
        return any(name.startswith("keyword:") for name in self.run.model_plan.values())


def investigations_of(item: Item, most: int = 10) -> list[Investigation]:
    """Return the investigations of an item, newest first, in three queries."""
    runs = Run.objects.filter(project=item.project.public_id, subject=item.public_id, method=NAME)
    all_of_it = list(runs.exclude(variant__startswith=ASIDE).order_by("-id")[: 5 * most])
    roots = [run for run in all_of_it if run.forked_from_id is None][:most]
    cards: dict[UUID, list[Evidence]] = {run.public_id: [] for run in roots}
    for card in Evidence.objects.filter(run__in=cards).select_related("struck_by__user").prefetch_related("segments"):
        cards[card.run].append(card)
    return [
        Investigation(
            root, cards[root.public_id], [run for run in all_of_it if root.pk in (run.pk, run.forked_from_id)]
        )
        for root in roots
    ]


def strike_card(card: Evidence, reason: str, actor: Membership) -> bool:
    """Take a card out of the evidence, with a reason that is kept; False if somebody did before. Raises BadText."""
    reason = read_text(reason, REASON_LENGTH).strip()
    with transaction.atomic():
        standing = Evidence.objects.filter(pk=card.pk, struck_at=None)
        done = standing.update(struck_at=timezone.now(), struck_by=actor, struck_because=reason)
        if done:
            record(
                ModerationVerb.EVIDENCE_STRUCK,
                project=card.item.project,
                actor=actor,
                row=card.public_id,
                url=card.url,
                why=reason,
            )
    return bool(done)


def restore_card(card: Evidence, actor: Membership) -> bool:
    """Put a struck card back; the events keep who struck it and why. False if it stands."""
    with transaction.atomic():
        done = Evidence.objects.filter(pk=card.pk, struck_at__isnull=False).update(
            struck_at=None, struck_by=None, struck_because=""
        )
        if done:
            record(
                ModerationVerb.EVIDENCE_RESTORED,
                project=card.item.project,
                actor=actor,
                row=card.public_id,
                url=card.url,
            )
    return bool(done)


def judge_remaining_evidence(run: Run, project: Project, actor: Membership | None = None) -> Run:
    """Ask for a new judgment over the evidence that stands: one call, the investigation is kept. Raises CannotJudge."""
    root = run.forked_from or run
    cards = Evidence.objects.filter(run=root.public_id, struck_at__isnull=False)
    struck = list(cards.order_by("number").values_list("number", flat=True))
    options = {**root.options, "struck": struck}
    if not root.turns.filter(key="verdict").exists():
        raise CannotJudge(_("The investigation came to no judgment, so there is none to renew. Start another."))
    try:
        judgment = fork.fork_run(
            root,
            {},
            variant=start.variant_of(options, root.model_plan),
            started_by=actor.public_id if actor else None,
            options=options,
            until="verdict",
        )
    except fork.CannotFork as fault:
        raise CannotJudge(str(fault)) from None
    if judgment is None:
        raise CannotJudge(_("This judgment is under way already."))
    record(
        ModerationVerb.JUDGED_AGAIN,
        project=project,
        actor=actor,
        row=root.public_id,
        run=str(judgment.public_id),
        struck=struck,
    )
    return judgment
