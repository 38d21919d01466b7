"""What runs may spend: reserved before each call, settled after it (threats T10).

There are three limits: the run's, its project's, and the site's for the day. If the project or the site has one, the
transaction that reserves a call also charges the account, so that two runs at once cannot exceed the limit together.
Without one, only the run's own row is charged, and the account once, when the run stops working: otherwise sixty runs
of one project would queue for that one row with every call. `queue.progress.project_spending` adds what is reserved.
"""

import math
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

from runs.domain.states import RunState
from runs.execution.early_end import NOTHING_KEPT, Kept, Room
from runs.models import Account, Run, SiteDay
from runs.queue import call_sql
from runs.queue.call_sql import CallUnderWay
from runs.queue.lease import CancelRequested, LeaseLost, holds_lease

if TYPE_CHECKING:  # a command that sets a limit needs none of the forms of answers
    from runs.execution.step import PendingStep

_USED_UP = "The project's budget for model calls is used up."


class BudgetExceeded(Exception):
    """The next call would exceed a limit; the message says which. `limit` names it: calls, tokens, or budget."""

    def __init__(self, message: str, limit: str = "budget") -> None:
        super().__init__(message)
        self.limit = limit


def set_project_limits(project: UUID, *, calls: int | None, tokens: int | None) -> None:
    """Set what the project's runs may spend in all; None is no limit. Runs at work count from now on with each call."""
    limits = {"call_limit": calls, "token_limit": tokens}
    account = Account.objects.filter(project=project)
    if account.filter(**limits).exists():
        return
    with transaction.atomic():
        # Lock runs before the account, in the same order as everywhere.
        running = Run.objects.select_for_update().filter(project=project, state=RunState.RUNNING).order_by("pk")
        keys = list(running.values_list("pk", flat=True))
        if not account.update(**limits):
            Account.objects.update_or_create(project=project, defaults=limits)
        for run_id in keys:
            call_sql.charge_remaining(run_id)


def with_next_call(pending: "PendingStep", in_flight: Mapping[str, CallUnderWay]) -> dict[str, CallUnderWay]:
    """Return the calls under way, including the call that this step counted last."""
    return {**in_flight, pending.step.key: pending.call_under_way()}


def room_of(run: Run) -> Room:
    """Return what the run may still use by its own limits, its project's and the site's."""
    room = Room(run.call_limit - run.calls, run.token_limit - run.tokens)
    account = Account.objects.filter(pk=run.account_id).exclude(call_limit=None, token_limit=None).first()
    if account is not None:
        room = room.within(_left(account.call_limit, account.calls), _left(account.token_limit, account.tokens))
    if _site_is_limited():
        day = SiteDay.objects.filter(day=_today()).first() or SiteDay()
        most_calls, most_tokens = settings.RUN_SITE_CALLS_A_DAY or None, settings.RUN_SITE_TOKENS_A_DAY or None
        room = room.within(_left(most_calls, day.calls), _left(most_tokens, day.tokens))
    return room


def _left(limit: int | None, used: int) -> float:
    return math.inf if limit is None else limit - used


def may_call_again(run: Run, tokens: int, kept: Kept = NOTHING_KEPT) -> bool:
    """Return whether the run's own limits allow `tokens` more and no project or site limit is known to count."""
    within = run.calls + kept.calls < run.call_limit and run.tokens + tokens + kept.tokens <= run.token_limit
    return within and not (run.is_limited or _site_is_limited())


def reserve_call(
    run: Run, pending: "PendingStep", tokens: int, in_flight: dict[str, CallUnderWay], kept: Kept = NOTHING_KEPT
) -> None:
    """Reserve the tokens that the step's next call may use, and record the call in `in_flight`.

    What is `kept` for the end of the run is not touched, as far as the run's own limits go.

    Raises BudgetExceeded, LeaseLost or CancelRequested if nothing is reserved.
    """
    if run.calls + 1 + kept.calls > run.call_limit:
        raise BudgetExceeded(f"This run has used up its calls (at most {run.call_limit:,}).", "calls")
    if run.tokens + tokens + kept.tokens > run.token_limit:
        raise BudgetExceeded(f"This run may use {run.token_limit} tokens; the next call could go over that.", "tokens")
    under_way = with_next_call(pending, in_flight)
    limited = run.is_limited or _site_is_limited()
    if limited or not call_sql.begin_call(run, tokens, under_way, charged=False):
        _reserve_limited(run, pending, tokens, under_way)
    in_flight.update(under_way)
    run.calls += 1
    run.tokens += tokens


def settle_charged_step(run: Run, pending: "PendingStep", *, calls: int = 0) -> None:
    """Charge the account for what a step really used instead of what was reserved, and for `calls` more or fewer.

    Runs in the caller's transaction, which books the same on the run's row.
    """
    tokens = pending.used - pending.reserved
    call_sql.charge_account(run.account_id, calls, tokens, within_limits=False)
    _charge_site_anyway(calls, tokens)


def reserve_call_without_run(project: UUID, tokens: int) -> None:
    """Reserve a call that belongs to no run.

    Raises BudgetExceeded if nothing is reserved.
    """
    account = Account.objects.get_or_create(project=project)[0].pk
    with transaction.atomic():
        if not call_sql.charge_account(account, 1, tokens, within_limits=True):
            raise BudgetExceeded(_USED_UP)
        if _site_is_limited():
            _charge_site(tokens)


def refund_call_without_run(project: UUID, tokens: int) -> None:
    """Refund a call that `reserve_call_without_run` reserved and that brought nothing."""
    with transaction.atomic():
        Account.objects.filter(project=project).update(calls=F("calls") - 1, tokens=F("tokens") - tokens)
        _charge_site_anyway(-1, -tokens)


def _charge_site_anyway(calls: int, tokens: int) -> None:
    if _site_is_limited() and (calls or tokens):
        SiteDay.objects.filter(day=_today()).update(
            # A call that began yesterday must not make today negative.
            calls=Greatest(F("calls") + calls, 0),
            tokens=Greatest(F("tokens") + tokens, 0),
        )


def _reserve_limited(run: Run, pending: "PendingStep", tokens: int, under_way: dict[str, CallUnderWay]) -> None:
    with transaction.atomic():
        if not call_sql.begin_call(run, tokens, under_way, charged=True):
            raise CancelRequested if holds_lease(run) else LeaseLost
        if not call_sql.charge_account(run.account_id, 1, tokens, within_limits=True):
            raise BudgetExceeded(_USED_UP)
        if _site_is_limited():
            _charge_site(tokens)
    run.is_limited = pending.charged = True


def _charge_site(tokens: int) -> None:
    day = SiteDay.objects.filter(day=_today())
    if not day.exists():
        _open_day()
    if settings.RUN_SITE_CALLS_A_DAY:
        day = day.filter(calls__lt=settings.RUN_SITE_CALLS_A_DAY)
    if settings.RUN_SITE_TOKENS_A_DAY:
        day = day.filter(tokens__lte=settings.RUN_SITE_TOKENS_A_DAY - tokens)
    if not day.update(calls=F("calls") + 1, tokens=F("tokens") + tokens):
        raise BudgetExceeded("The site's budget of today for model calls is used up.")


def _open_day() -> None:
    try:
        with transaction.atomic():
            SiteDay.objects.create(day=_today())
    except IntegrityError:
        pass  # another worker opened it


def _site_is_limited() -> bool:
    return bool(settings.RUN_SITE_CALLS_A_DAY or settings.RUN_SITE_TOKENS_A_DAY)


def _today() -> date:
    return timezone.now().date()
