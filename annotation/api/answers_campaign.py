"""What the API answers about a campaign: its people, guidelines, batches, quotas and training; as types.

The rules are those of `annotation.api.answers`.
"""

from datetime import date, datetime
from typing import TypedDict
from uuid import UUID

from annotation.api.answers import KeyedPage
from annotation.api.serializers import GivenLabelShape
from annotation.domain.choices import BatchState, Role
from annotation.domain.outgoing import DeliveryState, Happening
from annotation.members.invitations import State
from annotation.training.results import KnownCounts

# ── People ────────────────────────────────────────────────────────────────────


class GivenLabelPage(KeyedPage):
    """A page of labels."""

    results: list[GivenLabelShape]


class WorkedTotal(TypedDict):
    """What somebody did in a period: active minutes, labels, and on how many days."""

    name: str
    active_minutes: float
    labels: int
    days: int


class WorkedDay(TypedDict):
    """What somebody did on a day."""

    name: str
    active_minutes: float
    labels: int
    day: date


class HoursJson(TypedDict):
    """Working time of a period by pseudonym, and by pseudonym and day."""

    first: date
    last: date
    people: list[WorkedTotal]
    days: list[WorkedDay]


class MemberJson(TypedDict):
    """A member with an account: the name to sign in with, the pseudonym, the roles. `labels` are those in force."""

    id: UUID
    username: str
    name: str
    roles: list[Role]
    active: bool
    withdrawn_at: datetime | None
    labels: int
    quota: int | None
    consented: bool
    trained_at: datetime | None


class NewMemberJson(MemberJson):
    """A member who was added. `password` is that of a new account and told only once; null for one that was there."""

    password: str | None


class InvitationJson(TypedDict):
    """An invitation, without its secret."""

    id: UUID
    roles: list[Role]
    state: State
    team: UUID | None
    note: str
    created_at: datetime
    expires_at: datetime
    accepted_by: str | None


class NewInvitationJson(InvitationJson):
    """A new invitation. `link` and its secret `token` are told only once."""

    link: str
    token: str


class JoinedJson(TypedDict):
    """The project that an invitation led to, and the roles that the caller has there now."""

    project: str
    roles: list[Role]


class ConsentJson(TypedDict):
    """What annotators agree to before their first post.

    `seen` says what admins see of each person, `leaving` what becomes of labels if they leave.
    """

    version: int
    warning: str
    text: str
    seen: str
    leaving: str
    given: bool


# ── Guidelines ────────────────────────────────────────────────────────────────


class GuidelineExampleJson(TypedDict):
    """A worked example; `category` is a code."""

    text: str
    category: int
    why: str


class GuidelineJson(TypedDict):
    """A version of the guidelines, as Markdown."""

    number: int
    text: str
    summary: str
    asks_reading: bool
    created_at: datetime
    examples: list[GuidelineExampleJson]


class GuidelineVersionJson(TypedDict):
    """A version without its text, and how many annotators were asked to read it and did."""

    number: int
    summary: str
    asks_reading: bool
    created_at: datetime
    author: str | None
    asked: int
    read: int


# ── Batches and quotas ────────────────────────────────────────────────────────


class OpenedJson(TypedDict):
    """How many items are open for labelling now, and how many others are not ready. `more`: ask again for the rest."""

    opened: int
    pictures_missing: int
    waiting_for_priors: int
    more: bool


class ProjectOpen(TypedDict):
    """Whether annotators get items."""

    open: bool


class QuotaOfPerson(TypedDict):
    """An annotator's quota: their own, and what holds; `left` is null where nothing limits them.

    `held` are posts handed out that wait for their label; they are part of `left`.
    """

    id: UUID
    name: str
    own: int | None
    quota: int | None
    labels: int
    held: int
    left: int | None


class QuotasJson(TypedDict):
    """How many labels one person may give, and what becomes of batches that an import names first."""

    quota: int | None
    new_batches: BatchState
    people: list[QuotaOfPerson]


# ── Training ──────────────────────────────────────────────────────────────────


class TrainingRulesJson(TypedDict):
    """Who must pass the training, how, and how many checks are mixed in, in percent."""

    training_required: bool
    training_pass_percent: int
    training_attempts: int
    check_percent: int
    posts: KnownCounts


class KnownPostJson(TypedDict):
    """A post with a known answer and how people fare with it; `doubtful`: many give one and the same other answer."""

    item: UUID
    external_id: str
    category: int
    explanation: str
    purpose: str
    active: bool
    answered: int
    right: int
    doubtful: bool


class KnownPostPage(KeyedPage):
    """A page of posts with a known answer."""

    results: list[KnownPostJson]


class Marked(TypedDict):
    """How many posts have the known answer now that was sent."""

    marked: int


class MarkJson(TypedDict):
    """The mark of a finished attempt: the share of right answers in those given. Skips are not told."""

    percent: float


class ChecksJson(TypedDict):
    """Right answers at posts that were mixed in, with the 95 % interval of their share."""

    answered: int
    right: int
    share: float
    interval: list[float]


class TrainedPersonJson(TypedDict):
    """An annotator's attempts, oldest first, and checks; `checks` is null where there were none."""

    id: UUID
    name: str
    trained_at: datetime | None
    attempts: list[MarkJson]
    under_way: bool
    checks: ChecksJson | None


# ── Webhooks ──────────────────────────────────────────────────────────────────


class MessageJson(TypedDict):
    """A message of a webhook. `status` is that of the last answer; `problem` is the code of why there was none."""

    id: UUID
    event: Happening
    at: datetime
    state: DeliveryState
    attempts: int
    status: int | None
    problem: str


class WebhookJson(TypedDict):
    """A webhook without its secret, and its last messages, newest first. `disabled_at`: it failed too often."""

    id: UUID
    address: str
    happenings: list[Happening]
    created_at: datetime
    disabled_at: datetime | None
    messages: list[MessageJson]


class NewWebhookJson(WebhookJson):
    """A new webhook. `secret` is told only once; messages are signed with it."""

    secret: str
