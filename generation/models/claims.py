"""Claims of replies and of posts, each with its state and the evidence that this rests on."""

from uuid import UUID, uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Membership
from annotation.models.base import choices
from annotation.models.lines import LineField
from generation.domain.counterspeech.claim_states import MOST_REASON, ON_A_CARD, ClaimState
from generation.models.exchanges import Exchange
from generation.models.replies import Reply

_SETTLED = Q(decided_by__isnull=False) | Q(run__isnull=False)


class Claim(models.Model):
    """A sentence of a reply, or of the post itself, that states something to check.

    With other words it is another claim: the row of a sentence that left the reply is deleted.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)  # follows from owner and words
    exchange = models.ForeignKey(Exchange, on_delete=models.CASCADE, related_name="claims")
    reply = models.ForeignKey(
        Reply, null=True, blank=True, on_delete=models.CASCADE, related_name="claims"
    )  # None: a claim of the post
    sentence = models.TextField()
    state = models.CharField(max_length=14, choices=choices(ClaimState), default=ClaimState.OPEN)
    card = models.UUIDField(null=True, blank=True)  # public id of the evidence that the state rests on
    run = models.UUIDField(null=True, blank=True)  # public id of the check that set the state; None: a person did
    reason = LineField(max_length=MOST_REASON, blank=True, default="")  # why it has no source
    decided_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="claims_decided"
    )
    decided_at = models.DateTimeField(null=True, blank=True)  # by a person; of a check, when it was asked for
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=~Q(state=ClaimState.SUPPORTED) | Q(card__isnull=False), name="claim_supported_by_a_card"
            ),
            models.CheckConstraint(
                condition=Q(state__in=ON_A_CARD) | Q(card__isnull=True), name="claim_card_where_it_counts"
            ),
            models.CheckConstraint(
                condition=Q(state=ClaimState.WITHOUT_SOURCE, decided_by__isnull=False) & ~Q(reason="")
                | ~Q(state=ClaimState.WITHOUT_SOURCE) & Q(reason=""),
                name="claim_without_source_for_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(state=ClaimState.OPEN) | Q(decided_at__isnull=False) & _SETTLED, name="claim_decided_by"
            ),
        )
        indexes = (models.Index(fields=("exchange", "reply"), name="claim_of_exchange"),)

    def __str__(self) -> str:
        return self.sentence[:60]

    @property
    def owner(self) -> UUID:
        """The public id of what states it: the reply, or the exchange about the post."""
        return self.exchange.public_id if self.reply is None else self.reply.public_id
