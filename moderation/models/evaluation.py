"""Evaluations: what was asked of which methods about which items, and the items as they were asked about."""

from uuid import UUID, uuid4

from django.db import models
from django.db.models import Q

from annotation.domain.votes import Category as CategoryValue
from annotation.models import Item, Membership, Project
from moderation.domain.verdicts import Task
from vocabulary.display_names import pgettext


class EvaluationState(models.TextChoices):
    """Where an evaluation is. Its runs carry their own states."""

    RUNNING = "running", pgettext("stored word", "running")
    DONE = "done", pgettext("stored word", "done")
    CANCELLED = "cancelled", pgettext("stored word", "cancelled")


class Evaluation(models.Model):
    """Methods, with options and models, on items whose answer is known. Nothing of it enters a campaign."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="evaluations"
    )  # None: over files alone, by command
    started_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="evaluations"
    )  # None: by command
    name = models.CharField(max_length=200)
    task = models.CharField(max_length=8, choices=[(task.value, task.value) for task in Task])
    wish = models.JSONField(default=dict)  # as it was asked for: sources, sample, limit, seed, …
    wish_digest = models.CharField(max_length=64)  # the same wish goes on with the same evaluation
    cases_digest = models.CharField(max_length=64, blank=True, default="")  # of the ids, texts and gold
    arms = models.JSONField(default=list)  # `moderation.evaluation_arms.Arm` as JSON, in the order of the tables
    repeats = models.PositiveSmallIntegerField(default=1)
    categories = models.JSONField(default=list)  # as they were when it began
    left_out = models.JSONField(default=dict, blank=True)  # why → how many items of the sources
    state = models.CharField(max_length=10, choices=EvaluationState.choices, default=EvaluationState.RUNNING)
    report = models.JSONField(null=True, blank=True)  # once it is done
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        indexes = (models.Index(fields=("wish_digest",), name="evaluation_wish"),)

    def __str__(self) -> str:
        return self.name

    @property
    def account(self) -> UUID:
        """Whose budget its runs are charged to, and whose turn it is in the queue: the project's, else its own."""
        return self.project.public_id if self.project else self.public_id

    def category_values(self) -> tuple[CategoryValue, ...]:
        """The categories as values for the rules, by code."""
        return tuple(CategoryValue(**{**each, "aliases": tuple(each["aliases"])}) for each in self.categories)


class EvaluationCase(models.Model):
    """One item of an evaluation: the subject of its runs, never handed out to anybody.

    An item of the project is looked up when it is asked about, so what is removed there is gone here too; what came
    from a file is kept here, its picture as a path with its digest.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="cases")
    dataset = models.CharField(max_length=120)
    external_id = models.CharField(max_length=128)
    item = models.ForeignKey(Item, null=True, blank=True, on_delete=models.CASCADE, related_name="evaluation_cases")
    text = models.TextField(blank=True, default="")
    picture_path = models.CharField(max_length=1000, blank=True, default="")
    picture_sha256 = models.CharField(max_length=64, blank=True, default="")
    gold_label = models.PositiveSmallIntegerField(null=True, blank=True)  # None: only hateful or not is known
    gold_hateful = models.BooleanField()
    pattern = models.CharField(max_length=3, blank=True, default="")
    subset = models.CharField(max_length=120, blank=True, default="")

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("evaluation", "dataset", "external_id"), name="evaluation_case_once"),
            models.CheckConstraint(
                condition=Q(item__isnull=False) | ~Q(text="") | ~Q(picture_path=""), name="evaluation_case_has_content"
            ),
        )

    def __str__(self) -> str:
        return f"{self.dataset} {self.external_id}"
