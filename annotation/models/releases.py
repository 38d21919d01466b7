"""What stands around releases: their terms, fixed splits, publication, and who asked for access."""

import secrets
from uuid import uuid4

from django.db import models
from django.utils import timezone

from annotation.models.orders import Release
from annotation.models.projects import Membership, Project


def public_key() -> str:
    """A fresh address of 128 bits that nobody guesses."""
    return secrets.token_urlsafe(16)


class ReleaseTerms(models.Model):
    """What holds for all releases of a project; a project without a row has stated nothing."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="release_terms")
    withheld_licences = models.JSONField(default=list, blank=True)  # as items write them: content never leaves
    terms = models.TextField(blank=True, default="", max_length=8000)  # accepted by whoever asks for access
    access_days = models.PositiveSmallIntegerField(default=14)  # for how long a link works once it is granted
    authors = models.JSONField(default=list, blank=True)  # names for the citation, in their order

    @classmethod
    def forbidden_in(cls, project: Project) -> frozenset[str]:
        """The licences under which content of the project's items stays behind."""
        found = cls.objects.filter(project=project).values_list("withheld_licences", flat=True).first()
        return frozenset(found or ())

    @classmethod
    def authors_of(cls, project: Project) -> list[str]:
        """Who is to be cited, as the project says it."""
        return list(cls.objects.filter(project=project).values_list("authors", flat=True).first() or ())


class SplitList(models.Model):
    """Parts that came as a list (id to train, dev or test) and are kept by every release that names it."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="split_lists")
    name = models.CharField(max_length=120)
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
    """A release that an admin showed to the world, at an address of its own; taken back, it is gone at once."""

    release = models.OneToOneField(Release, on_delete=models.PROTECT, related_name="publication")
    key = models.CharField(max_length=32, unique=True, default=public_key, editable=False)
    published_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    archive_sha256 = models.CharField(max_length=64, blank=True, default="")  # of the ZIP that links lead to
    archive_size = models.PositiveBigIntegerField(default=0)


class AccessState(models.TextChoices):
    WAITING = "waiting", "waiting"
    APPROVED = "approved", "approved"
    REFUSED = "refused", "refused"
    REVOKED = "revoked", "revoked"


class AccessRequest(models.Model):
    """Somebody outside asked for a published release. Tokens are kept as hashes; whoever holds one is the one."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    publication = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="requests")
    name = models.CharField(max_length=120)
    email = models.EmailField(max_length=254)
    affiliation = models.CharField(max_length=200)
    purpose = models.TextField(max_length=2000)
    token_sha256 = models.CharField(max_length=64, unique=True)  # of the address where the asker looks
    state = models.CharField(max_length=10, choices=AccessState.choices, default=AccessState.WAITING)
    reason = models.CharField(max_length=500, blank=True, default="")  # of a refusal, for the asker
    asked_at = models.DateTimeField(default=timezone.now, editable=False)
    decided_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)  # the terms, after the approval
    accepted_terms = models.TextField(blank=True, default="")  # as they read then
    expires_at = models.DateTimeField(null=True, blank=True)
    downloads = models.PositiveIntegerField(default=0)  # begun from the first byte
    downloaded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
