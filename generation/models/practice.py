"""What people do around a reply: whether a post is answered at all, and what became of a reply that was posted."""

from uuid import uuid4

from django.db import models
from django.utils import timezone

from annotation.models import Membership
from annotation.models.base import choices
from annotation.models.lines import LineField
from generation.domain.counterspeech.first_step import MOST_NOTE as MOST_STEP_NOTE
from generation.domain.counterspeech.first_step import FirstChoice
from generation.domain.counterspeech.platforms import NAMES
from generation.domain.counterspeech.postings import MOST_ADDRESS, MOST_NOTE, CheckedAfter
from generation.models.exchanges import Exchange
from generation.models.replies import Reply


class FirstStep(models.Model):
    """What somebody decided to do about a post, and why. It is never changed; the newest one of a post is in force."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    exchange = models.ForeignKey(Exchange, on_delete=models.CASCADE, related_name="first_steps")
    choice = models.CharField(max_length=8, choices=[(choice.value, choice.value) for choice in FirstChoice])
    reasons = models.JSONField(default=list, blank=True)  # of `StepReason`, in its order
    note = LineField(max_length=MOST_STEP_NOTE, blank=True, default="")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="first_steps")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return str(self.public_id)


class Posting(models.Model):
    """Where and when somebody posted an approved reply, written down by hand: the site posts nothing."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="postings")
    platform = models.CharField(max_length=12, choices=list(NAMES.items()), blank=True, default="")  # empty: elsewhere
    address = LineField(max_length=MOST_ADDRESS, blank=True, default="")  # shown as text: nobody vouches for it
    posted_at = models.DateTimeField()
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="replies_posted")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("posted_at", "id")

    def __str__(self) -> str:
        return str(self.public_id)


class PostingCheck(models.Model):
    """What became of a posting, as somebody saw it. It is never changed; a later one of the same time is in force."""

    posting = models.ForeignKey(Posting, on_delete=models.CASCADE, related_name="checks")
    after = models.CharField(max_length=12, choices=choices(CheckedAfter))
    deleted = models.BooleanField(default=False)  # by the platform or its owner
    answered = models.BooleanField(default=False)
    harassed = models.BooleanField(default=False)  # whether its writer, or the people meant, were harassed for it
    reactions = models.PositiveIntegerField(null=True, blank=True)  # None: nobody counted them
    note = LineField(max_length=MOST_NOTE, blank=True, default="")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="postings_checked")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("id",)
