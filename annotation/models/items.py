"""The posts, and what is known about them before labelling."""

from typing import Any, Self
from uuid import uuid4

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.domain import choices as domain_choices
from annotation.domain.formats.kept_columns import as_cell, in_order
from annotation.domain.stages import MOVES
from annotation.models.base import WithCategories, choices, random_place
from annotation.models.folded import FoldedField
from annotation.models.lines import LineField
from annotation.models.projects import Category, Project


class Picture(models.Model):
    """A picture, stored once per project by the SHA-256 of the original bytes; its files hold no metadata."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="pictures")
    sha256 = models.CharField(max_length=64)  # of the original bytes
    file = models.FileField(max_length=200)  # re-encoded, metadata-free; random name
    file_sha256 = models.CharField(max_length=64)  # of the re-encoded file, as released
    blurred = models.FileField(max_length=200)  # the only version shown before reveal
    media_type = models.CharField(max_length=20)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    likeness = models.CharField(max_length=32, blank=True, default="")  # perceptual hash; empty: not computed yet
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "sha256"), name="picture_once"),)

    @property
    def shape(self) -> str:
        """`tall` or `wide` if one side is more than twice the other, so that a page scrolls it; else empty."""
        if self.height > 2 * self.width:
            return "tall"
        return "wide" if self.width > 2 * self.height else ""


class KeptColumn(models.Model):
    """A column of imported files that the site does not know and keeps with the posts (`Item.extra`)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="kept_columns")
    name = LineField(max_length=100)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("project", "name"), name="kept_column_once"),)

    def __str__(self) -> str:
        return self.name


class ItemQuerySet(models.QuerySet["Item"]):
    def open(self) -> Self:
        """Return items with a free seat in stage `labelling`."""
        return self.filter(stage=domain_choices.Stage.LABELLING, taken__lt=F("seats"))


class Item(WithCategories):
    """A text, a picture, or both, to be labelled."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, db_index=False, related_name="items")
    external_id = models.CharField(max_length=128)
    text = models.TextField(blank=True, default="")
    folded = FoldedField()  # the text as search compares it
    picture = models.ForeignKey(Picture, null=True, blank=True, on_delete=models.PROTECT, related_name="items")
    picture_name = LineField(max_length=512, blank=True, default="")  # its name in the imported file
    picture_missing = models.BooleanField(default=False)
    source = LineField(max_length=500, blank=True, default="")
    licence = LineField(max_length=200, blank=True, default="")
    batch = LineField(max_length=100, blank=True, default="")
    priority = models.SmallIntegerField(default=0)
    informativeness = models.PositiveSmallIntegerField(default=0)  # what its priors disagree about
    intended = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.PROTECT, related_name="intended_items"
    )
    intended_categories = models.JSONField(default=list, blank=True)  # as `categories`, of the intent
    intended_hateful = models.BooleanField(null=True, blank=True)
    severity = models.PositiveSmallIntegerField(null=True, blank=True)
    target_group = LineField(max_length=200, blank=True, default="")
    provenance = models.JSONField(default=dict, blank=True)  # what the site knows of its origin
    extra = models.JSONField(default=dict, db_default={}, blank=True)  # columns of its file that the site does not know
    text_sha256 = models.CharField(max_length=64, blank=True, default="")  # of the NFC text, for duplicate warnings

    stage = models.CharField(
        max_length=12, choices=choices(domain_choices.Stage), default=domain_choices.Stage.IMPORTED
    )
    round = models.PositiveSmallIntegerField(default=1)
    seats = models.PositiveSmallIntegerField(default=3)  # k, plus the m that were added
    taken = models.PositiveSmallIntegerField(default=0)  # a hint for the order only, never for correctness
    message = models.CharField(max_length=500, blank=True, default="")  # for the annotators of this round
    place = models.PositiveIntegerField(default=random_place)
    queue = models.BigIntegerField(
        null=True, blank=True, default=0
    )  # 0: everybody; the key of a limited batch; None: nobody
    version = models.PositiveIntegerField(default=1)  # increases with each move, so that a stale decision is refused

    level = models.CharField(max_length=8, choices=choices(domain_choices.Level), null=True, blank=True)
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.PROTECT, related_name="final_items")
    hateful = models.BooleanField(null=True, blank=True)  # the binary outcome, with its own majority
    category_source = models.CharField(max_length=12, choices=choices(domain_choices.Source), null=True, blank=True)
    aligned = models.BooleanField(null=True, blank=True)  # None: no intent, or not decided yet
    pattern = models.CharField(max_length=3, null=True, blank=True)
    difficulty = models.CharField(max_length=8, choices=choices(domain_choices.Difficulty), null=True, blank=True)
    excluded_for = models.CharField(max_length=20, choices=choices(domain_choices.Reason), null=True, blank=True)

    created_at = models.DateTimeField(default=timezone.now, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True)  # when round 1 was complete
    gold_at = models.DateTimeField(null=True, blank=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("project", "external_id"), name="item_external_id_once"),
            models.CheckConstraint(
                condition=~Q(text="") | Q(picture__isnull=False) | Q(picture_missing=True), name="item_has_content"
            ),
        )
        indexes = (
            models.Index(
                fields=("project", "queue", "priority", "taken", "place"),
                condition=Q(stage="labelling", taken__lt=F("seats")),
                name="item_open",
            ),
            models.Index(  # for projects that hand out hard items first, and no others: see `item_query`
                fields=("project", "queue", "priority", "informativeness", "taken", "place"),
                condition=Q(stage="labelling", taken__lt=F("seats"), informativeness__gte=0),
                name="item_open_hard",
            ),
            models.Index(fields=("project", "stage", "id"), name="item_stage"),
            models.Index(fields=("project", "text_sha256"), name="item_text"),
            models.Index(fields=("project", "id"), name="item_in_order"),  # for pages of the list
            models.Index(  # all that is counted by batch: the table itself need not be read
                fields=("project", "batch", "stage", "picture_missing", "seats", "taken", "priority", "queue"),
                name="item_counted",
            ),
            models.Index(fields=("project", "licence"), condition=~Q(licence=""), name="item_licence"),
        )

    def __str__(self) -> str:
        return self.external_id

    @property
    def kept_columns(self) -> list[tuple[str, Any]]:
        """The columns of its file that the site does not know, in the order of the alphabet, for pages."""
        return [(name, as_cell(value)) for name, value in in_order(self.extra).items()]

    @property
    def shown_columns(self) -> list[tuple[str, Any]]:
        """Those of them that annotators of the project see."""
        return [pair for pair in self.kept_columns if pair[0] in self.project.shown_columns]

    def move(self, start: domain_choices.Stage, end: domain_choices.Stage, **fields: Any) -> bool:
        """Move this item from one stage to another, and set other fields, if it is still at `start`.

        One guarded UPDATE. False means that another process was first and nothing was changed. The instance is
        refreshed only on success.
        Raises ValueError for a move that `annotation.domain.stages` does not list: an error of the caller.
        """
        if (start, end) not in MOVES:
            raise ValueError(f"No item goes from {start} to {end}.")
        changed = Item.objects.filter(pk=self.pk, stage=start).update(stage=end, version=F("version") + 1, **fields)
        if changed:
            self.refresh_from_db()
        return bool(changed)


class Dispute(models.Model):
    """A reason for which an item is (or was) disputed."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="disputes")
    round = models.PositiveSmallIntegerField(default=1)
    reason = models.CharField(max_length=20, choices=choices(domain_choices.Reason))
    opened_at = models.DateTimeField(default=timezone.now)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("item", "reason"), condition=Q(settled_at__isnull=True), name="dispute_reason_open_once"
            ),
        )


class Prior(models.Model):
    """A model's judgement of one modality of an item, or the reason why there is none."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="priors")
    modality = models.CharField(max_length=8, choices=choices(domain_choices.Modality))
    state = models.CharField(
        max_length=12, choices=choices(domain_choices.PriorState), default=domain_choices.PriorState.OK
    )
    reason = models.CharField(max_length=40, blank=True, default="")  # a code if the state is not ok
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.PROTECT, related_name="priors")
    hateful = models.BooleanField(null=True, blank=True)  # set if only hateful or not is known
    explanation = models.TextField(blank=True, default="")
    severity = models.PositiveSmallIntegerField(null=True, blank=True)
    model = models.CharField(
        max_length=120, blank=True, default=""
    )  # "provider:model", or the name in the imported file
    prompt_digest = models.CharField(max_length=64, blank=True, default="")
    run_id = models.UUIDField(null=True, blank=True)  # the run's public id; None: imported
    current = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("item", "modality"), condition=Q(current=True), name="prior_current_once"),
            models.CheckConstraint(
                condition=Q(state="ok") | Q(category__isnull=True), name="prior_category_only_if_ok"
            ),
        )
        indexes = (
            models.Index(  # few of millions, listed and counted for admins
                fields=("run_id",),
                condition=Q(current=True, state__in=domain_choices.UNUSABLE_PRIORS),
                name="prior_unusable",
            ),
        )
