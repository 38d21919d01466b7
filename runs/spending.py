"""What runs may spend: reserved before each call, settled after it (threats T10).

Three limits: the run's, its project's, the site's of the day. Where project or site has one, it is charged in the
transaction that reserves, so that two runs at once can never go over it together; where neither has, the account is
charged when the answer is saved.
"""

from datetime import UTC, date, datetime
from typing import cast
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Greatest

from runs import calls as statements
from runs.asking import Asking
from runs.calls import Call
from runs.leasing import CancelRequested, LeaseLost, is_held
from runs.models import Account, Run, SiteDay


class BudgetExceeded(Exception):
    """The next call would go over a limit; says which."""


def allow(project: UUID, *, calls: int | None, tokens: int | None) -> None:
    """Set what the project's runs may spend in all; None: no limit."""
    Account.objects.update_or_create(project=project, defaults={"call_limit": calls, "token_limit": tokens})


def reserve(run: Run, asking: Asking, in_flight: dict[str, Call]) -> None:
    """Set aside what the next call of this step may use, and note in `in_flight` that it is under way.

    Raises BudgetExceeded, LeaseLost or CancelRequested; then nothing is set aside.
    """
    tokens = asking.next_call()
    if run.calls + 1 > run.call_limit:
        raise BudgetExceeded(f"This run may make {run.call_limit} calls.")
    if run.tokens + tokens > run.token_limit:
        raise BudgetExceeded(f"This run may use {run.token_limit} tokens; the next call could go over that.")
    if not _reserve_unlimited(run, asking, tokens, in_flight):
        _reserve_limited(run, asking, tokens, in_flight)
    run.calls += 1
    run.tokens += tokens


def settle(run: Run, asking: Asking, *, calls: int = 0) -> None:
    """Charge what the step really used instead of what was reserved; `calls` more or (negative) fewer.

    Within the caller's transaction, which changes the run's own row.
    """
    tokens = asking.used - asking.reserved
    statements.charge(run, asking.unpaid_calls + calls, asking.unpaid_tokens + tokens, within_limits=False)
    if _site_is_limited() and (calls or tokens):
        SiteDay.objects.filter(day=_today()).update(
            # A call that began yesterday must not bring today below nothing.
            calls=Greatest(F("calls") + calls, 0),
            tokens=Greatest(F("tokens") + tokens, 0),
        )


def charge_lost(run: Run) -> None:
    """Charge the account for calls that are under way in a run that ends without their answers."""
    under_way = cast("dict[str, Call]", run.in_flight).values()
    calls = sum(call["unpaid_calls"] for call in under_way)
    if calls:
        tokens = sum(call["unpaid_tokens"] for call in under_way)
        Account.objects.filter(project=run.project).update(calls=F("calls") + calls, tokens=F("tokens") + tokens)


def _reserve_unlimited(run: Run, asking: Asking, tokens: int, in_flight: dict[str, Call]) -> bool:
    if run.is_limited or _site_is_limited():
        return False
    unpaid = asking.under_way() | {
        "unpaid_calls": asking.unpaid_calls + 1,
        "unpaid_tokens": asking.unpaid_tokens + tokens,
    }
    noted = in_flight | {asking.step.key: unpaid}
    if not statements.begin(run, 1, tokens, noted, unlimited_only=True):
        return False
    asking.unpaid_calls += 1
    asking.unpaid_tokens += tokens
    in_flight.update(noted)
    return True


def _reserve_limited(run: Run, asking: Asking, tokens: int, in_flight: dict[str, Call]) -> None:
    noted = in_flight | {asking.step.key: asking.under_way()}
    with transaction.atomic():
        if not statements.begin(run, 1, tokens, noted, unlimited_only=False):
            raise CancelRequested if is_held(run) else LeaseLost
        if not statements.charge(run, 1, tokens, within_limits=True):
            raise BudgetExceeded("The project's budget for model calls is used up.")
        if _site_is_limited():
            _charge_site(tokens)
    run.is_limited = True
    in_flight.update(noted)


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
    return datetime.now(UTC).date()
