"""Participation of people: invitations, consent, wellbeing."""

from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.domain import choices as domain_choices
from annotation.models.base import choices
from annotation.models.lines import LineField
from annotation.models.projects import ROLE_FLAG, Batch, Category, Membership, Project


class Invitation(models.Model):
    """A link by which one person joins a project, once. Only the hash of its secret is stored.

    Open: not accepted, not revoked, not expired, and its creator is still an admin
    (`annotation/members/invitations.py`).
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    annotates = models.BooleanField(default=False)
    reviews = models.BooleanField(default=False)
    administers = models.BooleanField(default=False)
    batch = models.ForeignKey(Batch, null=True, blank=True, on_delete=models.SET_NULL, related_name="invitations")
    note = LineField(max_length=200, blank=True, default="")  # for the admins: whom it is for
    created_by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="invitations_made")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="invitations_accepted"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(annotates=True) | Q(reviews=True) | Q(administers=True), name="invitation_to_some_role"
            ),
            models.CheckConstraint(
                condition=Q(accepted_by__isnull=True, accepted_at__isnull=True)
                | Q(accepted_by__isnull=False, accepted_at__isnull=False, revoked_at__isnull=True),
                name="invitation_accepted_by_someone",
            ),
        )

    @property
    def roles(self) -> tuple[domain_choices.Role, ...]:
        return tuple(role for role in domain_choices.Role if getattr(self, ROLE_FLAG[role]))

    @property
    def shown_note(self) -> str:
        """The note about whom the invitation is for; "" once that person has left."""
        return "" if self.accepted_by is not None and self.accepted_by.withdrawn_at is not None else self.note


class ConsentText(models.Model):
    """A version of a project's consent text, kept so that people can see the version that they agreed to."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True, default="")  # "": the site's default text was used
    on_withdrawal = models.CharField(
        max_length=8, choices=choices(domain_choices.OnWithdrawal), default=domain_choices.OnWithdrawal.KEEP
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-version",)
        constraints = (models.UniqueConstraint(fields=("project", "version"), name="consent_version_once"),)


class OptOut(models.Model):
    """Something that a person does not want to see: items of a category, about a group, or from a severity on.

    Private: shown to nobody else, counted per item only. An ended one is kept for those counts.
    """

    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="opt_outs")
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.CASCADE, related_name="opt_outs")
    target_group = LineField(max_length=200, blank=True, default="")  # compared without case
    severity = models.PositiveSmallIntegerField(null=True, blank=True)  # this and above
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(category__isnull=False, target_group="", severity__isnull=True)
                | (Q(category__isnull=True, severity__isnull=True) & ~Q(target_group=""))
                | Q(category__isnull=True, target_group="", severity__isnull=False),
                name="opt_out_of_one_thing",
            ),
        )


class WorkDay(models.Model):
    """A person's day in a project: time, labels and exposure; caps and pay are based on it.

    The session fields continue from day to day; a session ends with a long pause (`domain/wellbeing/breaks.py`).
    """

    member = models.ForeignKey(Membership, on_delete=models.CASCADE, db_index=False, related_name="work_days")
    day = models.DateField()  # by the site's clock
    active_seconds = models.PositiveIntegerField(default=0)  # pauses beyond two minutes left out
    labels = models.PositiveIntegerField(default=0)
    skips = models.PositiveIntegerField(default=0)
    shown = models.PositiveIntegerField(default=0)
    severe = models.PositiveIntegerField(default=0)  # severe items shown
    last_act_at = models.DateTimeField(null=True, blank=True)
    session_since = models.DateTimeField(null=True, blank=True)
    session_seconds = models.PositiveIntegerField(default=0)
    session_severe = models.PositiveIntegerField(default=0)
    severe_in_row = models.PositiveSmallIntegerField(default=0)
    break_offered_at = models.DateTimeField(null=True, blank=True)
    breaks = models.PositiveIntegerField(default=0)  # breaks offered on this day

    class Meta:
        constraints = (models.UniqueConstraint(fields=("member", "day"), name="work_day_once"),)


class CheckIn(models.Model):
    """A person's feeling about the work of a day, from 1 (hard) to 5 (fine); None: they chose not to answer.

    Private: shown to nobody else; weeks are counted only if five people or more answered.
    """

    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="check_ins")
    day = models.DateField()  # by the site's clock
    mood = models.PositiveSmallIntegerField(null=True, blank=True)
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("member", "day"), name="check_in_once_a_day"),
            models.CheckConstraint(condition=Q(mood__isnull=True) | Q(mood__gte=1, mood__lte=5), name="mood_1_to_5"),
        )
