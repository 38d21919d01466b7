"""Pauses of providers that serve nobody for now (bad key, no quota, open circuit breaker), and of single models (L12).

The runs that need what is paused wait. A run that brought a pause about waits behind all others, and fails with its
third: it may be the fault of its post that nobody else is served.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast, Now

from runs.domain.states import RunState
from runs.models import Pause, Run
from runs.sql.database_clock import seconds_from_now

LINGER = 90
"""Seconds for which a pause is shown after its end, until the next attempt renews it or not."""
MOST_CAUSED = 3
"""A run fails with so many pauses that it brought about."""
BEHIND = 1.0
"""Seconds by which a run waits longer than others for each pause that it brought about."""


@dataclass(frozen=True)
class PauseInForce:
    """A pause in force, with the number of runs that wait for its end. `model` is empty for a whole provider."""

    provider: str
    detail: str
    since: datetime
    until: datetime
    waiting: int
    model: str = ""

    @property
    def name(self) -> str:
        """What is paused: `provider`, or `provider:model`."""
        return self.model or self.provider

    def holds(self, plan: Mapping[str, str]) -> bool:
        """Return whether a run with this plan of models needs what is paused."""
        if self.model:
            return self.model in plan.values()
        return any(name.partition(":")[0] == self.provider for name in plan.values())

    @property
    def sentence(self) -> str:
        """What a command says of it."""
        return f"{self.name} is paused until {self.until:%H:%M:%S} UTC: {self.detail}"


def pause_provider(provider: str, detail: str, seconds: float, *, model: str = "") -> bool:
    """Record that the provider, or this `provider:model`, serves nobody for `seconds`, and let its queued runs wait.

    Returns False if it was paused already, so that whoever met it did not bring it about.
    """
    until = seconds_from_now(seconds)
    stored = {"detail": detail[:500], "until": until}
    with transaction.atomic():
        is_new = not Pause.objects.filter(provider=provider, model=model, until__gt=Now()).update(**stored)
        if is_new:
            Pause.objects.update_or_create(
                provider=provider, model=model, defaults=stored, create_defaults={**stored, "since": Now()}
            )
    for caused in range(MOST_CAUSED):
        later = seconds_from_now(seconds + caused * BEHIND)
        _waiting_for(provider, model).filter(pauses_caused=caused, not_before__lt=later).update(not_before=later)
    return is_new


def pauses_in_force() -> list[PauseInForce]:
    """Return the pauses that admins have to know of, oldest first."""
    return [
        PauseInForce(
            pause.provider,
            pause.detail,
            pause.since,
            pause.until,
            _waiting_for(pause.provider, pause.model).count(),
            pause.model,
        )
        for pause in Pause.objects.filter(until__gt=seconds_from_now(-LINGER)).order_by("since")
    ]


def are_all_held(runs: QuerySet[Run]) -> bool:
    """Return whether all of these runs that are queued need what is paused."""
    pauses = pauses_in_force()
    plans = runs.filter(state=RunState.QUEUED).order_by().values_list("model_plan", flat=True).distinct()
    return bool(pauses) and all(any(pause.holds(plan) for pause in pauses) for plan in plans.iterator())


def delete_ended_pauses() -> int:
    """Delete pauses that ended and were not renewed. Return how many."""
    return Pause.objects.filter(until__lte=seconds_from_now(-LINGER)).delete()[0]


def _waiting_for(provider: str, model: str) -> QuerySet[Run]:
    """Return the queued runs that begin at the provider, or that need the model anywhere."""
    queued = Run.objects.filter(state=RunState.QUEUED)
    if not model:
        return queued.filter(provider=provider)
    quoted = json.dumps(model, ensure_ascii=connection.vendor != "postgresql")
    return queued.annotate(plan=Cast("model_plan", TextField())).filter(plan__contains=quoted)
