"""Sample injection: consent to its terms, material, batches, and each sample with how it was made."""

from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Category, Item, Membership, Picture, Project
from annotation.models.base import choices
from annotation.models.lines import LineField
from generation.domain.injection.picture_fit import Misfit
from generation.domain.injection.states import SampleState
from generation.domain.injection.strategies import Strategy

BY_HAND = "admin"
"""Stored in place of a model's name if an admin gave the category of a picture alone."""


class InjectionRules(models.Model):
    """The injection rules of a project: on or off, wanted numbers by pattern and category, words for `<insult>`."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="injection_rules")
    on = models.BooleanField(default=False)
    targets = models.JSONField(default=dict, blank=True)  # "010-0" (pattern, category's code) → how many are wanted
    lexicon = models.JSONField(default=dict, blank=True)  # target group → words, uploaded by admins; shown to nobody
    changed_at = models.DateTimeField(default=timezone.now)


class InjectionConsent(models.Model):
    """An admin's acceptance of a version of the terms. A row is added at each switch-on and never changed."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="injection_consents")
    member = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="injection_consents")
    version = models.PositiveIntegerField()
    accepted_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-id",)


class PicturePool(models.Model):
    """A named set of the project's pictures for which samples are written."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="picture_pools")
    name = LineField(max_length=100)
    target_group = LineField(max_length=200, blank=True, default="")
    licence = LineField(max_length=200, blank=True, default="")  # of pictures that name none of their own
    source = LineField(max_length=300, blank=True, default="")
    created_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="picture_pools"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("project", "name"), name="picture_pool_name_once"),)

    def __str__(self) -> str:
        return self.name


class PoolPicture(models.Model):
    """A picture of a pool with its image-only prior. Without a prior it is not used for samples."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    pool = models.ForeignKey(PicturePool, on_delete=models.CASCADE, related_name="pictures")
    picture = models.ForeignKey(Picture, on_delete=models.PROTECT, related_name="pools")
    name = LineField(max_length=512, blank=True, default="")  # as the file or the item called it
    licence = LineField(max_length=200, blank=True, default="")  # its own, where it differs from the pool's
    category = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.PROTECT, related_name="pool_pictures"
    )  # what the picture says alone
    explanation = models.TextField(blank=True, default="")
    severity = models.PositiveSmallIntegerField(null=True, blank=True)
    model = models.CharField(max_length=160, blank=True, default="")  # who gave the prior: a model's name, or "admin"
    trouble = models.CharField(max_length=40, blank=True, default="")  # why a model that was asked gave no prior

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("pool", "picture"), name="pool_picture_once"),)

    @property
    def by_hand(self) -> bool:
        """Whether an admin, and no model, said what the picture means alone."""
        return self.model == BY_HAND

    @property
    def licence_in_force(self) -> str:
        """The picture's own licence, or else the pool's."""
        return self.licence or self.pool.licence


class StoredLook(models.Model):
    """What a model saw in a picture, kept so that every later sample of the picture is written from it.

    `question` is a digest of all that the answer depends on besides the picture: model, prompt, categories and groups.
    `value` is empty as long as the run `run_id` has no answer yet.
    """

    picture = models.ForeignKey(Picture, on_delete=models.CASCADE, related_name="looks")
    question = models.CharField(max_length=64)
    run_id = models.UUIDField()  # public id of the run that asks, or that asked
    value = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("picture", "question"), name="picture_look_once"),)


class Trigger(models.Model):
    """A text of the researchers that is hateful only together with a picture.

    A model rewords it; the text itself is never released.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="triggers")
    target_group = LineField(max_length=200)
    text = models.TextField()
    sha256 = models.CharField(max_length=64)  # of the text, so that a file uploaded twice adds nothing
    added_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="triggers")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("project", "target_group", "sha256"), name="trigger_text_once"),)


class PlanRow(models.Model):
    """An entry of the plan that an admin is putting together on the page; a batch takes all of them."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="plan_rows")
    entry = models.JSONField()
    added_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="plan_rows")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("id",)


class InjectionBatch(models.Model):
    """A plan that was carried out: its options and models, and the seed that drew pictures and triggers."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="injection_batches")
    number = models.PositiveIntegerField()
    key = models.UUIDField(default=uuid4)  # made with the form, so that a form sent twice gives one batch
    digest = models.CharField(max_length=64)  # of plan, options and models; an equal request continues this batch
    plan = models.JSONField()
    options = models.JSONField(default=dict, blank=True)
    model_plan = models.JSONField(default=dict, blank=True)
    seed = models.PositiveIntegerField()
    started_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="injection_batches"
    )  # None: a command
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-number",)
        constraints = (
            models.UniqueConstraint(fields=("project", "number"), name="injection_batch_number_once"),
            models.UniqueConstraint(fields=("project", "key"), name="injection_batch_key_once"),
        )

    def __str__(self) -> str:
        return f"{self.project} {self.number}"

    @property
    def item_batch(self) -> str:
        """The item batch of its accepted samples; the name does not show that they are samples."""
        return f"set-{self.number}"


class Sample(models.Model):
    """One sample: what it was meant to be, how it was made, and its state. Its row is never deleted."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="samples")
    batch = models.ForeignKey(InjectionBatch, on_delete=models.CASCADE, related_name="samples")
    entry = models.PositiveSmallIntegerField()  # of the batch's plan, from 1
    number = models.PositiveIntegerField()  # of the entry, from 1
    pattern = models.CharField(max_length=3)
    intended = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="samples")
    strategy = models.CharField(max_length=24, choices=choices(Strategy))
    target_group = LineField(max_length=200, blank=True, default="")  # of the text; the planned one is in the batch
    pool_picture = models.ForeignKey(PoolPicture, on_delete=models.PROTECT, related_name="samples")
    trigger = models.ForeignKey(Trigger, null=True, blank=True, on_delete=models.PROTECT, related_name="samples")
    seed = models.PositiveIntegerField()  # draws the words for `<insult>`

    state = models.CharField(max_length=10, choices=choices(SampleState), default=SampleState.ASKED)
    text = models.TextField(blank=True, default="")  # as the model wrote it
    order = models.PositiveIntegerField(null=True, blank=True)  # among the project's written samples, from 1
    model = models.CharField(max_length=160, blank=True, default="")
    prompt_digest = models.CharField(max_length=64, blank=True, default="")
    run_id = models.UUIDField(null=True, blank=True)  # the run's public id
    holds = models.JSONField(default=list, blank=True)  # why it is held back
    detail = models.CharField(max_length=500, blank=True, default="")  # of what it is a duplicate; why there is no text
    misfit = models.CharField(max_length=20, choices=choices(Misfit), blank=True, default="")  # why nothing was written
    look = models.JSONField(default=dict, blank=True)  # what a model saw in the picture; empty before there was a look
    readings = models.JSONField(default=dict, blank=True)  # how the writer reads its text alone, with the picture, whom
    mismatches = models.JSONField(default=list, blank=True)  # where a reading differs from the plan
    decided_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="samples_decided"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, default="")  # of a rejection
    filled_with = models.PositiveIntegerField(default=0)  # places for an insult that the lexicon filled
    item = models.OneToOneField(Item, null=True, blank=True, on_delete=models.SET_NULL, related_name="sample")
    seen_by = models.ManyToManyField(Membership, blank=True, related_name="samples_seen")  # who also annotates
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("batch", "entry", "number"), name="sample_number_once"),
            models.UniqueConstraint(
                fields=("project", "order"), condition=Q(order__isnull=False), name="sample_order_once"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=(SampleState.ACCEPTED, SampleState.REJECTED)) | Q(decided_at__isnull=False),
                name="sample_decided_by_somebody",
            ),
        )
        indexes = (
            models.Index(fields=("project", "state", "id"), name="sample_standing"),
            models.Index(fields=("batch", "state"), name="sample_of_batch"),
        )

    @property
    def planned_group(self) -> str:
        """The target group that its plan names; the picture may have moved the sample to another one."""
        return str(self.batch.plan[self.entry - 1]["target_group"])

    def __str__(self) -> str:
        return str(self.public_id)
