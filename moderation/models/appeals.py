"""Appeals against decisions, and statements of reasons."""

from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Adjudication, Category, Item, Membership, WithCategories
from annotation.models.lines import LineField
from vocabulary.display_names import pgettext


class AppealOutcome(models.TextChoices):
    """The outcome of an appeal."""

    UPHELD = "upheld", pgettext("stored word", "upheld")
    OVERTURNED = "overturned", pgettext("stored word", "overturned")


class Appeal(WithCategories):
    """An appeal against an item's final category; the person who decided it may not answer it."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="appeals")
    against = models.ForeignKey(
        Adjudication, null=True, blank=True, on_delete=models.PROTECT, related_name="appeals"
    )  # None: the votes alone decided
    category = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.PROTECT, related_name="appeals"
    )  # the category at that time
    entered_by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="appeals_entered")
    appellant = LineField(max_length=200, blank=True, default="")  # the name that the objecting person chose
    grounds = models.TextField(max_length=4000)
    opened_at = models.DateTimeField(default=timezone.now)
    outcome = models.CharField(max_length=10, choices=AppealOutcome.choices, blank=True, default="")
    answer = models.ForeignKey(
        Adjudication, null=True, blank=True, on_delete=models.PROTECT, related_name="answered_appeals"
    )
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("item",), condition=Q(closed_at__isnull=True), name="appeal_open_once"),
        )


class Statement(models.Model):
    """One version of a statement of reasons. A version never changes."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="statements")
    adjudication = models.ForeignKey(
        Adjudication, null=True, blank=True, on_delete=models.PROTECT, related_name="statements"
    )
    puid = models.CharField(max_length=500)
    version = models.PositiveSmallIntegerField()
    fields = models.JSONField(default=dict)
    author = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="statements")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("puid", "version"), name="statement_version_once"),)
