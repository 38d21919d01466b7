"""Dashboard, alerts and document name figures that the site has, with the labels that these have."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from prometheus_client import Histogram

from config.monitoring import counters
from config.monitoring.exposition import SiteFigures
from promql import DASHBOARD, alerts, labels_in, labels_in_legend, metrics_in, queries_of_the_dashboard
from runs.models import Pause
from runs.sql import read_replica

pytestmark = [pytest.mark.django_db, pytest.mark.once]

OF_PROMETHEUS = 'up{job="interplay"} == 0'
"""Prometheus itself counts which servers answer it. docs/monitoring.md gives the job its name."""
QUERIES = [*queries_of_the_dashboard(), *((rule["alert"], rule["expr"], "") for rule in alerts())]


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """The names of all time series of the site with their labels."""
    series: dict[str, set[str]] = {}
    for metric in counters.ALL:
        labels = set(metric._labelnames)
        if isinstance(metric, Histogram):
            series |= {f"{metric._name}_bucket": {*labels, "le"}}
            series |= {f"{metric._name}_{part}": labels for part in ("count", "sum")}
        else:
            series[f"{metric._name}_total"] = labels
    monkeypatch.setattr(read_replica, "lag", lambda: 0.0)  # a site that has one
    Pause.objects.create(provider="openai", detail="", until="2100-01-01T00:00Z")
    for family in SiteFigures().collect():
        assert family.samples, f"{family.name} has no sample to read its labels from"
        series[family.name] = set(family.samples[0].labels)
    return series


@pytest.mark.parametrize(("title", "query", "legend"), QUERIES)
def test_every_query_names_figures_and_labels_that_exist(exported, title, query, legend):
    named = metrics_in(query)
    if query == OF_PROMETHEUS:
        return
    assert named, f"{title} asks for no figure of the site"
    assert named <= exported.keys(), title
    labels = set.union(*(exported[name] for name in named))
    assert labels_in(query) | labels_in_legend(legend) <= labels, title


def test_every_figure_of_the_site_is_on_the_dashboard(exported):
    shown = set.union(*(metrics_in(query) for _title, query, _legend in queries_of_the_dashboard()))
    parts_of_shown = {f"{name.rpartition('_')[0]}_{part}" for name in shown for part in ("sum", "count")}
    assert exported.keys() - shown - parts_of_shown == set()


def test_panels_have_ids_of_their_own_and_do_not_overlap():
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and all(x < 24 for x, _y in cells), panel["title"]
        taken |= cells


def test_the_document_names_every_figure_and_no_other(exported):
    text = (Path(settings.BASE_DIR) / "docs" / "monitoring.md").read_text(encoding="utf-8")
    named = set(re.findall(r"interplay_\w+", text))
    named |= {f"interplay_work_{rest}" for rest in re.findall(r"`…_(\w+)`", text)}
    bare = {re.sub(r"_(bucket|count|sum)$", "", name) for name in exported}
    assert bare - named == set()
    assert named - bare == set()


def test_the_document_names_every_alert_and_no_other():
    text = (Path(settings.BASE_DIR) / "docs" / "monitoring.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"`(Interplay\w+)`", text)) == sorted(rule["alert"] for rule in alerts())
