"""What tests of metrics share: counters of their own, and a scrape as Prometheus reads it."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings as site_settings
from prometheus_client.parser import text_string_to_metric_families

from annotation.core import signals as acts
from config.monitoring import counter_files, counters, exposition
from runs import signals as runs

Figures = dict[str, float]
"""Samples of a scrape: `name{label=value,…}`, the labels in the order of their names, → value."""


def _forget() -> None:
    """Forget the numbers of this process, so that they are opened anew in another folder."""
    for metric in counters.ALL:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nothing is said to other processes, and need not be
            metric.clear()


@pytest.fixture
def counted(tmp_path: Path, settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Figures]]:
    """Count in a folder of this test's own. Return a function that scrapes."""
    monkeypatch.setenv(counter_files.FOLDER_VARIABLE, "")
    settings.METRICS_FOLDER = tmp_path
    _forget()
    counter_files.use_folder(tmp_path)
    counters.listen()
    yield scraped
    for signal in (acts.seat_claimed, acts.label_stored, runs.call_ended, runs.run_ended):
        signal.receivers.clear()
        signal.sender_receivers_cache.clear()
    _forget()
    counter_files.use_folder(site_settings.VAR_DIR / "metrics")


def scraped() -> Figures:
    text, _content_type = exposition.scrape("")
    return {
        f"{sample.name}{{{','.join(f'{name}={value}' for name, value in sorted(sample.labels.items()))}}}": sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }
