"""Scores of explanations, and human reviews of these explanations by people who do not see the scores."""

from uuid import uuid4

from django.db import models
from django.db.models import Q

from annotation.models import Item, Membership, Project
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import Estimator
from vocabulary.display_names import pgettext


class ScoreSource(models.TextChoices):
    """The kind of explanation that was scored."""

    RUN = "run", "run"
    """The reason of a run's verdict, or a run's explanation."""
    TURN = "turn", "turn"
    """One turn of a run, for example a perspective's reason."""
    PRIOR = "prior", "prior"
    NOTE = "note", "note"
    PASTED = "pasted", "pasted"


class ScoreState(models.TextChoices):
    """The state of a score; only `scored` has numbers."""

    WAITING = "waiting", pgettext("stored word", "waiting")
    SCORED = "scored", pgettext("stored word", "scored")
    REFUSED = "refused", pgettext("stored word", "refused")
    UNREADABLE = "unreadable", pgettext("stored word", "unusable answer")
    FAILED = "failed", pgettext("stored word", "failed")


class GroupList(models.Model):
    """A project's own list of protected groups. It never changes, so the list behind a score stays readable."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="group_lists")
    name = models.SlugField(max_length=20)
    groups = models.JSONField()  # category → terms; see `moderation.domain.hatexscore.group_list_files`
    created_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="group_lists_added"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("project", "name"), name="group_list_name_once"),)

    def __str__(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        """The number of its terms."""
        return sum(len(terms) for terms in self.groups.values())


class Score(models.Model):
    """One scored explanation of an item's text, with the inputs of every number.

    Offsets are code points. A score never changes: scoring again adds a row.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="scores")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="scores")
    source = models.CharField(max_length=8, choices=ScoreSource.choices)
    about_run = models.UUIDField(null=True, blank=True)  # the run that wrote the explanation
    about = models.CharField(max_length=100, blank=True, default="")  # a turn's key, or the id of a prior or a label
    said_by = models.CharField(max_length=160, blank=True, default="")  # the model that wrote it; empty for a person
    method = models.CharField(max_length=40, blank=True, default="")  # the method of the run
    explanation = models.TextField()  # the scored text, with an appended conclusion line
    appended = models.BooleanField(default=False)
    prediction = models.BooleanField(null=True, blank=True)  # None: it states no conclusion
    text = models.TextField(blank=True, default="")  # the item's text at that time

    language = models.CharField(max_length=5, blank=True, default="")  # as requested, then as detected
    group_list = models.CharField(max_length=20, blank=True, default="")
    rule = models.CharField(max_length=10, choices=[(rule.value, rule.value) for rule in Rule])
    threshold = models.FloatField()
    weights = models.JSONField(default=list)  # of HTC, QF, TGI, CC
    estimator = models.CharField(max_length=10, choices=[(estimator.value, estimator.value) for estimator in Estimator])
    estimated_by = models.CharField(max_length=160, blank=True, default="")  # as "provider:model"
    run = models.UUIDField(null=True, blank=True)  # the run that scores it

    state = models.CharField(max_length=10, choices=ScoreState.choices, default=ScoreState.WAITING)
    reason = models.CharField(max_length=500, blank=True, default="")  # the reason why there are no numbers
    reading = models.JSONField(default=dict, blank=True)  # `moderation.domain.hatexscore.record.record_of`
    p = models.FloatField(null=True, blank=True)
    p_masked = models.FloatField(null=True, blank=True)
    htc = models.PositiveSmallIntegerField(null=True, blank=True)
    qf = models.FloatField(null=True, blank=True)
    tgi = models.PositiveSmallIntegerField(null=True, blank=True)
    cc = models.PositiveSmallIntegerField(null=True, blank=True)
    score = models.FloatField(null=True, blank=True)
    created_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="scores_started"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=(Q(state="scored") & Q(score__gte=0) & Q(score__lte=1))
                | (~Q(state="scored") & Q(score__isnull=True)),
                name="score_has_numbers_only_if_scored",
            ),
        )
        indexes = (
            models.Index(fields=("item", "state"), name="score_of_item"),
            models.Index(fields=("project", "state"), name="score_of_project"),
            models.Index(fields=("about_run",), name="score_about_run"),
        )

    def __str__(self) -> str:
        return f"{self.source} {self.public_id}"


class ExplanationReview(models.Model):
    """A reviewer's answers about an explanation, given without seeing its score (paper, section 4.4: human check)."""

    score = models.ForeignKey(Score, on_delete=models.CASCADE, related_name="reviews")
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="explanation_reviews")
    quotes = models.BooleanField()  # it quotes words that matter for the decision
    group = models.BooleanField()  # it names the targeted group
    hateful = models.BooleanField()  # the reviewer's own decision about the text
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("score", "reviewer"), name="explanation_review_once"),)
