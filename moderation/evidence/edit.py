"""Evidence on items: cards that investigations found, removal of cards by people, and new judgments of the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.extensions import tell_of_claim_check
from annotation.core.found import found
from annotation.domain.text_rules import read_text
from annotation.models import Item, Membership, Project, record
from moderation.debates import start
from moderation.debates.posts import ReadPost
from moderation.debates.suspected import read_places, suspected_places
from moderation.domain.antihateagent.protocol import Walk
from moderation.domain.event_verbs import ModerationVerb
from moderation.methods import prompt_choice
from moderation.methods.antihateagent.presenter import RationalePiece, ShownInvestigation, split_citations
from moderation.methods.antihateagent.questions import NAME
from moderation.methods.built_in_baseline import answered_alone, answered_roles
from moderation.methods.debate_method import BadChoice
from moderation.models import Evidence
from runs.control import fork
from runs.domain.states import ASIDE, Flag, RunState
from runs.models import Run

REASON_LENGTH = 1000


class CannotJudge(ValueError):
    """There is nothing to judge again; the message says why."""


@dataclass(frozen=True)
class Investigation:
    """A run that gathered evidence, its cards, and all judgments of them, newest first; the run's own is the last."""

    run: Run
    cards: Sequence[Evidence]
    judgments: Sequence[Run]

    @property
    def current(self) -> Run:
        """The newest judgment that has an outcome, else the newest."""
        return next((run for run in self.judgments if run.outcome), self.judgments[0])

    @property
    def struck(self) -> list[int]:
        """The numbers of the cards that people removed."""
        return [card.number for card in self.cards if card.struck_at]

    @property
    def is_open(self) -> bool:
        """Whether a judgment is still under way."""
        return any(RunState(run.state).is_open for run in self.judgments)

    @property
    def is_outdated(self) -> bool:
        """Whether the judgment that is shown used other cards than those that count now."""
        return sorted(self.current.options.get("struck", ())) != self.struck

    @property
    def in_vain(self) -> Run | None:
        """The newest judgment, if it ended without an outcome and an older one is shown."""
        newest = self.judgments[0]
        return None if newest == self.current or RunState(newest.state).is_open else newest

    @cached_property
    def rationale(self) -> list[RationalePiece]:
        """The reasons of the current judgment, split into text and citations."""
        return split_citations((self.current.outcome or {}).get("reason", ""))

    @cached_property
    def walk(self) -> Walk:
        """What the agent searched and fetched; it reads the run's turns."""
        return ShownInvestigation(self.run, list(self.run.turns.all())).walk

    @cached_property
    def orders(self) -> list[str]:
        """Where something stands that looks like an order to the models, which the judgment may follow."""
        if Flag.INJECTION_SUSPECTED not in (self.current.outcome or {}).get("warnings", ()):
            return read_places(self.current)
        return suspected_places(self.current, list(self.current.turns.all()))

    @property
    def used_no_language_model(self) -> bool:
        """Whether the built-in baseline alone answered; pages with its results say so."""
        return answered_alone(self.run.model_plan)

    @property
    def built_in_roles(self) -> list[str]:
        """The roles that the built-in baseline answered."""
        return answered_roles(self.run.model_plan)


def investigations_of(item: Item, most: int = 10) -> list[Investigation]:
    """Return the investigations of an item, newest first, in three queries."""
    return investigations_about(item.project, item.public_id, most)


def investigations_about(project: Project, post: UUID, most: int = 10) -> list[Investigation]:
    """Return the investigations of a post, an item or a pasted text, newest first, in three queries."""
    runs = Run.objects.filter(project=project.public_id, subject=post, method=NAME)
    newest = runs.exclude(variant__startswith=ASIDE).select_related("forked_from").order_by("-id")
    all_of_it = list(newest[: 5 * most])
    known = {run.pk: run for run in all_of_it}
    for run in all_of_it:
        if run.forked_from_id in known:
            run.forked_from = known[run.forked_from_id]  # a chain of resumed judgments then needs no query
    root_of = {run: investigated(run) for run in all_of_it}
    roots = [run for run in all_of_it if root_of[run] == run][:most]
    cards: dict[UUID, list[Evidence]] = {run.public_id: [] for run in roots}
    for card in Evidence.objects.filter(run__in=cards).select_related("struck_by__user").prefetch_related("segments"):
        cards[card.run].append(card)
    return [
        Investigation(root, cards[root.public_id], [run for run in all_of_it if root_of[run] == root]) for root in roots
    ]


def investigate(post: ReadPost, wish: start.DebateRequest, actor: Membership) -> tuple[Run, bool]:
    """Return the run that answers the request about a post, and whether it is new. Raises BadChoice.

    Whoever asked for a check that ended before is told of it again.
    """
    runs = Run.objects.filter(project=actor.project.public_id, subject=post.public_id)
    before = runs.order_by("id").last()
    run = _run_on(post, wish, actor)
    is_new = before is None or run.pk > before.pk
    if not is_new and run.options.get("claim"):
        tell_of_claim_check(run.project, run.subject)
    return run, is_new


def _run_on(post: ReadPost, wish: start.DebateRequest, actor: Membership) -> Run:
    """Return the run that answers the request, queued now or before. Raises BadChoice."""
    if post.item is None:
        return found(start.start_on_text(actor.project, post.public_id, wish, actor))
    items = Item.objects.filter(pk=post.item.pk)
    if not start.start_runs(actor.project, items, wish, actor):
        answer = start.answer_to(actor.project, items, wish)
        if answer is not None:
            return answer
    return investigations_of(post.item, most=1)[0].run


def investigated(run: Run) -> Run:
    """Return the run that gathered the evidence that this run judges: itself, unless it only judges again."""
    judged = fork.judged_run(run)
    return run if judged is None else investigated(judged)


def strike_card(card: Evidence, reason: str, actor: Membership) -> bool:
    """Remove a card from the evidence, and store the reason.

    Returns False if it was removed before.
    Raises BadText.
    """
    reason = read_text(reason, REASON_LENGTH).strip()
    with transaction.atomic():
        standing = Evidence.objects.filter(pk=card.pk, struck_at=None)
        updated = standing.update(struck_at=timezone.now(), struck_by=actor, struck_because=reason)
        if updated:
            record(
                ModerationVerb.EVIDENCE_STRUCK,
                project=card.of_project,
                actor=actor,
                row=card.public_id,
                url=card.url,
                why=reason,
            )
    return bool(updated)


def restore_card(card: Evidence, actor: Membership) -> bool:
    """Restore a removed card; the events keep who removed it and why.

    Returns False if the card was not removed.
    """
    with transaction.atomic():
        updated = Evidence.objects.filter(pk=card.pk, struck_at__isnull=False).update(
            struck_at=None, struck_by=None, struck_because=""
        )
        if updated:
            record(
                ModerationVerb.EVIDENCE_RESTORED,
                project=card.of_project,
                actor=actor,
                row=card.public_id,
                url=card.url,
            )
    return bool(updated)


def judge_remaining_evidence(run: Run, project: Project, actor: Membership | None = None) -> Run:
    """Enqueue a new judgment of the cards that count; it costs one call and keeps the investigation. Return its run.

    Raises CannotJudge.
    """
    root = investigated(run)
    cards = Evidence.objects.filter(run=root.public_id, struck_at__isnull=False)
    struck = list(cards.order_by("number").values_list("number", flat=True))
    options = {**root.options, "struck": struck}
    if not root.turns.filter(key="verdict").exists():
        raise CannotJudge(_("The investigation came to no judgment, so there is none to renew. Start another."))
    try:
        prompt_choice.check_prompts(root.options)
        judgment = fork.fork_run(
            root,
            {},
            variant=start.variant_of(options, root.model_plan),
            started_by=actor.public_id if actor else None,
            options=options,
            until="verdict",
        )
    except (fork.CannotFork, BadChoice) as fault:
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
