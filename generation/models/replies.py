"""Candidates written by models, replies of people, comments, comparisons, and the store of exemplars."""

from typing import Optional
from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Membership, Project
from annotation.models.base import choices
from annotation.models.lines import LineField
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.platforms import Length, Platform, length_on
from generation.domain.counterspeech.preferences import Choice, Criterion
from generation.domain.counterspeech.safety_flags import Flag, FlaggedWords
from generation.domain.counterspeech.states import MOST_REASON, ReplyState
from generation.domain.counterspeech.writers import Writer, WriterMode, writer_of
from generation.models.exchanges import Exchange, Explanations

INTENTS = choices(Intent)


class Scored(models.Model):
    """The critics' scores of a text. None: the critic gave no readable answer, or the part is switched off."""

    pc = models.FloatField(null=True, blank=True)
    aq = models.FloatField(null=True, blank=True)
    t = models.FloatField(null=True, blank=True)
    reward = models.FloatField(null=True, blank=True)
    seen_intent = models.CharField(max_length=12, blank=True, default="")  # by a critic that was not told; "none" too
    critics = models.JSONField(default=dict, blank=True)  # part → {"model", "reason"}
    # [{"flag", "words", "by"}] of what no rule marks: `by` is "weights" (of words) or the model that read it
    read_marks = models.JSONField(default=list, db_default=[], blank=True)

    class Meta:
        abstract = True


class Candidate(Scored):
    """A reply as a model wrote it. It is never changed; people edit a copy."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    exchange = models.ForeignKey(Exchange, on_delete=models.CASCADE, related_name="candidates")
    run_id = models.UUIDField()
    intent = models.CharField(max_length=12, choices=INTENTS)
    place = models.PositiveSmallIntegerField()  # in the model's answer
    rank = models.PositiveSmallIntegerField()  # by reward, 1 is best; those without a reward come last
    text = models.TextField()
    flags = models.JSONField(default=list, blank=True)
    claims = models.JSONField(default=list, blank=True)
    model = models.CharField(max_length=160)
    prompt_digest = models.CharField(max_length=64)
    explanations = models.ForeignKey(
        Explanations, null=True, blank=True, on_delete=models.SET_NULL, related_name="candidates"
    )
    exemplars = models.JSONField(default=list, blank=True)  # keys of the store's rows that guided it
    # mode, candidates (how many were asked for), trained (what the model was trained as, or empty), tone, length,
    # language, explanations, shots, temperature, terms; and judged_by_writer: what the same model judged
    settings = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("rank",)
        constraints = (models.UniqueConstraint(fields=("run_id", "intent", "place"), name="candidate_place_once"),)
        indexes = (models.Index(fields=("exchange", "intent", "id"), name="candidate_of_exchange"),)

    def __str__(self) -> str:
        return str(self.public_id)

    @property
    def trained(self) -> str:
        """What the model that wrote it was trained as; empty if it was prompted."""
        return str(self.settings.get("trained", ""))

    @property
    def writer(self) -> Writer:
        """The kind of writer."""
        return writer_of(self.model, self.trained)

    @property
    def is_by_model(self) -> bool:
        """Whether a language model wrote it, trained or prompted. The name of any other writer says what it is."""
        return self.writer in (Writer.TRAINED, Writer.PROMPTED)

    @property
    def mode(self) -> WriterMode:
        """How the writer was asked."""
        return WriterMode(self.settings.get("mode", WriterMode.LIST))

    @property
    def registers(self) -> list[str]:
        """The registers that it was asked for in."""
        return list(self.settings.get("registers", ()))

    @property
    def length(self) -> Length | None:
        """Its length on the platform for which it was asked for; None if it was for none in particular."""
        platform = self.settings.get("platform")
        return length_on(Platform(platform), self.text) if platform else None

    @property
    def asked_for(self) -> int | None:
        """How many candidates were asked for (N); None if that is not known any more."""
        number = self.settings.get("candidates")
        return number if isinstance(number, int) else None

    @property
    def conforms(self) -> bool | None:
        """Whether the critic who was not told the intent saw the intended one; None if that critic gave no answer."""
        return self.seen_intent == self.intent if self.seen_intent else None

    @property
    def marks(self) -> list[FlaggedWords]:
        """Its flags, with who read those that no rule raised."""
        beside = {mark["flag"]: FlaggedWords(Flag(mark["flag"]), mark["words"], mark["by"]) for mark in self.read_marks}
        return [beside.get(flag, FlaggedWords(Flag(flag))) for flag in self.flags]


class Reply(Scored):
    """A reply that a person writes or edits; only a second person can approve it.

    A correction is a reply of its own. When it is approved, it replaces the one that it corrects.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    exchange = models.ForeignKey(Exchange, on_delete=models.CASCADE, related_name="replies")
    candidate = models.ForeignKey(
        Candidate, null=True, blank=True, on_delete=models.RESTRICT, related_name="replies"
    )  # None: not written from a candidate
    intent = models.CharField(max_length=12, choices=INTENTS)
    registers = models.JSONField(default=list, blank=True)  # of `Register`, in its order
    text = models.TextField(blank=True, default="")
    writing_seconds = models.PositiveIntegerField(default=0, db_default=0)  # of work on it (`writing_time`)
    state = models.CharField(max_length=10, choices=choices(ReplyState), default=ReplyState.DRAFT)
    author = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="replies_written")
    approver = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="replies_approved"
    )
    override_reason = models.TextField(blank=True, default="")  # why it was approved although it is flagged
    flags = models.JSONField(default=list, blank=True)  # those it was approved with
    scored_sha256 = models.CharField(max_length=64, blank=True, default="")  # of the text that the scores are about
    version = models.PositiveIntegerField(default=1)  # grows with each change; a stale one is refused
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    changed_at = models.DateTimeField(default=timezone.now)
    submitted_at = models.DateTimeField(null=True, blank=True)
    approved_at = models.DateTimeField(null=True, blank=True)
    replaces = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="corrections"
    )  # the reply that this one corrects
    correction_reason = LineField(max_length=MOST_REASON, blank=True, default="", db_default="")
    withdrawn_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="replies_withdrawn"
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawal_reason = LineField(max_length=MOST_REASON, blank=True, default="", db_default="")

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=~Q(state=ReplyState.APPROVED) | Q(approver__isnull=False), name="reply_approved_by_somebody"
            ),
            models.CheckConstraint(
                condition=~Q(state=ReplyState.WITHDRAWN) | Q(withdrawn_by__isnull=False) & ~Q(withdrawal_reason=""),
                name="reply_withdrawn_for_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(approver__isnull=True) | ~Q(approver=models.F("author")), name="reply_not_by_its_author"
            ),
        )
        indexes = (models.Index(fields=("exchange", "state"), name="reply_of_exchange"),)

    def __str__(self) -> str:
        return str(self.public_id)

    @property
    def replaced_by(self) -> Optional["Reply"]:
        """The correction that took its place; None if there is none."""
        if self.state != ReplyState.REPLACED:
            return None
        return self.corrections.exclude(approved_at=None).select_related("approver").get()

    @property
    def conforms(self) -> bool | None:
        """Whether the critic who was not told the intent saw the intended one; None if that critic gave no answer."""
        return self.seen_intent == self.intent if self.seen_intent else None


class ReplyComment(models.Model):
    """A comment on a reply: written when it was returned, or at any time while it is open."""

    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="reply_comments")
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("id",)


class Submission(models.Model):
    """A text as its author handed it in, with the comment that returned it. Text and intent are never changed."""

    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="submissions")
    number = models.PositiveIntegerField()  # 1 is the first
    intent = models.CharField(max_length=12, choices=INTENTS)
    text = models.TextField()
    submitted_at = models.DateTimeField(default=timezone.now)
    returned_with = models.OneToOneField(
        ReplyComment, null=True, blank=True, on_delete=models.SET_NULL, related_name="submission"
    )  # None: it was not returned

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("reply", "number"), name="submission_number_once"),)

    def __str__(self) -> str:
        return f"{self.reply} {self.number}"


class Exemplar(models.Model):
    """A row of the store of exemplars: a post with an approved or imported reply that may guide new ones."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="exemplars")
    external_id = models.CharField(max_length=128)  # of the file, or the reply's public id
    hate = models.TextField()
    intent = models.CharField(max_length=12, choices=INTENTS, blank=True)  # empty: its type is none of the intents
    registers = models.JSONField(default=list, blank=True)
    text = models.TextField()
    explanations = models.JSONField(default=dict, blank=True)
    hs_type = LineField(max_length=200, blank=True, default="", db_default="")  # CONAN's columns, as in the file
    hs_sub_type = LineField(max_length=200, blank=True, default="", db_default="")
    cn_type = LineField(max_length=200, blank=True, default="", db_default="")
    reply = models.OneToOneField(Reply, null=True, blank=True, on_delete=models.CASCADE, related_name="exemplar")
    source = LineField(max_length=500, blank=True, default="")
    licence = LineField(max_length=200, blank=True, default="")
    checked_at = models.DateTimeField(null=True, blank=True)  # when somebody last checked that it still holds
    checked_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="exemplars_checked"
    )
    used_at = models.DateTimeField(null=True, blank=True)  # when somebody last posted it or began a reply from it
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("project", "external_id"), name="exemplar_id_once"),)


class Comparison(models.Model):
    """A person's blind choice between two candidates of the same post and intent, by the paper's five criteria."""

    first = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="comparisons_first")
    second = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="comparisons_second")
    judge = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="reply_comparisons")
    shown_first = models.BooleanField()  # whether the first stood on the left
    independence = models.CharField(max_length=6, choices=choices(Choice))
    adequacy = models.CharField(max_length=6, choices=choices(Choice))
    relevance = models.CharField(max_length=6, choices=choices(Choice))
    effectiveness = models.CharField(max_length=6, choices=choices(Choice))
    category = models.CharField(max_length=6, choices=choices(Choice))
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("first", "second", "judge"), name="comparison_once"),
            models.CheckConstraint(condition=Q(first__lt=models.F("second")), name="comparison_in_order"),
        )

    def choice(self, criterion: Criterion) -> Choice:
        """Return the choice by one criterion."""
        return Choice(getattr(self, criterion))


class ExemplarVector(models.Model):
    """The embedding vector of a row of the store: of its post and reply, which never change."""

    exemplar = models.OneToOneField(Exemplar, on_delete=models.CASCADE, related_name="vector")
    model = models.CharField(max_length=160)
    vector = models.BinaryField()  # float32, little-endian, length 1
