"""Runs, their turns, and what they may spend.

A run knows its subject, its project and the person who started it by public id only: no foreign key leads to another
app. The run's row is the queue's truth; a Celery task only says that there may be work (design section 7).
"""

from enum import StrEnum
from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from runs.domain.states import OPEN, Reason, RunState, TurnState


def enum_choices(closed_set: type[StrEnum]) -> list[tuple[str, str]]:
    """Return the members of an enum as Django choices."""
    return [(member.value, member.value.replace("_", " ")) for member in closed_set]


class Run(models.Model):
    """One execution of a method on one subject. All times are the database's, so that no worker's clock counts."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    method = models.CharField(max_length=40)
    project = models.UUIDField()
    subject = models.UUIDField()
    variant = models.CharField(max_length=80, blank=True, default="")  # distinguishes runs of one method on one subject
    repeat = models.PositiveSmallIntegerField(default=0)
    started_by = models.UUIDField(null=True, blank=True)
    options = models.JSONField(default=dict, blank=True)
    model_plan = models.JSONField(default=dict, blank=True)  # role -> "provider:model", fixed when the run is created
    provider = models.CharField(max_length=40, blank=True, default="")  # of the first role; a pause holds its runs
    # Of the request that started it: its id for logs, and its place in a trace (W3C traceparent).
    request_id = models.CharField(max_length=64, blank=True, default="", db_default="")
    traceparent = models.CharField(max_length=55, blank=True, default="", db_default="")
    forked_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="forks")

    state = models.CharField(max_length=12, choices=enum_choices(RunState), default=RunState.QUEUED)
    reason = models.CharField(max_length=20, choices=enum_choices(Reason), blank=True, default="")
    detail = models.CharField(max_length=500, blank=True, default="")  # one sentence for people
    not_before = models.DateTimeField(db_default=Now())
    rung_at = models.DateTimeField(null=True, blank=True)  # when a task was enqueued for it
    cancel_requested = models.BooleanField(default=False)

    owner = models.CharField(max_length=40, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    takes = models.PositiveIntegerField(default=0)  # how often a worker claimed it
    lost_workers = models.PositiveSmallIntegerField(default=0)
    waits = models.PositiveSmallIntegerField(default=0)  # rounds in a row that ended at a busy provider
    pauses_caused = models.PositiveSmallIntegerField(default=0, db_default=0)  # pauses that began with this run

    call_limit = models.PositiveIntegerField()
    token_limit = models.PositiveIntegerField()
    seconds_limit = models.PositiveIntegerField()  # of work, waiting in the queue not counted
    calls = models.PositiveIntegerField(default=0)  # reserved before they are made
    retries = models.PositiveIntegerField(default=0)  # further requests to a provider behind those calls
    tokens = models.PositiveIntegerField(default=0)
    # What the project's account was charged so far; the rest follows when the run stops working. Until then the
    # charged tokens may exceed those used, but never the sum of both.
    charged_calls = models.BigIntegerField(db_default=0, default=0)
    charged_tokens = models.BigIntegerField(db_default=0, default=0)
    seconds = models.FloatField(default=0.0)
    in_flight = models.JSONField(default=dict, blank=True)  # step key -> what was set aside for the call under way

    outcome = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    # Set by the worker that claimed it, not stored: the project's account, whether a limit was seen on it, and
    # whether there may be turns of an earlier worker.
    account_id = 0
    is_limited = False
    has_turns = True

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("method", "subject", "variant", "repeat"), condition=Q(state__in=OPEN), name="run_open_once"
            ),
        )
        indexes = (
            models.Index(fields=("project", "not_before", "id"), condition=Q(state="queued"), name="run_queued"),
            models.Index(fields=("project", "lease_until"), condition=Q(state="running"), name="run_running"),
            models.Index(fields=("project", "method", "state"), name="run_counts"),
            models.Index(fields=("subject", "method"), name="run_subject"),
            models.Index(fields=("finished_at",), condition=Q(state="failed"), name="run_failed"),
        )

    def __str__(self) -> str:
        return f"{self.method} {self.public_id}"


class Turn(models.Model):
    """One step's answer as it arrived, saved once in its own transaction before anything uses it."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="turns")
    key = models.CharField(max_length=80)
    kind = models.CharField(max_length=10)
    role = models.CharField(max_length=40)
    state = models.CharField(max_length=12, choices=enum_choices(TurnState), default=TurnState.OK)
    reason = models.CharField(max_length=20, choices=enum_choices(Reason), blank=True, default="")
    detail = models.CharField(max_length=500, blank=True, default="")
    prompt_digest = models.CharField(max_length=64, blank=True, default="")
    messages = models.JSONField(default=list)  # pictures by SHA-256
    reply = models.TextField(blank=True, default="")  # raw, the last one
    rejected = models.JSONField(default=list)  # earlier replies that were asked again: [{"reply", "error"}]
    value = models.JSONField(null=True, blank=True)
    model = models.CharField(max_length=160, blank=True, default="")
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    thinking_tokens = models.PositiveIntegerField(default=0, db_default=0)  # of the output tokens
    cached_tokens = models.PositiveIntegerField(default=0, db_default=0)  # of the input tokens: read before
    usage_estimated = models.BooleanField(default=False)
    lost_tokens = models.PositiveIntegerField(default=0)  # reserved by calls whose answer a worker lost
    seconds = models.FloatField(default=0.0)
    calls = models.PositiveSmallIntegerField(default=1)  # questions asked, lost ones included
    retries = models.PositiveSmallIntegerField(default=0)  # further requests behind them
    flags = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("run", "key"), name="turn_key_once"),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.key}"


class Account(models.Model):
    """What the runs of a project may spend and have reserved so far; a limit of None is no limit."""

    project = models.UUIDField(unique=True)
    call_limit = models.PositiveIntegerField(null=True, blank=True)
    token_limit = models.PositiveBigIntegerField(null=True, blank=True)
    calls = models.BigIntegerField(default=0)
    tokens = models.BigIntegerField(default=0)


class SiteDay(models.Model):
    """What all runs of a day (UTC) have reserved; the limits are in the settings."""

    day = models.DateField(unique=True)
    calls = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)


class Pause(models.Model):
    """A provider that serves nobody for now, or one model of it: runs wait, and admins see why."""

    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=200, blank=True, default="", db_default="")  # provider:model; "" is all of them
    detail = models.CharField(max_length=500)
    since = models.DateTimeField(db_default=Now())
    until = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("provider", "model"), name="pause_once"),)

    def __str__(self) -> str:
        return self.model or self.provider


class WorkerLoad(models.Model):
    """What one process that works on runs last told of itself, every few seconds."""

    process = models.CharField(max_length=80, primary_key=True)  # machine and process id
    at = models.DateTimeField()
    runs = models.PositiveIntegerField()
    delay = models.FloatField()  # seconds by which the process woke later than planned
    queues = models.JSONField(null=True, default=None)  # names of those it takes from; null: a former version, all

    def __str__(self) -> str:
        return self.process


class ModelFact(models.Model):
    """One thing that a model's server told by refusing a request (`providers.profiles.Lesson`)."""

    name = models.CharField(max_length=200)  # server:model
    fact = models.CharField(max_length=40)
    value = models.CharField(max_length=80, blank=True, default="")
    sentence = models.CharField(max_length=300, blank=True, default="")  # the server's own
    learnt_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("name", "fact", "value"), name="model_fact_once"),)

    def __str__(self) -> str:
        return f"{self.name} {self.fact} {self.value}".strip()
