"""The queries of the dashboard and of the alerts, and what they name."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings

DASHBOARD = Path(settings.BASE_DIR) / "deploy" / "grafana" / "interplay.json"
ALERTS = Path(settings.BASE_DIR) / "deploy" / "prometheus" / "alerts.yml"
_METRIC = re.compile(r"\b(interplay_\w+)(?:\{([^}]*)\})?")
_GROUPED = re.compile(r"\bby \(([^)]*)\)")
_COMPARED = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
_LEGEND = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def queries_of_the_dashboard() -> Iterator[tuple[str, str, str]]:
    """Yield each panel's title with its queries and their legends."""
    for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"], target["legendFormat"]


def alerts() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


def metrics_in(query: str) -> set[str]:
    return {name for name, _labels in _METRIC.findall(query)}


def labels_in(query: str) -> set[str]:
    """Return the labels that a query groups by or compares."""
    grouped = {label.strip() for labels in _GROUPED.findall(query) for label in labels.split(",")}
    return grouped | {label for _name, labels in _METRIC.findall(query) for label in _COMPARED.findall(labels)}


def labels_in_legend(legend: str) -> set[str]:
    return set(_LEGEND.findall(legend))
