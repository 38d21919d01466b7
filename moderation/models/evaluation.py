"""Evaluations: their items, and the methods, options and models that are compared on them."""

from uuid import UUID, uuid4

from django.db import models
from django.db.models import Q

from annotation.domain.votes import Category as CategoryValue
from annotation.models import Item, Membership, Project
from annotation.models.lines import LineField
from moderation.domain.task import Task
from runs.domain.states import ASIDE
from runs.models import Run
from vocabulary.display_names import pgettext


class EvaluationState(models.TextChoices):
    """The state of an evaluation. Its runs have their own states."""

    RUNNING = "running", pgettext("stored word", "running")
    DONE = "done", pgettext("stored word", "done")
    CANCELLED = "cancelled", pgettext("stored word", "cancelled")
    FAILED = "failed", pgettext("stored word", "failed")


class Evaluation(models.Model):
    """A comparison of methods, options and models on items whose answer is known. It changes no item of the project."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.CASCADE, related_name="evaluations"
    )  # None: on files alone, started by a command
    started_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="evaluations"
    )  # None: started by a command
    name = LineField(max_length=200)
    task = models.CharField(max_length=8, choices=[(task.value, task.value) for task in Task])
    wish = models.JSONField(default=dict)  # the request: sources, sample, limit, seed, …
    wish_digest = models.CharField(max_length=64)  # the same request continues the same evaluation
    cases_digest = models.CharField(max_length=64, blank=True, default="")  # of the ids, texts and known answers
    arms = models.JSONField(default=list)  # `moderation.evaluation.arms.Arm` as JSON, in the order of the tables
    repeats = models.PositiveSmallIntegerField(default=1)
    categories = models.JSONField(default=list)  # those that were offered at the start
    left_out = models.JSONField(default=dict, blank=True)  # reason → number of items of the sources
    state = models.CharField(max_length=10, choices=EvaluationState.choices, default=EvaluationState.RUNNING)
    report = models.JSONField(null=True, blank=True)  # None until it is done
    fault = models.CharField(max_length=500, blank=True, default="", db_default="")  # why it could not be continued
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        indexes = (models.Index(fields=("wish_digest",), name="evaluation_wish"),)

    def __str__(self) -> str:
        return self.name

    @property
    def account(self) -> UUID:
        """The id of the budget and queue share of its runs: the project's, or its own if it has no project."""
        return self.project.public_id if self.project else self.public_id

    def runs(self) -> "models.QuerySet[Run]":
        """Return all runs of the evaluation."""
        subjects = self.cases.values("public_id")
        return Run.objects.filter(project=self.account, variant__startswith=ASIDE, subject__in=subjects)

    def category_values(self) -> tuple[CategoryValue, ...]:
        """Return the categories that methods choose from, as values for the rules."""
        return tuple(
            CategoryValue(**{**category, "aliases": tuple(category["aliases"])}) for category in self.categories
        )


class EvaluationCase(models.Model):
    """One item of an evaluation: the subject of its runs. No annotator gets it.

    The content of a project's item is read when a run needs it, so removed content is gone here too. The content of a
    file's item is stored here: its text, and its picture as a path and a digest.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="cases")
    dataset = LineField(max_length=120)
    external_id = models.CharField(max_length=128)
    item = models.ForeignKey(Item, null=True, blank=True, on_delete=models.CASCADE, related_name="evaluation_cases")
    text = models.TextField(blank=True, default="")
    picture_path = models.CharField(max_length=1000, blank=True, default="")
    picture_sha256 = models.CharField(max_length=64, blank=True, default="")
    gold_label = models.PositiveSmallIntegerField(null=True, blank=True)  # None: only `gold_hateful` is known
    gold_labels = models.JSONField(default=list, blank=True)  # all codes, where there are several
    gold_hateful = models.BooleanField()
    votes_hateful = models.PositiveSmallIntegerField(default=0, db_default=0)  # of people, when the evaluation began
    votes_other = models.PositiveSmallIntegerField(default=0, db_default=0)
    pattern = models.CharField(max_length=3, blank=True, default="")
    subset = LineField(max_length=120, blank=True, default="")

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
