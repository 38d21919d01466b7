"""Seats, labels, and other rows that annotators create."""

from typing import Any
from uuid import uuid4

from django.db import models
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.domain import choices as domain_choices
from annotation.domain.reports import ReportAnswer
from annotation.models.base import AppendOnly, WithCategories, choices
from annotation.models.items import Item
from annotation.models.lines import LineField
from annotation.models.projects import Category, Guideline, Membership


class Seat(models.Model):
    """One of the k places for an annotator at an item, in a round.

    Free: no annotator. Held: annotator and `expires_at`. Filled: `label` is the valid label.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, db_index=False, related_name="seat_rows")
    round = models.PositiveSmallIntegerField(default=1)
    number = models.PositiveSmallIntegerField()
    seats = models.PositiveSmallIntegerField()  # copy of the item's number, for the constraint
    annotator = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, db_index=False, related_name="seat_rows"
    )
    held_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    shown_at = models.DateTimeField(null=True, blank=True)  # for a prefetched item, the time runs from here
    priors_shown_at = models.DateTimeField(null=True, blank=True)
    first_answer = models.JSONField(null=True, blank=True)  # the answer before hidden priors are shown
    prior_arm = models.CharField(
        max_length=8, choices=choices(domain_choices.PriorArm), blank=True, default=""
    )  # drawn before display
    reveals = models.PositiveIntegerField(default=0)
    label = models.OneToOneField("Label", null=True, blank=True, on_delete=models.PROTECT, related_name="in_force_at")
    filled_at = models.DateTimeField(null=True, blank=True)
    final_at = models.DateTimeField(
        null=True, blank=True
    )  # until then the label can be changed, where checks are mixed in; None: while the item is open

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("item", "round", "number"), name="seat_number_once"),
            models.UniqueConstraint(fields=("item", "round", "annotator"), name="seat_annotator_once"),
            models.CheckConstraint(condition=Q(number__gte=1, number__lte=F("seats")), name="seat_number_within_seats"),
            models.CheckConstraint(
                condition=Q(label__isnull=True) | Q(annotator__isnull=False), name="seat_filled_by_someone"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__isnull=True) | Q(annotator__isnull=False, label__isnull=True),
                name="seat_held_by_someone",
            ),
        )
        indexes = (
            models.Index(fields=("annotator", "expires_at"), condition=Q(expires_at__isnull=False), name="seat_held"),
            models.Index(fields=("expires_at",), condition=Q(expires_at__isnull=False), name="seat_lapsing"),
            models.Index(fields=("annotator", "filled_at"), name="seat_filled"),
        )


def seat_count(**conditions: Any) -> Coalesce:
    """Return the number of a membership's seats that meet the conditions, as a value for `annotate` on memberships.

    Each membership's seats are counted in an index of annotators. A join would read all seats of all members.
    """
    seats = Seat.objects.filter(annotator=OuterRef("pk"), **conditions).order_by().values("annotator")
    return Coalesce(Subquery(seats.annotate(count=Count("*")).values("count")), 0)


class Label(WithCategories, AppendOnly):
    """An annotator's submission, one row per revision; the valid one is `seat.label`."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, db_index=False, related_name="labels")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="labels")
    annotator = models.ForeignKey(Membership, on_delete=models.PROTECT, db_index=False, related_name="labels")
    revision = models.PositiveSmallIntegerField(default=1)
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.PROTECT, related_name="labels")
    not_sure = models.BooleanField(default=False)
    low_quality = models.BooleanField(default=False)
    target_group = LineField(max_length=200, blank=True, default="")
    note = models.TextField(blank=True, default="", max_length=4000)
    challenges = models.JSONField(default=list, blank=True)  # [{"modality", "category"|None, "hateful"}]
    answers = models.JSONField(
        default=dict, blank=True
    )  # {code: {"version", "value"}}, all that was asked; None: skipped
    passages = models.JSONField(null=True, blank=True)  # [{"start", "end", "name"}], marked and named before the import
    first_answer = models.JSONField(null=True, blank=True)  # the answer before hidden priors were shown
    priors_shown = models.JSONField(default=list, blank=True)  # ids of the priors seen before this answer
    priors_shown_at = models.DateTimeField(null=True, blank=True)
    prior_arm = models.CharField(max_length=8, choices=choices(domain_choices.PriorArm), blank=True, default="")
    seconds = models.FloatField(null=True, blank=True)
    reveals = models.PositiveIntegerField(default=0)
    guideline = models.ForeignKey(Guideline, null=True, blank=True, on_delete=models.PROTECT, related_name="labels")
    client_key = models.UUIDField(default=uuid4)
    body_sha256 = models.CharField(max_length=64, blank=True, default="")
    imported = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("annotator", "client_key"), name="label_client_key_once"),
            models.UniqueConstraint(fields=("seat", "annotator", "revision"), name="label_revision_once"),
            models.CheckConstraint(
                condition=(Q(not_sure=False) | Q(category__isnull=True))
                & (Q(category__isnull=False) | Q(not_sure=True) | Q(low_quality=True)),
                name="label_says_something",
            ),
        )


class KnownAnswer(WithCategories):
    """The answer of an item in stage `known`, for training or for checks.

    Such an item is never part of agreement, gold or a release.
    """

    item = models.OneToOneField(Item, on_delete=models.PROTECT, related_name="known_answer")
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="known_answers")
    explanation = models.TextField(blank=True, default="", max_length=4000)  # shown after a training answer
    training = models.BooleanField(default=False)  # False: mixed in among other items, as a check
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)


class TrainingAttempt(models.Model):
    """One attempt of a person at a project's training items.

    The counts are final when it is finished; `total` includes skipped items.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="training_attempts")
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)
    correct = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    passed = models.BooleanField(default=False)

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=("member", "number"), name="training_attempt_number_once"),
            models.UniqueConstraint(
                fields=("member",), condition=Q(finished_at__isnull=True), name="training_attempt_open_once"
            ),
        )


class TrainingAnswer(WithCategories):
    """A person's answer to a training item in an attempt, and whether it was right by the known answer of that time."""

    attempt = models.ForeignKey(TrainingAttempt, on_delete=models.CASCADE, related_name="answers")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="training_answers")
    category = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.PROTECT, related_name="training_answers"
    )
    not_sure = models.BooleanField(default=False)
    skipped = models.BooleanField(default=False)
    correct = models.BooleanField(default=False)
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("attempt", "item"), name="training_answer_once"),
            models.CheckConstraint(
                condition=Q(category__isnull=False, not_sure=False, skipped=False)
                | Q(category__isnull=True, not_sure=True, skipped=False, correct=False)
                | Q(category__isnull=True, not_sure=False, skipped=True, correct=False),
                name="training_answer_of_one_kind",
            ),
        )


class Skip(models.Model):
    """An annotator skipped an item. It is not offered to them again; nothing else follows."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="skips")
    annotator = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="skips")
    round = models.PositiveSmallIntegerField(default=1)
    reason = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("item", "annotator"), name="skip_once"),)


class PostponedSeat(models.Model):
    """A held seat that its annotator has put aside for the end of the sitting; nobody else is told.

    Without a `seat`: it was lost meanwhile, which the annotator is told once.
    """

    seat = models.ForeignKey(Seat, null=True, on_delete=models.CASCADE, db_index=False, related_name="postponed")
    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="postponed")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("seat", "member"), name="postponed_once"),)


class Replacement(WithCategories):
    """The category that another expert gives in place of a *not sure*; the original label stays."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="replacements")
    label = models.OneToOneField(Label, on_delete=models.PROTECT, related_name="replacement")
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="replacements")
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="replacements")
    note = models.TextField(blank=True, default="", max_length=4000)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("item", "reviewer"), name="replacement_once_per_person"),)


class Report(models.Model):
    """A report of illegal content: labelling stops and the media are locked, until an admin has answered it.

    `stage_before` and `before` say where the item stood, so that it can return there. They are empty in reports of
    before they were kept.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="reports")
    reporter = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="reports")
    note = models.TextField(blank=True, default="", max_length=2000)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    stage_before = models.CharField(max_length=12, choices=choices(domain_choices.Stage), blank=True, default="")
    before = models.JSONField(default=dict, blank=True)  # see `annotation.consensus.exclude`
    answer = models.CharField(max_length=12, choices=choices(ReportAnswer), blank=True, default="")
    reason = models.TextField(blank=True, default="")  # why it was answered so
    answered_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="answered_reports"
    )  # None: nobody yet, or a site admin who is no member
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = (models.Index(fields=("created_at",), condition=Q(answered_at__isnull=True), name="report_waiting"),)
