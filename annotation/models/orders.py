"""Work on many rows: imports, releases, estimates, figures, bulk changes, deletions."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.domain import choices as domain_choices
from annotation.models.base import AppendOnly, choices
from annotation.models.lines import LineField
from annotation.models.projects import Membership, Project


class JobState(models.TextChoices):
    """States of a job. Imports have more states (`ImportState`)."""

    QUEUED = "queued", "queued"
    WORKING = "building", "building"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


class Job(models.Model):
    """Work that a member requested and a worker carries out (`core.jobs`)."""

    ACTIVE: tuple[str, ...] = (JobState.QUEUED, JobState.WORKING)

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.QUEUED)
    problem = models.CharField(max_length=500, blank=True, default="")  # one sentence for people
    cancel_requested = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    begun_at = models.DateTimeField(null=True, blank=True)  # when a worker last began it
    beat_at = models.DateTimeField(null=True, blank=True)  # the last heartbeat of its worker
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class ImportState(models.TextChoices):
    UPLOADED = "uploaded", "uploaded"
    CHECKING = "checking", "checking"
    CHECKED = "checked", "checked"
    IMPORTING = "importing", "importing"
    DONE = "done", "done"
    REFUSED = "refused", "refused"
    CANCELLED = "cancelled", "cancelled"
    FAILED = "failed", "failed"


class Import(Job):
    """One imported file: uploaded, checked by a dry run, imported as a whole or not at all."""

    ACTIVE = (ImportState.UPLOADED, ImportState.CHECKING, ImportState.IMPORTING)

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    started_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="imports")
    file_name = LineField(max_length=255)
    file = models.FileField(max_length=200, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64)
    options = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=ImportState.choices, default=ImportState.UPLOADED)
    rows_done = models.PositiveIntegerField(default=0)
    share = models.FloatField(default=0)  # the part of the file that was read, 0 to 1
    rate = models.FloatField(default=0)  # rows a second
    outcome = models.JSONField(default=dict, blank=True)
    error_list = models.FileField(max_length=200, blank=True)  # every row with errors, as CSV


class Release(AppendOnly):
    """An immutable set of gold items, written to files and verifiable by its manifest."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    number = models.PositiveIntegerField()
    created_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="releases")
    options = models.JSONField(default=dict, blank=True)
    manifest = models.JSONField(default=dict)
    items = models.PositiveIntegerField()
    folder = models.CharField(max_length=500)  # relative to the releases' root, or the path that the command wrote to
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("project", "number"), name="release_number_once"),)


class ReleaseOrder(Job):
    """A request for a release from a page, with its options, state and progress."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="release_orders")
    ordered_by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="release_orders")
    key = models.UUIDField()  # made with the form: sent twice, it is still one order
    options = models.JSONField(default=dict, blank=True)
    items_done = models.PositiveIntegerField(default=0)
    items_total = models.PositiveIntegerField(default=0)
    release = models.OneToOneField(Release, null=True, blank=True, on_delete=models.PROTECT, related_name="order")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "key"), name="release_order_once"),)


class CompetenceEstimate(Job):
    """The result of a model of annotator competence for the labels of one moment.

    It is shown beside the majority; no decision about an item depends on it. `result` has the form described in
    `annotation/analytics/quality/competence.py`; it names annotators and items by public id.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="competence_estimates")
    method = models.CharField(max_length=12, choices=choices(domain_choices.CompetenceMethod))
    ordered_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="competence_estimates"
    )  # None: by a command
    result = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("project", "method"),
                condition=Q(state__in=("queued", "building")),
                name="competence_one_under_way",
            ),
        )


class Figures(Job):
    """The figures of a large project at one moment, computed by a worker (`analytics/stored_figures.py`).

    They are out of date once the log has events that they do not know. `since` and `events` say what they know: the
    number of events after `since`, which lies a little before the newest one.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="figures")
    kind = models.CharField(max_length=12, choices=choices(domain_choices.FigureKind))
    share = models.FloatField(default=0)  # the part of the work that is done, 0 to 1
    as_of = models.DateTimeField(null=True, blank=True)
    since = models.DateTimeField(null=True, blank=True)  # None: the log was empty
    events = models.PositiveIntegerField(default=0)
    form = models.CharField(max_length=16, blank=True, default="")  # of `result`, see `core/typed_json.py`
    result = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("project", "kind"), condition=Q(state__in=("queued", "building")), name="figures_one_under_way"
            ),
        )


class SavedSearch(models.Model):
    """A named search over a project's items; a shared one is visible to all staff."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="searches")
    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="searches")
    name = LineField(max_length=80)
    query = models.TextField(blank=True, default="", max_length=4000)  # as in the URL: "stage=gold&level=weak"
    shared = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("member", "name"), name="search_name_once"),)

    def __str__(self) -> str:
        return self.name


class BulkOrder(Job):
    """A change of many items at once, with its options, state and progress."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="bulk_orders")
    ordered_by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="bulk_orders")
    key = models.UUIDField()  # made with the form: sent twice, it is still one order
    act = models.CharField(max_length=12)
    options = models.JSONField(default=dict, blank=True)  # what the act needs: batch, priority, reason
    query = models.TextField(blank=True, default="")
    chosen = models.JSONField(null=True, blank=True)  # public ids; None: all items that the query matches
    items_total = models.PositiveIntegerField(default=0)
    items_done = models.PositiveIntegerField(default=0)
    passed_over = models.JSONField(default=dict, blank=True)  # code -> number of items
    last = models.BigIntegerField(default=0)  # primary key of the last item that was handled
    until = models.BigIntegerField(default=0)  # primary key of the newest item at the time of the request

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "key"), name="bulk_order_once"),)


class Deletion(models.Model):
    """A requested deletion of a project: its times, and the numbers of lost rows.

    The row outlives the project and holds no content of it.
    """

    project_key = models.UUIDField()  # the project's public id
    slug = models.SlugField(max_length=64)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField(default=timezone.now, editable=False)
    due_at = models.DateTimeField()
    cancelled_at = models.DateTimeField(null=True, blank=True)
    begun_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    counts = models.JSONField(default=dict, blank=True)  # rows and files by kind, as they were when it began

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project_key",),
                condition=Q(cancelled_at__isnull=True, finished_at__isnull=True),
                name="deletion_open_once",
            ),
        )


class PurgePermit(models.Model):
    """A permit to remove append-only rows of a project or an item.

    It is created and removed in one transaction. The triggers of `append_only` read it. A row that is visible outside
    that transaction is an error, which `audit` reports.
    """

    project_key = models.BigIntegerField(null=True, blank=True, db_index=True)
    item_key = models.BigIntegerField(null=True, blank=True, db_index=True)
