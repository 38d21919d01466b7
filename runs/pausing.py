"""Providers that serve nobody for now (bad key, no quota, breaker open): their runs wait, and admins see why (L12)."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Now

from runs import leasing
from runs.domain.states import RunState
from runs.models import Pause, Run

LINGER = 90
"""A pause is shown for so many seconds after its end: the next attempt renews it or lets it lapse."""


@dataclass(frozen=True)
class Paused:
    """A pause in force, with the number of runs that wait for its end."""

    provider: str
    detail: str
    since: datetime
    until: datetime
    waiting: int


def pause(provider: str, detail: str, seconds: float) -> None:
    """Note that the provider serves nobody for so many seconds, and let its queued runs wait until then."""
    until = leasing.in_seconds(seconds)
    Pause.objects.update_or_create(
        provider=provider,
        defaults={"detail": detail[:500], "until": until},
        create_defaults={"detail": detail[:500], "until": until, "since": Now()},
    )
    Run.objects.filter(provider=provider, state=RunState.QUEUED, not_before__lt=until).update(not_before=until)


def in_force() -> list[Paused]:
    """The pauses that admins have to know of, oldest first."""
    return [
        Paused(
            pause.provider,
            pause.detail,
            pause.since,
            pause.until,
            Run.objects.filter(provider=pause.provider, state=RunState.QUEUED).count(),
        )
        for pause in Pause.objects.filter(until__gt=leasing.in_seconds(-LINGER)).order_by("since")
    ]


def forget_old() -> int:
    """Remove pauses that ended and were not renewed; answers how many."""
    return Pause.objects.filter(until__lte=leasing.in_seconds(-LINGER)).delete()[0]
