"""Use a site whose clock a test sets. Called in a process of that site, which goes by the same clock."""

from typing import Any

import site_visitors
from annotation.models import Label, Project
from annotation.operations.audit import audits
from annotation.priors.requests import request_missing
from config.models import Pulse
from runs.models import Run

fill = site_visitors.fill


def last_sweep() -> float:
    """Return when the last sweep began, by the database's clock."""
    began = Pulse.last("sweep")
    assert began is not None
    return began.timestamp()


def start_runs(slug: str) -> None:
    """Queue the runs of a new project of three posts for the workers."""
    fill(slug, 3, 1)
    request_missing(Project.objects.get(slug=slug), ring=True)


def states_of_runs() -> list[str]:
    """Return the states that runs have."""
    return [*Run.objects.values_list("state", flat=True).order_by("state").distinct()]


def label_keys() -> list[Any]:
    """Return the keys of the forms whose labels are stored."""
    return [str(key) for key in Label.objects.values_list("client_key", flat=True)]


def audit() -> list[str]:
    """Return what is lost, doubled or orphaned in any project."""
    return [problem for project in audits() for problem in project.problems]
