"""The glossary of a project: the meaning of a word, a sign or a meme in its posts, and the sources of that meaning."""

from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.domain import choices as domain_choices
from annotation.models.base import choices
from annotation.models.lines import LineField
from annotation.models.projects import Membership, Project


class GlossaryEntry(models.Model):
    """A term and its present meaning; `versions` hold its history. `key` is the term as compared."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="glossary")
    term = LineField(max_length=120)
    key = models.CharField(max_length=240, editable=False)
    kind = models.CharField(
        max_length=8, choices=choices(domain_choices.GlossaryKind), default=domain_choices.GlossaryKind.TERM
    )
    meaning = models.TextField(max_length=2000)
    target_group = LineField(max_length=200, blank=True, default="")
    languages = models.JSONField(default=list, blank=True)  # ISO 639-1 codes, none: English inflections
    examples = models.TextField(max_length=4000, blank=True, default="")  # one a line
    variants = models.TextField(max_length=2000, blank=True, default="")  # further spellings, one a line
    switched_off = models.JSONField(default=list, blank=True)  # values of How that do not count for this entry
    initials = models.BooleanField(default=False)  # whether its initials count (Korean, pinyin)
    sounds = models.BooleanField(default=False, db_default=False)  # whether what sounds like it counts
    status = models.CharField(
        max_length=9, choices=choices(domain_choices.GlossaryStatus), default=domain_choices.GlossaryStatus.PROPOSED
    )
    version = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "key"), name="glossary_term_once"),)
        indexes = (models.Index(fields=("project", "status"), name="glossary_status"),)

    def __str__(self) -> str:
        return self.term


class GlossaryVersion(models.Model):
    """A version of an entry: written with every change, never altered."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    entry = models.ForeignKey(GlossaryEntry, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    values = models.JSONField()  # term, kind, meaning, target_group, languages, examples, status
    member = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("entry", "number"), name="glossary_version_once"),)
        indexes = (models.Index(fields=("project", "-id"), name="glossary_newest"),)


class GlossarySource(models.Model):
    """A source of an entry: a run, a decision, a piece of evidence (by its public id), or a reference in words."""

    entry = models.ForeignKey(GlossaryEntry, on_delete=models.CASCADE, related_name="sources")
    kind = models.CharField(max_length=12, choices=choices(domain_choices.GlossarySourceKind))
    reference = models.UUIDField(null=True, blank=True)
    item = models.UUIDField(null=True, blank=True)  # the public id of the item whose page shows it
    note = models.CharField(max_length=500, blank=True, default="")
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(reference__isnull=False) | ~Q(note=""), name="glossary_source_says_something"
            ),
        )


class GlossaryUse(models.Model):
    """An entry that a run was given, in its version at that time. A row without an entry says that none matched."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    run = models.UUIDField()
    number = models.PositiveSmallIntegerField()  # cited as G1, G2, …; 0: none found
    entry = models.ForeignKey(GlossaryEntry, null=True, blank=True, on_delete=models.CASCADE, related_name="uses")
    version = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("run", "number"), name="glossary_use_once"),)
