"""The further questions of a campaign, one row a version."""

from typing import Any, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.domain.questions.question import Asked, Option, QuestionKind, When
from annotation.domain.questions.question import Question as QuestionValue
from annotation.models.base import choices
from annotation.models.projects import Project


class QuestionQuerySet(models.QuerySet["Question"]):
    def in_force(self) -> Self:
        """Return the newest version of each question that is still asked, in the order of the page."""
        return self.filter(newest=True, retired_at=None).order_by("place", "code")


class Question(models.Model):
    """A version of a further question. What was asked stays: another wording or option makes the next version.

    Only `newest`, `retired_at`, `key` and `place` of a row ever change.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="questions")
    code = models.CharField(max_length=40)
    version = models.PositiveIntegerField(default=1)
    newest = models.BooleanField(default=True)
    kind = models.CharField(max_length=8, choices=choices(QuestionKind))
    wording = models.JSONField(default=dict, blank=True)  # language -> text, "" for every other language
    help = models.JSONField(default=dict, blank=True)
    options = models.JSONField(default=list, blank=True)  # [{"code", "name": {language: text}, "retired"}]
    points = models.PositiveSmallIntegerField(null=True, blank=True)
    low = models.JSONField(default=dict, blank=True)  # what the ends of a scale mean
    high = models.JSONField(default=dict, blank=True)
    limit = models.PositiveSmallIntegerField(null=True, blank=True)  # characters of a text answer
    key = models.CharField(max_length=1, blank=True)
    place = models.PositiveSmallIntegerField(default=0)
    required = models.BooleanField(default=False)
    when = models.JSONField(default=dict, blank=True)  # {"when": "always" | "hateful" | "categories", "categories": []}
    retired_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = QuestionQuerySet.as_manager()

    class Meta:
        ordering = ("place", "code", "version")
        constraints = (
            models.UniqueConstraint(fields=("project", "code", "version"), name="question_version_once"),
            models.UniqueConstraint(fields=("project", "code"), condition=Q(newest=True), name="question_newest_once"),
        )

    def __str__(self) -> str:
        return f"{self.code} {self.version}"

    def value(self) -> QuestionValue:
        """Return this version as a value for the rules."""
        when = Asked(self.when.get("when", Asked.ALWAYS))
        return QuestionValue(
            code=self.code,
            kind=QuestionKind(self.kind),
            version=self.version,
            wording=self.wording,
            help=self.help,
            options=tuple(
                Option(option["code"], option.get("name", {}), option.get("retired", False)) for option in self.options
            ),
            points=self.points,
            low=self.low,
            high=self.high,
            limit=self.limit,
            key=self.key,
            place=self.place,
            required=self.required,
            when=When(when, tuple(self.when.get("categories", ()))),
            retired=self.retired_at is not None,
        )


def question_columns(question: QuestionValue) -> dict[str, Any]:
    """Return the columns of a version that say what is asked, with its key and place."""
    when = question.when
    return {
        "code": question.code,
        "version": question.version,
        "kind": question.kind,
        "wording": dict(question.wording),
        "help": dict(question.help),
        "options": [
            {"code": option.code, "name": dict(option.name), "retired": option.retired} for option in question.options
        ],
        "points": question.points,
        "low": dict(question.low),
        "high": dict(question.high),
        "limit": question.limit,
        "key": question.key,
        "place": question.place,
        "required": question.required,
        "when": {"when": when.asked} | ({"categories": list(when.categories)} if when.categories else {}),
    }
