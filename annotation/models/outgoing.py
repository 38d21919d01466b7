"""What leaves the site by itself: a project's webhook with its deliveries, and e-mail that waits to be sent."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.domain.outgoing import DeliveryState, MailKind, MailState
from annotation.models.base import SealedField, choices
from annotation.models.projects import Membership, Project


class Webhook(models.Model):
    """The address that is told of what happens in a project. Its secret is kept encrypted (`core/sealed.py`)."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="webhook")
    address = models.CharField(max_length=2000)
    sealed_secret = SealedField()
    happenings = models.JSONField(default=list, blank=True)
    created_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    read_until = models.DateTimeField(default=timezone.now)  # what happened before this was looked for
    failures = models.PositiveSmallIntegerField(default=0)  # in a row
    resume_at = models.DateTimeField(null=True, blank=True)  # nothing is sent before, after a failure
    lease_until = models.DateTimeField(null=True, blank=True)  # a worker sends until then
    disabled_at = models.DateTimeField(null=True, blank=True)  # by itself, after too many failures


class Delivery(models.Model):
    """One message to a webhook: an id that stays the same over all attempts, and the last answer."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    key = models.CharField(max_length=80)  # names what happened: it is sent once
    happening = models.CharField(max_length=30)
    happened_at = models.DateTimeField()
    facts = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=choices(DeliveryState), default=DeliveryState.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)  # of the last answer
    problem = models.CharField(max_length=200, blank=True, default="")  # why there was no answer
    seconds = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (models.UniqueConstraint(fields=("webhook", "key"), name="delivery_once"),)
        indexes = (
            models.Index(fields=("webhook", "id"), condition=models.Q(state="waiting"), name="delivery_waiting"),
            models.Index(fields=("tried_at",), condition=models.Q(state="given_up"), name="delivery_given_up"),
        )


class Mail(models.Model):
    """An e-mail that waits for a worker, or was sent. Once it is sent or given up, address and content are removed."""

    kind = models.CharField(max_length=20, choices=choices(MailKind))
    address = models.EmailField(max_length=254, blank=True, default="")
    address_digest = models.CharField(max_length=64, db_index=True)  # keyed; to count the mails to one address
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="mails"
    )
    project = models.ForeignKey(Project, null=True, blank=True, on_delete=models.CASCADE, related_name="mails")
    language = models.CharField(max_length=10, blank=True, default="")
    sealed_facts = SealedField(blank=True, default="")  # encrypted: an invitation's link is a secret
    state = models.CharField(max_length=10, choices=choices(MailState), default=MailState.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = (
            models.Index(fields=("due_at",), condition=Q(state="waiting"), name="mail_waiting"),
            models.Index(fields=("finished_at",), condition=Q(state="given_up"), name="mail_given_up"),
        )
