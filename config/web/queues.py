"""The page of queues, for the site's staff: what waits for workers, what is stuck or failed, and what to press."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.core.jobs import JobKind
from annotation.models import Job, JobState, Project
from annotation.operations import sweep, waiting_work
from annotation.operations.job_kinds import JOB_KINDS
from annotation.operations.waiting_work import JobsOfKind, Work
from annotation.pages.access import PersonRequest
from annotation.webhooks import change
from config.models import Pulse
from config.web.health import LATE
from runs.control import start
from runs.control import sweep as run_sweep
from runs.queue import provider_pauses, task_messages, worker_load

MOST_RETRIED = 200
"""The most runs that one press queues again; the next press queues others."""
KIND_NAMES: Mapping[str, Any] = {
    waiting_work.RUNS: gettext_lazy("Model runs"),
    "import": gettext_lazy("Imports"),
    "release": gettext_lazy("Releases"),
    "bulk_change": gettext_lazy("Changes of many items"),
    "competence": gettext_lazy("Models of competence"),
    "figures": gettext_lazy("Figures"),
    "picture_reading": gettext_lazy("Reading of pictures"),
    waiting_work.WEBHOOKS: gettext_lazy("Messages of webhooks"),
    waiting_work.MAILS: gettext_lazy("E-mail"),
}
QUEUE_NAMES: Mapping[str, Any] = {
    "runs": KIND_NAMES[waiting_work.RUNS],
    "imports": KIND_NAMES["import"],
    "releases": KIND_NAMES["release"],
    "figures": KIND_NAMES["figures"],
    "rest": gettext_lazy("All else"),
}


@never_cache
@require_safe
def queues(request: PersonRequest) -> HttpResponse:
    """Show what waits on the whole site. A project's admins see their own work on the project's pages."""
    _require_staff(request)
    lengths = task_messages.queue_lengths()
    sweep_age = Pulse.age("worker")
    reports = waiting_work.read_reports()
    context = {
        "reports": reports,
        "oldest_report": timezone.now() - timedelta(seconds=reports.oldest),
        "work": [_figures(work) for work in waiting_work.read_work()],
        "lengths": None if lengths is None else _named(lengths),
        "workers": worker_load.living_workers().order_by("process"),
        "sweep_is_late": sweep_age is None or sweep_age > LATE.total_seconds(),
        "pauses": provider_pauses.pauses_in_force(),
        "jobs": [_shown(kind, row) for kind in JOB_KINDS.values() for row in JobsOfKind(kind).listed()],
        "lapsed": _lapsed(),
        "failed": _failed(),
        "webhooks": waiting_work.disabled_webhooks().select_related("project").order_by("disabled_at"),
    }
    return render(request, "queues.html", context)


@never_cache
@require_POST
def act(request: PersonRequest) -> HttpResponse:
    """Do what a button of the page says."""
    _require_staff(request)
    acts: Mapping[str, Callable[[PersonRequest], None]] = {
        "repair": _repair,
        "send": _send,
        "cancel": _cancel,
        "put-back": _put_back,
        "cancel-run": _cancel_run,
        "retry": _retry,
        "switch-on": _switch_on,
    }
    if (wanted := request.POST.get("act", "")) not in acts:
        raise Http404
    acts[wanted](request)
    return redirect("queues")


def _require_staff(request: PersonRequest) -> None:
    """Raise Http404 for everybody but the site's staff."""
    if not request.user.is_staff:
        raise Http404


# ── What is shown ─────────────────────────────────────────────────────────────


def _named(lengths: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the lengths of the queues with their names; the files of one machine are one queue for all."""
    if len(lengths) == 1:
        return [(_("All work"), length) for length in lengths.values()]
    return [(QUEUE_NAMES[queue], length) for queue, length in lengths.items()]


def _figures(work: Work) -> dict[str, Any]:
    oldest = timezone.now() - timedelta(seconds=work.oldest) if work.waiting else None
    return {"name": KIND_NAMES[work.kind], "figures": work, "oldest": oldest}


def _shown(kind: JobKind[Any], row: Job) -> dict[str, Any]:
    return {
        "kind": kind.name,
        "name": KIND_NAMES[kind.name],
        "row": row,
        "has_failed": row.state == JobState.FAILED,
        "since": row.finished_at if row.state == JobState.FAILED else row.created_at,
    }


def _lapsed() -> list[dict[str, Any]]:
    runs = list(waiting_work.lapsed_runs().order_by("lease_until")[: waiting_work.SHOWN])
    names = dict(Project.objects.filter(public_id__in={run.project for run in runs}).values_list("public_id", "name"))
    return [{"run": run, "project": names.get(run.project, "")} for run in runs]


def _failed() -> list[dict[str, Any]]:
    """Return the runs that failed lately by method and reason, and how many of each may go on."""

    def counts(runs: Any) -> dict[tuple[str, str], int]:
        rows = runs.order_by().values("method", "reason").annotate(number=Count("pk"))
        return {(row["method"], row["reason"]): row["number"] for row in rows}

    retriable = counts(waiting_work.retriable_runs())
    return [
        {
            "method": method,
            "reason": reason,
            "number": number,
            "retried": min(retriable.get((method, reason), 0), MOST_RETRIED),
        }
        for (method, reason), number in sorted(counts(waiting_work.failed_runs()).items())
    ]


# ── What is pressed ───────────────────────────────────────────────────────────


def _repair(request: PersonRequest) -> None:
    counts = sweep.sweep()
    if failed := sorted(name for name, count in counts.items() if count < 0):
        text = _("These steps failed; the log says why: %(steps)s. The others are done.")
        messages.error(request, text % {"steps": ", ".join(failed)})
    else:
        number = sum(counts.values())
        text = ngettext("Done: %(number)s thing was put right.", "Done: %(number)s things were put right.", number)
        messages.success(request, text % {"number": number})


def _send(request: PersonRequest) -> None:
    kind, row = _job(request)
    if kind.enqueue(row.pk):
        messages.success(request, _("A worker is told of it again."))
    else:
        messages.error(request, _("The broker does not answer. The job is told to a worker once it does."))


def _cancel(request: PersonRequest) -> None:
    kind, row = _job(request)
    if not kind.cancel(row):
        messages.error(request, _("It has ended in the meantime."))
        return
    kind.enqueue(row.pk)  # if its worker is lost, the next one ends it
    messages.success(request, _("It is cancelled, or ends at its next step."))


def _job(request: PersonRequest) -> tuple[JobKind[Any], Job]:
    kind = JOB_KINDS.get(request.POST.get("kind", ""))
    if kind is None:
        raise Http404
    row: Job | None = kind.model._default_manager.filter(public_id=_id(request)).first()
    if row is None:
        raise Http404
    return kind, row


def _put_back(request: PersonRequest) -> None:
    number = run_sweep.requeue_lapsed_runs()
    run_sweep.enqueue_waiting_runs()
    text = ngettext("%(number)s run goes on.", "%(number)s runs go on.", number)
    messages.success(request, text % {"number": number})


def _cancel_run(request: PersonRequest) -> None:
    if start.cancel_runs([_id(request)]):
        run_sweep.requeue_lapsed_runs()  # its worker is lost: the next one ends it
        messages.success(request, _("It is cancelled, or ends at its next step."))
    else:
        messages.error(request, _("It has ended in the meantime."))


def _retry(request: PersonRequest) -> None:
    method, reason = request.POST.get("method", ""), request.POST.get("reason", "")
    runs = waiting_work.retriable_runs().filter(method=method, reason=reason).order_by("finished_at")
    number = sum(start.retry_run(run) for run in runs.values_list("public_id", flat=True)[:MOST_RETRIED])
    text = ngettext("%(number)s run is queued again.", "%(number)s runs are queued again.", number)
    messages.success(request, text % {"number": number})


def _switch_on(request: PersonRequest) -> None:
    webhook = waiting_work.disabled_webhooks().filter(public_id=_id(request)).select_related("project").first()
    if webhook is None:
        raise Http404
    change.switch_on(None, webhook)
    messages.success(request, _("The webhook is on again; what waits is sent now."))


def _id(request: PersonRequest) -> UUID:
    """Return the id that the form names. Raises Http404 if it names none."""
    try:
        return UUID(request.POST.get("id", ""))
    except ValueError:
        raise Http404 from None
