"""What the counterspeech pages show: explanations, candidates of an intent, a draft beside the model's text."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, QuerySet

from annotation.domain.choices import Stage
from annotation.models import Item, Membership
from annotation.review.queue import CLOSED_STAGES, may_see_votes
from generation.counterspeech import costs, request
from generation.counterspeech import replies as counterspeech_replies
from generation.counterspeech.claims import Claims, StatedClaim, claims_of, claims_of_post
from generation.counterspeech.orders import has_order
from generation.counterspeech.translations import TranslationBox, box_of_candidate
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.platforms import Length, lengths
from generation.domain.counterspeech.safety_flags import Flag, FlaggedWords
from generation.domain.counterspeech.states import WRITABLE, ReplyState
from generation.domain.counterspeech.writers import Writer, writer_of
from generation.domain.word_diff import Change, changes
from generation.methods.counterspeech import candidates, explain
from generation.methods.counterspeech.score import digest
from generation.models import Candidate, Exchange, Exemplar, Explanations, Reply
from runs.models import Run
from runs.queue import provider_pauses

_TOLD_ELSEWHERE = (Flag.NOT_SCORED, Flag.OPEN_CLAIM, Flag.FALSE_CLAIM)


@dataclass(frozen=True)
class Bar:
    """One part of a reward as a bar on the page: higher is better, 0 to 1."""

    name: str
    value: float | None

    @property
    def percent(self) -> str:
        """The width of the bar, as CSS."""
        return f"{100 * (self.value or 0):.1f}%"


def bars(row: Candidate | Reply) -> list[Bar]:
    """Return the bars of a reward: (1 − PC)/2, AQ, 1 − T. A missing score has no value."""
    return [
        Bar("counters", None if row.pc is None else (1 - row.pc) / 2),
        Bar("argues", row.aq),
        Bar("civil", None if row.t is None else 1 - row.t),
    ]


@dataclass(frozen=True)
class Card:
    """A candidate as the desk shows it."""

    row: Candidate
    key: str
    bars: Sequence[Bar]
    chosen: bool
    translation: TranslationBox | None
    """None where the candidate is not surely in another language than the page."""


@dataclass(frozen=True)
class Draft:
    """A reply with all that is known about its present text."""

    row: Reply
    may_write: bool

    @property
    def bars(self) -> Sequence[Bar]:
        """The parts of its reward."""
        return bars(self.row)

    @cached_property
    def findings(self) -> Sequence[FlaggedWords]:
        """The flags that need a reason before the reply is approved."""
        return counterspeech_replies.findings(self.row, self._claims)

    @property
    def warnings(self) -> Sequence[FlaggedWords]:
        """The findings about its text. The page says elsewhere that it is not scored yet, and lists its claims."""
        return [finding for finding in self.findings if finding.flag not in _TOLD_ELSEWHERE]

    @property
    def is_scored(self) -> bool:
        """Whether the scores belong to the present text."""
        return counterspeech_replies.is_scored(self.row)

    @cached_property
    def score_run(self) -> Run | None:
        """The run in which critics score the present text."""
        return request.score_run(self.row.exchange, self.row.text)

    @property
    def is_read_now(self) -> bool:
        """Whether critics are scoring it now."""
        return self.score_run is not None and self.score_run.state in ("queued", "running")

    @property
    def wants_scores(self) -> bool:
        """Whether critics should be asked about the present text, or said something of it before another edit."""
        run = self.score_run
        is_known = run is not None and run.state == "succeeded" and self.row.scored_sha256 != digest(self.row.text)
        return bool(self.row.text.strip()) and not self.is_scored and (run is None or is_known)

    @property
    def scoring(self) -> costs.Work:
        """What it takes, and took, that critics read the text."""
        return costs.Work(costs.of_scores(self.row.exchange.project), self.score_run)

    @property
    def changes(self) -> Sequence[Change]:
        """What the person changed in the model's text; empty if the reply was not begun from a candidate."""
        return changes(self.row.candidate.text, self.row.text) if self.row.candidate else ()

    @property
    def is_changed(self) -> bool:
        """Whether the text differs from the model's."""
        return self.row.candidate is not None and self.row.candidate.text != self.row.text

    @cached_property
    def lengths(self) -> Sequence[Length]:
        """The length of the present text on each platform, as that platform counts."""
        return lengths(self.row.text)

    @property
    def too_long(self) -> Sequence[Length]:
        """The platforms for which it is too long."""
        return [length for length in self.lengths if length.over]

    @property
    def claims(self) -> Sequence[StatedClaim]:
        """The statements that somebody should check, with their states and sources."""
        return self._claims.stated

    @property
    def has_sources(self) -> bool:
        """Whether a claim is supported by a source, so that a list of sources can be added to the text."""
        return bool(self._claims.sources)

    @cached_property
    def _claims(self) -> Claims:
        return claims_of(self.row)


@dataclass(frozen=True)
class Side:
    """One of the seven explanations, as the desk shows it."""

    name: Explanation
    said: str
    missing: str


def is_not_hateful(item: Item | None) -> bool:
    """Return whether people decided that this item is not hateful."""
    return item is not None and item.stage == Stage.GOLD and item.hateful is False


@dataclass(frozen=True)
class Desk:
    """All data of the page on which one post is answered."""

    exchange: Exchange
    member: Membership
    intent: Intent
    reply: Reply | None

    @property
    def is_not_hateful(self) -> bool:
        """Whether people decided that the post is not hateful; the page then asks before models do."""
        return is_not_hateful(self.exchange.item)

    @cached_property
    def holds_orders(self) -> bool:
        """Whether the post looks like an order to a model; the page says so."""
        return has_order(self.exchange)

    @property
    def claims(self) -> Sequence[StatedClaim]:
        """The claims of the post itself."""
        return claims_of_post(self.exchange).stated

    @cached_property
    def versions(self) -> list[Explanations]:
        """All versions of the explanations, newest first."""
        return list(self.exchange.explanations.select_related("author"))

    @property
    def version(self) -> Explanations | None:
        """The version of the explanations in force."""
        return self.versions[0] if self.versions else None

    @property
    def sides(self) -> list[Side]:
        """The seven explanations, with empty ones."""
        row = self.version
        return [Side(name, getattr(row, name) if row else "", row.missing.get(name, "") if row else "")
                for name in Explanation]  # fmt: skip

    @cached_property
    def explain_run(self) -> Run | None:
        """The newest run that asks for explanations."""
        return _newest(self.exchange, explain.NAME)

    @cached_property
    def write_run(self) -> Run | None:
        """The newest run that asks for candidates."""
        return _newest(self.exchange, candidates.NAME)

    @property
    def explaining(self) -> costs.Work:
        """What explanations take, and what the newest ones took."""
        expected = costs.of_explanations(self.exchange.project, self.exchange.item, self.exchange.description)
        return costs.Work(expected, self.explain_run)

    @property
    def is_explaining(self) -> bool:
        """Whether a run that explains is queued or running."""
        return self.explain_run is not None and self.explain_run.state in ("queued", "running")

    @property
    def is_writing(self) -> bool:
        """Whether a run that writes candidates is queued or running."""
        return self.write_run is not None and self.write_run.state in ("queued", "running")

    @cached_property
    def read_so_far(self) -> int:
        """How many answers the writing run has so far."""
        return self.write_run.turns.count() if self.write_run else 0

    @cached_property
    def tabs(self) -> list[tuple[Intent, int]]:
        """Each intent with the number of its newest candidates."""
        newest = self._newest_runs
        counts = dict(
            Candidate.objects.filter(exchange=self.exchange, run_id__in=set(newest.values()))
            .values_list("intent").annotate(count=Count("pk")).order_by()
        )  # fmt: skip
        return [(intent, counts.get(intent, 0)) for intent in Intent]

    @cached_property
    def cards(self) -> list[Card]:
        """The newest candidates of the chosen intent, best first."""
        run = self._newest_runs.get(self.intent)
        rows = self.exchange.candidates.filter(intent=self.intent, run_id=run) if run else ()
        chosen = self.reply.candidate_id if self.reply else None
        return [
            Card(
                row,
                str(number) if number < 10 else "",
                bars(row),
                row.pk == chosen,
                box_of_candidate(self.exchange, row),
            )
            for number, row in enumerate(rows, start=1)
        ]

    @property
    def is_judged_by_writer(self) -> bool:
        """Whether a language model scored candidates of this intent that it wrote itself; the page says so."""
        if not self.cards or self.is_text_of_baseline:
            return False
        return bool(self.cards[0].row.settings.get("judged_by_writer"))

    @property
    def earlier(self) -> int:
        """How many candidates of this intent older runs wrote."""
        return self.exchange.candidates.filter(intent=self.intent).count() - len(self.cards)

    @cached_property
    def exemplars(self) -> list[Exemplar]:
        """The approved replies that guided these candidates, nearest first."""
        keys = self.cards[0].row.exemplars if self.cards else []
        rows = Exemplar.objects.filter(project=self.exchange.project).in_bulk(keys)
        return [rows[key] for key in keys if key in rows]

    @property
    def told_about_intent(self) -> dict[str, Any]:
        """The outcome of the newest run for the chosen intent: number of duplicates, or why there is none."""
        outcome = (self.write_run.outcome or {}) if self.write_run else {}
        result: dict[str, Any] = outcome.get("intents", {}).get(self.intent, {})
        return result

    @property
    def is_text_of_baseline(self) -> bool:
        """Whether the built-in baseline wrote these candidates; the page says so."""
        return bool(self.cards) and self.cards[0].row.writer is Writer.BASELINE

    @property
    def is_scored_by_baseline(self) -> bool:
        """Whether the built-in baseline gave scores to these candidates; the page says so."""
        critics = self.cards[0].row.critics.values() if self.cards else ()
        return any(writer_of(critic["model"], "") is Writer.BASELINE for critic in critics)

    @property
    def draft(self) -> Draft | None:
        """The reply in the editor."""
        return draft_of(self.reply, self.member) if self.reply else None

    @property
    def replies(self) -> QuerySet[Reply]:
        """The newest 20 replies to this post that the viewer may read: their own, and those that were handed in."""
        return readable(self.exchange.replies.all(), self.member).order_by("-changed_at")[:20]

    @property
    def pauses(self) -> list[provider_pauses.PauseInForce]:
        """Providers that are paused now."""
        return provider_pauses.pauses_in_force()

    @cached_property
    def _newest_runs(self) -> dict[str, Any]:
        rows = self.exchange.candidates.order_by("id").values_list("intent", "run_id")
        return dict(rows)


def draft_of(reply: Reply, viewer: Membership) -> Draft:
    """Return the reply as this person may see it."""
    return Draft(reply, reply.author_id == viewer.pk and reply.state in WRITABLE)


def readable(replies: QuerySet[Reply], viewer: Membership) -> QuerySet[Reply]:
    """Return the replies that the viewer may read. A draft is visible only to its author until it is handed in."""
    people, post = ("author", "approver", "withdrawn_by"), ("exchange__item", "exchange__project")
    rows = replies.select_related(*people, *post, "candidate", "replaces")
    return rows.exclude(submitted_at=None) | rows.filter(author=viewer)


def own_draft(exchange: Exchange, member: Membership) -> Reply | None:
    """Return the draft about this post that the member changed last. Returns None if there is none."""
    own = exchange.replies.filter(author=member, state__in=WRITABLE).select_related("candidate", "exchange__item")
    return own.order_by("-changed_at").first()


def visible_exchanges(member: Membership) -> QuerySet[Exchange]:
    """Return the exchanges that the member may open: pasted texts, and items whose labelling is closed.

    Admins who neither annotate nor review see all but reported items.
    """
    rows = Exchange.objects.filter(project=member.project_id).exclude(item__excluded_for="reported")
    closed = [stage for stage in CLOSED_STAGES if stage != Stage.EXCLUDED]
    if member.administers and not (member.annotates or member.reviews):
        return rows
    return rows.filter(item=None) | rows.filter(item__stage__in=closed)


def may_open(exchange: Exchange, member: Membership) -> bool:
    """Return whether the member may open this exchange."""
    item = exchange.item
    return item is None or (item.excluded_for != "reported" and may_see_votes(item, member))


def waiting_for(member: Membership) -> QuerySet[Reply]:
    """Return the replies that wait for the member's approval, longest waiting first."""
    rows = Reply.objects.filter(exchange__in=visible_exchanges(member), state=ReplyState.SUBMITTED)
    return (
        rows.exclude(author=member)
        .select_related("author", "exchange__item", "exchange__project")
        .order_by("submitted_at", "pk")
    )


def _newest(exchange: Exchange, method: str) -> Run | None:
    return Run.objects.filter(project=exchange.project.public_id, subject=exchange.public_id, method=method).last()
