"""Pauses of providers that serve nobody for now (bad key, no quota, open circuit breaker): their runs wait (L12)."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models.functions import Now

from runs.domain.states import RunState
from runs.models import Pause, Run
from runs.sql.database_clock import seconds_from_now

LINGER = 90
"""Seconds for which a pause is shown after its end, until the next attempt renews it or not."""


@dataclass(frozen=True)
class PauseInForce:
    """A pause in force, with the number of runs that wait for its end."""

    provider: str
    detail: str
    since: datetime
    until: datetime
    waiting: int


def pause_provider(provider: str, detail: str, seconds: float) -> None:
    """Record that the provider serves nobody for `seconds`, and let its queued runs wait until then."""
    until = seconds_from_now(seconds)
    Pause.objects.update_or_create(
        provider=provider,
        defaults={"detail": detail[:500], "until": until},
        create_defaults={"detail": detail[:500], "until": until, "since": Now()},
    )
    Run.objects.filter(provider=provider, state=RunState.QUEUED, not_before__lt=until).update(not_before=until)


def pauses_in_force() -> list[PauseInForce]:
    """Return the pauses that admins have to know of, oldest first."""
    return [
        PauseInForce(
            pause.provider,
            pause.detail,
            pause.since,
            pause.until,
            Run.objects.filter(provider=pause.provider, state=RunState.QUEUED).count(),
        )
        for pause in Pause.objects.filter(until__gt=seconds_from_now(-LINGER)).order_by("since")
    ]


def delete_ended_pauses() -> int:
    """Delete pauses that ended and were not renewed. Return how many."""
    return Pause.objects.filter(until__lte=seconds_from_now(-LINGER)).delete()[0]
