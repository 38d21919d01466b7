"""The words in the pictures of items, and the jobs that read them."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.domain import choices as domain_choices
from annotation.models.base import choices
from annotation.models.folded import FoldedField
from annotation.models.items import Item
from annotation.models.lines import LineField
from annotation.models.orders import Job
from annotation.models.projects import Membership, Project


class PictureText(models.Model):
    """The words in the picture of an item, as one reader read them, or the reason why they were not read.

    A later reading or correction makes a new row; the earlier ones stay as history. An empty text in state `ok` means
    that there are no words in the picture.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="picture_texts")
    state = models.CharField(
        max_length=12, choices=choices(domain_choices.PriorState), default=domain_choices.PriorState.OK
    )
    reason = models.CharField(max_length=40, blank=True, default="")  # a code if the state is not ok
    text = models.TextField(blank=True, default="")
    folded = FoldedField()  # the text as search compares it
    lines = models.JSONField(default=list, blank=True)  # {"text", "box": [left, top, right, bottom], "confidence"}
    confidence = models.FloatField(null=True, blank=True)
    language = models.CharField(max_length=8, blank=True, default="")  # zh, ja or ko by the script
    reader = LineField(max_length=120)  # name and version, "provider:model", given or person
    run_id = models.UUIDField(null=True, blank=True)  # the run's public id, if a model read it
    member = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="picture_texts"
    )  # who corrected it
    current = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("item",), condition=Q(current=True), name="picture_text_current_once"),
            models.CheckConstraint(condition=Q(state="ok") | Q(text=""), name="picture_text_only_if_ok"),
        )

    @property
    def percent(self) -> int | None:
        """How sure the reader is, in percent. None if it does not say."""
        return None if self.confidence is None else round(100 * self.confidence)


class PictureReading(Job):
    """A request to read the pictures of a project that nobody has read, by the reader on this machine."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="picture_readings")
    ordered_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="picture_readings"
    )  # None: an import or a command
    again = models.BooleanField(default=False)  # also what a machine has read before
    pictures_done = models.PositiveIntegerField(default=0)
    pictures_failed = models.PositiveIntegerField(default=0)
    last = models.BigIntegerField(default=0)  # primary key of the last picture that was handled

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project",),
                condition=Q(state__in=("queued", "building")),
                name="picture_reading_one_under_way",
            ),
        )
