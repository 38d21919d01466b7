"""Documents that admins upload for the local search, and evidence that runs found about items."""

from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from django.db import models
from django.db.models import Q, Value

from annotation.models import Item, Membership, Project
from annotation.models.lines import LineField
from moderation.domain.antihateagent.doubts import Doubt, doubts_of, rated_claim
from moderation.domain.antihateagent.hosts import domain_of
from moderation.domain.antihateagent.page_windows import page_number
from moderation.domain.antihateagent.passages import Span, sentence_of

_SHOWN, _AROUND = 40_000, 2_000
"""Characters of a text that are shown whole; of a longer one, those around each passage."""


class Document(models.Model):
    """The text of a document for the local search. The file itself is not stored."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="documents")
    name = LineField(max_length=200)  # of the file
    title = LineField(max_length=300)
    kind = models.CharField(max_length=10)  # text, markdown, html, pdf
    sha256 = models.CharField(max_length=64)  # of the uploaded bytes
    size = models.PositiveIntegerField()  # bytes
    characters = models.PositiveIntegerField()
    uploaded_by = models.ForeignKey(Membership, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=("project", "sha256"), name="document_once"),)

    def __str__(self) -> str:
        return self.title


class Passage(models.Model):
    """A part of a document. `words` holds its words; for scripts without spaces it holds pairs of characters.

    The migration creates the index over `words` in SQL for each database.
    """

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="passages")
    number = models.PositiveIntegerField()
    text = models.TextField()
    words = models.TextField()

    class Meta:
        ordering = ("document", "number")
        constraints = (models.UniqueConstraint(fields=("document", "number"), name="passage_once"),)

    def __str__(self) -> str:
        return f"{self.document_id} {self.number}"


class Evidence(models.Model):
    """A page that a run read and found relevant, as a numbered card. It stays the same when the page changes."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    item = models.ForeignKey(
        Item, null=True, blank=True, on_delete=models.CASCADE, related_name="evidence"
    )  # None: the post is a text that somebody pasted
    project = models.ForeignKey(Project, null=True, blank=True, on_delete=models.CASCADE, related_name="evidence")
    run = models.UUIDField()  # the run that read it
    number = models.PositiveSmallIntegerField()  # the run's rationale cites it by this number
    url = models.CharField(max_length=2000)
    title = LineField(max_length=300, blank=True, default="")
    query = models.CharField(max_length=400, blank=True, default="")
    fetched_at = models.DateTimeField()
    sha256 = models.CharField(max_length=64)  # of the fetched bytes
    text = models.TextField()  # extracted from the page
    copies = models.JSONField(default=list)  # domains with exactly the same text
    source = models.JSONField(default=dict, db_default=Value({}, models.JSONField()))
    """What the page states of itself: publisher, author, dates, a rated claim; null is "not said"."""
    comments_at = models.PositiveIntegerField(default=0, db_default=0)
    """Where in the text the readers' comments begin; 0: there are none."""
    struck_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    struck_because = models.CharField(max_length=1000, blank=True, default="")
    struck_at = models.DateTimeField(null=True, blank=True)

    own_document: UUID | None = None  # for pages: its document, if that still exists

    class Meta:
        ordering = ("run", "number")
        constraints = (
            models.UniqueConstraint(fields=("run", "number"), name="evidence_number"),
            models.CheckConstraint(
                condition=Q(struck_at=None, struck_because="") | (Q(struck_at__isnull=False) & ~Q(struck_because="")),
                name="evidence_struck_because",
            ),
            models.CheckConstraint(
                condition=Q(item__isnull=False) | Q(project__isnull=False), name="evidence_of_item_or_text"
            ),
        )
        indexes = (models.Index(fields=("item", "run"), name="evidence_item"),)

    def __str__(self) -> str:
        return f"[{self.number}] {self.url}"

    def save(self, **options: Any) -> None:
        """Store the card; its project is its item's if none is named."""
        if self.project_id is None and self.item is not None:
            self.project_id = self.item.project_id
        super().save(**options)

    @property
    def of_project(self) -> Project:
        """The project whose post it is about."""
        project = self.project if self.item is None else self.item.project
        assert project is not None  # evidence_of_item_or_text
        return project

    @property
    def domain(self) -> str:
        """The host of its address, as it is displayed."""
        return domain_of(self.url)

    @property
    def is_link(self) -> bool:
        """Whether the address may be a link: only addresses of the web (threats B45)."""
        return self.url.startswith(("http://", "https://"))

    @property
    def excerpt(self) -> str:
        """Its text, or the surroundings of its passages if it is long."""
        if len(self.text) <= _SHOWN:
            return self.text
        return "\n[…]\n".join(
            self.text[max(0, segment.start - _AROUND) : segment.end + _AROUND] for segment in self.segments.all()
        )

    @property
    def stances(self) -> list[str]:
        """The distinct stances of its passages."""
        return sorted({segment.stance for segment in self.segments.all()}, reverse=True)


class EvidenceSegment(models.Model):
    """An exact passage of a page; `start` and `end` are its offsets in the page's text."""

    evidence = models.ForeignKey(Evidence, on_delete=models.CASCADE, related_name="segments")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    quote = models.TextField()
    stance = models.CharField(max_length=10, choices=[("supports", "supports"), ("refutes", "refutes")])
    relevance = models.PositiveSmallIntegerField()  # 1 to 3
    bearing = models.CharField(max_length=800)

    class Meta:
        ordering = ("evidence", "start")

    def __str__(self) -> str:
        return self.quote[:60]

    @property
    def before(self) -> str:
        """What stands before it in its sentence."""
        return self.evidence.text[self._sentence.start : self.start]

    @property
    def after(self) -> str:
        """What stands after it in its sentence."""
        return self.evidence.text[self.end : self._sentence.end]

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Why it may not mean what it says alone."""
        card = self.evidence
        place, claim = Span(self.start, self.end), rated_claim(card.source)
        return doubts_of(card.text, place, comments_at=card.comments_at, rated_claim=claim)

    @cached_property
    def _sentence(self) -> Span:
        return sentence_of(self.evidence.text, Span(self.start, self.end))

    @property
    def page(self) -> int:
        """The page of a PDF that it is on, from 1; 0 where there are no pages."""
        return page_number(self.evidence.text, self.start)
