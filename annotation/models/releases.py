"""Rows about releases: their terms, fixed splits, publication, and requests for access."""

import secrets
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from annotation.domain.releases.provenance import Annotators
from annotation.models.base import choices
from annotation.models.lines import LineField
from annotation.models.orders import Release
from annotation.models.projects import Membership, Project


def public_key() -> str:
    """Return a new random key of 128 bits for a public URL."""
    return secrets.token_urlsafe(16)


class ReleaseTerms(models.Model):
    """The terms of all releases of a project; a project without a row has stated none."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="release_terms")
    withheld_licences = models.JSONField(
        default=list, blank=True
    )  # as written in items; their content is never released
    terms = models.TextField(blank=True, default="", max_length=8000)  # accepted by people who request access
    access_days = models.PositiveSmallIntegerField(default=14)  # how long a granted link works
    authors = models.JSONField(default=list, blank=True)  # names for the citation, in their order
    annotators = models.CharField(max_length=8, choices=choices(Annotators), blank=True, default="")

    @classmethod
    def forbidden_in(cls, project: Project) -> frozenset[str]:
        """Return the licences whose items release no content in this project."""
        licences = cls.objects.filter(project=project).values_list("withheld_licences", flat=True).first()
        return frozenset(licences or ())

    @classmethod
    def authors_of(cls, project: Project) -> list[str]:
        """Return the authors to cite, as the project names them."""
        return list(cls.objects.filter(project=project).values_list("authors", flat=True).first() or ())

    @classmethod
    def annotators_of(cls, project: Project) -> str:
        """Return what the project says about the people who label in it."""
        return cls.objects.filter(project=project).values_list("annotators", flat=True).first() or ""


class SplitList(models.Model):
    """A given split (id to train, dev or test) that is used by every release that names it."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="split_lists")
    name = LineField(max_length=120)
    parts = models.JSONField(default=dict)
    sha256 = models.CharField(max_length=64)  # of the parts in their canonical form
    created_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-pk",)
        constraints = (models.UniqueConstraint(fields=("project", "sha256"), name="split_list_once"),)

    def __str__(self) -> str:
        return self.name


class Publication(models.Model):
    """A release that an admin made public at its own URL; if it is withdrawn, it is hidden at once."""

    release = models.OneToOneField(Release, on_delete=models.PROTECT, related_name="publication")
    key = models.CharField(max_length=32, unique=True, default=public_key, editable=False)
    published_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    archive_sha256 = models.CharField(max_length=64, blank=True, default="")  # of the ZIP behind the links
    archive_size = models.PositiveBigIntegerField(default=0)

    def address(self) -> str:
        """Return the address of the public page."""
        return f"{settings.SITE_URL}{reverse('annotation:public-release', args=[self.key])}"


class AccessState(models.TextChoices):
    WAITING = "waiting", "waiting"
    APPROVED = "approved", "approved"
    REFUSED = "refused", "refused"
    REVOKED = "revoked", "revoked"


class AccessRequest(models.Model):
    """A request from outside for a published release.

    Tokens are stored as hashes; whoever has the token counts as the requester.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    publication = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="requests")
    name = LineField(max_length=120)
    email = models.EmailField(max_length=254)
    affiliation = LineField(max_length=200)
    purpose = models.TextField(max_length=2000)
    token_sha256 = models.CharField(
        max_length=64, unique=True
    )  # of the secret in the URL where the requester sees the answer
    state = models.CharField(max_length=10, choices=AccessState.choices, default=AccessState.WAITING)
    reason = models.CharField(max_length=500, blank=True, default="")  # of a refusal, for the requester
    asked_at = models.DateTimeField(default=timezone.now, editable=False)
    decided_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)  # when the terms were accepted, after the approval
    accepted_terms = models.TextField(blank=True, default="")  # the text of the accepted terms
    expires_at = models.DateTimeField(null=True, blank=True)
    downloads = models.PositiveIntegerField(default=0)  # downloads that began at the first byte
    downloaded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
