"""Perspectives and their labelled examples (PREDICT)."""

from uuid import uuid4

from django.db import models
from django.db.models import Q

from annotation.models import Project
from annotation.models.lines import LineField
from moderation.domain.predict import perspectives


class Perspective(models.Model):
    """One community's view of what is hateful: criteria, the names of its two labels, a store of examples.

    `version` grows with every change of the words, `store` with every change of the examples. The project's events
    keep the earlier words.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="perspectives")
    code = models.CharField(max_length=40)
    name = LineField(max_length=80)
    criteria = models.TextField()
    hateful_label = LineField(max_length=60)
    other_label = LineField(max_length=60)
    order = models.PositiveSmallIntegerField(default=0)
    active = models.BooleanField(default=True)
    version = models.PositiveIntegerField(default=1)
    store = models.PositiveBigIntegerField(
        default=0
    )  # it only grows, also past the numbers that a restored backup used

    class Meta:
        ordering = ("order", "id")
        constraints = (models.UniqueConstraint(fields=("project", "code"), name="perspective_code_once"),)

    def __str__(self) -> str:
        return self.name

    def value(self) -> "perspectives.Perspective":  # quoted: its module is loaded late
        """Return the perspective as a value for the rules and for a run's options."""
        return perspectives.Perspective(
            id=str(self.public_id),
            code=self.code,
            name=self.name,
            criteria=self.criteria,
            hateful_label=self.hateful_label,
            other_label=self.other_label,
            version=self.version,
            store=self.store,
        )


class Example(models.Model):
    """A labelled text in one perspective's store. `digest` is of the normalized text; each occurs once in a store."""

    perspective = models.ForeignKey(Perspective, on_delete=models.CASCADE, related_name="examples")
    text = models.TextField()
    hateful = models.BooleanField()
    digest = models.CharField(max_length=32)
    source = LineField(max_length=200, blank=True, default="")

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("perspective", "digest"), name="example_once"),
            models.CheckConstraint(condition=~Q(text=""), name="example_has_text"),
        )
        indexes = (models.Index(fields=("perspective", "source"), name="example_source"),)

    def __str__(self) -> str:
        return f"{self.perspective_id} {self.digest}"
