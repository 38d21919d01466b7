"""Scores of explanations, and what people said of the same explanations without knowing the scores."""

from uuid import uuid4

from django.db import models
from django.db.models import Q

from annotation.models import Item, Membership, Project
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import Estimator
from vocabulary.display_names import pgettext


class ScoreSource(models.TextChoices):
    """What was scored."""

    RUN = "run", "run"
    """The reason of a run's verdict, or an explanation."""
    TURN = "turn", "turn"
    """One turn of a run: a perspective's reason."""
    PRIOR = "prior", "prior"
    NOTE = "note", "note"
    PASTED = "pasted", "pasted"


class ScoreState(models.TextChoices):
    """Where a score is; only `scored` has numbers."""

    WAITING = "waiting", pgettext("stored word", "waiting")
    SCORED = "scored", pgettext("stored word", "scored")
    REFUSED = "refused", pgettext("stored word", "refused")
    UNREADABLE = "unreadable", pgettext("stored word", "unreadable")
    FAILED = "failed", pgettext("stored word", "failed")


class GroupList(models.Model):
    """A project's own list of protected groups. Never changed, so that a score's list is the one that stands there."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="group_lists")
    name = models.SlugField(max_length=20)
    groups = models.JSONField()  # category → terms, as `group_files.checked` takes them
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
        """How many terms it holds."""
        return sum(len(terms) for terms in self.groups.values())


class Score(models.Model):
    """One explanation of an item's text, scored once; with everything that the numbers came from.

    Offsets are code points. A score is never changed: a second one is another row.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="scores")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="scores")
    source = models.CharField(max_length=8, choices=ScoreSource.choices)
    about_run = models.UUIDField(null=True, blank=True)  # the run whose reason or turn it is
    about = models.CharField(max_length=100, blank=True, default="")  # a turn's key, a prior's or a label's id
    said_by = models.CharField(max_length=160, blank=True, default="")  # the model that wrote it, or nobody's name
    method = models.CharField(max_length=40, blank=True, default="")  # of the run
    explanation = models.TextField()  # as it was scored, an appended conclusion line included
    appended = models.BooleanField(default=False)
    prediction = models.BooleanField(null=True, blank=True)  # None: it comes to no conclusion
    text = models.TextField(blank=True, default="")  # the item's, as it was

    language = models.CharField(max_length=5, blank=True, default="")  # as asked for, then as read
    group_list = models.CharField(max_length=20, blank=True, default="")
    rule = models.CharField(max_length=10, choices=[(rule.value, rule.value) for rule in Rule])
    threshold = models.FloatField()
    weights = models.JSONField(default=list)  # of HTC, QF, TGI, CC
    estimator = models.CharField(max_length=10, choices=[(each.value, each.value) for each in Estimator])
    estimated_by = models.CharField(max_length=160, blank=True, default="")  # "provider:model"
    run = models.UUIDField(null=True, blank=True)  # the run that scores it

    state = models.CharField(max_length=10, choices=ScoreState.choices, default=ScoreState.WAITING)
    reason = models.CharField(max_length=500, blank=True, default="")  # why there are no numbers
    reading = models.JSONField(default=dict, blank=True)  # `moderation.domain.score_record.record_of`
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
    """What a reviewer says of a scored explanation, without seeing its score: the paper's human check (section 4.4)."""

    score = models.ForeignKey(Score, on_delete=models.CASCADE, related_name="reviews")
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="explanation_reviews")
    quotes = models.BooleanField()  # it quotes words that bear on the decision
    group = models.BooleanField()  # it names the group that is meant
    hateful = models.BooleanField()  # the reviewer's own decision about the text
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("score", "reviewer"), name="explanation_review_once"),)
