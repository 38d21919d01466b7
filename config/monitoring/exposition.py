"""One scrape: what the processes of this machine counted, and what the database and the broker hold now."""

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from annotation.core import database_faults
from annotation.operations import waiting_work
from annotation.operations.waiting_work import Work
from config.models import BACKUP, Pulse
from config.monitoring.model_labels import model_label
from runs.queue import provider_pauses, task_messages, worker_load
from runs.sql import read_replica

_OF_WORK = {
    "waiting": "Work that is due and that no worker has begun.",
    "later": "Work that waits for a busy provider, or for a receiver that failed.",
    "working": "Work that a worker has begun.",
    "oldest": "Seconds for which the oldest work that is due waits.",
    "stuck": "Work whose worker shows no sign of life; webhooks that were switched off.",
    "failed": "Work that failed or was given up within a day.",
}


def scrape(accept: str) -> tuple[bytes, str]:
    """Return the figures in the form that the header Accept prefers, and its content type."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(settings.METRICS_FOLDER))  # type: ignore[no-untyped-call]  # has no types
    registry.register(SiteFigures())
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


class SiteFigures(Collector):
    """Gauges that are read at each scrape. They are the site's: every machine of it gives the same ones."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the figures of the database, if it answers, and those of the broker, if it answers."""
        began = time.perf_counter()
        try:
            figures = list(_of_database())
        except (DatabaseError, InterfaceError):
            figures = []
        yield _gauge("database_up", "Whether the database answers.", bool(figures))
        yield from figures
        lengths = task_messages.queue_lengths()
        yield _gauge("broker_up", "Whether the broker answers.", lengths is not None)
        help_text = "Messages in the broker's queues; the work itself is in rows."
        yield _by("broker_messages", help_text, "queue", lengths or {})
        yield from _of_disks()
        yield _gauge("figures_seconds", "Seconds to read these gauges.", time.perf_counter() - began)


def _of_database() -> Iterator[GaugeMetricFamily]:
    work = waiting_work.read_work()
    for figure, help_text in _OF_WORK.items():
        name = f"work_{figure}_seconds" if figure == "oldest" else f"work_{figure}"
        yield _by(name, help_text, "kind", _figure_of(work, figure))
    reports = waiting_work.read_reports()
    yield _gauge("reports_waiting", "Posts reported as illegal that wait for an admin's answer.", reports.posts)
    yield _gauge("reports_oldest_seconds", "Seconds since the first report that waits.", reports.oldest)
    delays = list(worker_load.living_workers().values_list("delay", flat=True))
    yield _gauge("workers", "Processes that work and live.", len(delays))
    yield _gauge("worker_delay_seconds", "Seconds by which the latest of them woke too late.", max(delays, default=0))
    yield _by("queue_readers", "Workers that take from each queue.", "queue", worker_load.queue_readers())
    yield _age_of("worker", "sweep_age_seconds", "Seconds since the last sweep.")
    yield _age_of(BACKUP, "backup_age_seconds", "Seconds since the last backup by `manage.py backup` ended.")
    yield _gauge("database_writable", "Whether the database takes writes.", database_faults.takes_writes())
    if (lag := read_replica.lag()) is not None:
        yield _gauge("replica_lag_seconds", "Seconds by which the replica is behind.", lag)
    pauses: dict[str, float] = {}
    for pause in provider_pauses.pauses_in_force():
        name = model_label(pause.name)
        pauses[name] = pauses.get(name, 0.0) + pause.waiting
    yield _by(
        "provider_paused_runs",
        "Runs that wait for a provider or a model that serves nobody.",
        "provider",
        pauses,
    )


def _age_of(part: str, name: str, help_text: str) -> GaugeMetricFamily:
    age = Pulse.age(part)
    return _gauge(name, help_text, math.inf if age is None else age)


def _of_disks() -> Iterator[GaugeMetricFamily]:
    """Yield what is free in the folders that grow. A folder that is not there, or not reached, has no figure."""
    free, size = {}, {}
    folders: dict[str, Path | str] = {"files": settings.MEDIA_ROOT, "var": settings.VAR_DIR, "tmp": gettempdir()}
    for name, folder in folders.items():
        with suppress(OSError):
            size[name], _used, free[name] = disk_usage(folder)
    yield _by("disk_free_bytes", "What the site may still write into the file system of a folder.", "folder", free)
    yield _by("disk_size_bytes", "The size of the file system of a folder.", "folder", size)


def _figure_of(work: Iterable[Work], figure: str) -> dict[str, float]:
    return {kind.kind: float(getattr(kind, figure)) for kind in work}


def _gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"interplay_{name}", help_text, value=float(value))


def _by(name: str, help_text: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"interplay_{name}", help_text, labels=[label])
    for value, number in values.items():
        family.add_metric([value], float(number))
    return family
