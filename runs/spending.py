"""What runs may spend: reserved before each call, settled after it (threats T10).

Three limits: the run's, its project's, the site's of the day. Where project or site has one, it is charged in the
transaction that reserves, so that two runs at once can never go over it together. Where neither has, only the run's
own row counts, and the account is charged once, when the run stops working: sixty runs of one project would otherwise
queue up for that one row with every call. `queue.spend` adds what is on the way.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Greatest

from runs import calls as statements
from runs.asking import Asking
from runs.calls import Call
from runs.domain.states import RunState
from runs.leasing import CancelRequested, LeaseLost, is_held
from runs.models import Account, Run, SiteDay

_USED_UP = "The project's budget for model calls is used up."


class BudgetExceeded(Exception):
    """The next call would go over a limit; says which."""


def allow(project: UUID, *, calls: int | None, tokens: int | None) -> None:
    """Set what the project's runs may spend in all; None: no limit. Runs at work count from now on with each call."""
    limits = {"call_limit": calls, "token_limit": tokens}
    known = Account.objects.filter(project=project)
    if known.filter(**limits).exists():
        return
    with transaction.atomic():
        # Runs before the account, as everywhere.
        at_work = Run.objects.select_for_update().filter(project=project, state=RunState.RUNNING).order_by("pk")
        keys = list(at_work.values_list("pk", flat=True))
        if not known.update(**limits):
            Account.objects.update_or_create(project=project, defaults=limits)
        for run_id in keys:
            statements.charge_rest(run_id)


def noted(asking: Asking, in_flight: Mapping[str, Call]) -> dict[str, Call]:
    """What is under way once the call that this step counted last is made."""
    return {**in_flight, asking.step.key: asking.under_way()}


def may_go_on(run: Run, tokens: int) -> bool:
    """Whether the run's own limits allow a call that brings it so many tokens, and no other is known to count."""
    within = run.calls < run.call_limit and run.tokens + tokens <= run.token_limit
    return within and not (run.is_limited or _site_is_limited())


def reserve(run: Run, asking: Asking, tokens: int, in_flight: dict[str, Call]) -> None:
    """Set aside the tokens that the next call of this step may use, and note in `in_flight` that it is under way.

    Raises BudgetExceeded, LeaseLost or CancelRequested; then nothing is set aside.
    """
    if run.calls + 1 > run.call_limit:
        raise BudgetExceeded(f"This run may make {run.call_limit} calls.")
    if run.tokens + tokens > run.token_limit:
        raise BudgetExceeded(f"This run may use {run.token_limit} tokens; the next call could go over that.")
    under_way = noted(asking, in_flight)
    limited = run.is_limited or _site_is_limited()
    if limited or not statements.begin(run, tokens, under_way, charged=False):
        _reserve_limited(run, asking, tokens, under_way)
    in_flight.update(under_way)
    run.calls += 1
    run.tokens += tokens


def settle(run: Run, asking: Asking, *, calls: int = 0) -> None:
    """Charge what a limited step really used instead of what was reserved; `calls` more or (negative) fewer.

    Within the caller's transaction, which has booked the same on the run's own row.
    """
    tokens = asking.used - asking.reserved
    statements.charge(run.account_id, calls, tokens, within_limits=False)
    _charge_site_anyway(calls, tokens)


def spend(project: UUID, tokens: int) -> None:
    """Set aside a call that belongs to no run; raises BudgetExceeded, then nothing is set aside."""
    account = Account.objects.get_or_create(project=project)[0].pk
    with transaction.atomic():
        if not statements.charge(account, 1, tokens, within_limits=True):
            raise BudgetExceeded(_USED_UP)
        if _site_is_limited():
            _charge_site(tokens)


def give_back(project: UUID, tokens: int) -> None:
    """Give a call back that `spend` set aside and that brought nothing."""
    with transaction.atomic():
        Account.objects.filter(project=project).update(calls=F("calls") - 1, tokens=F("tokens") - tokens)
        _charge_site_anyway(-1, -tokens)


def _charge_site_anyway(calls: int, tokens: int) -> None:
    if _site_is_limited() and (calls or tokens):
        SiteDay.objects.filter(day=_today()).update(
            # A call that began yesterday must not bring today below nothing.
            calls=Greatest(F("calls") + calls, 0),
            tokens=Greatest(F("tokens") + tokens, 0),
        )


def _reserve_limited(run: Run, asking: Asking, tokens: int, under_way: dict[str, Call]) -> None:
    with transaction.atomic():
        if not statements.begin(run, tokens, under_way, charged=True):
            raise CancelRequested if is_held(run) else LeaseLost
        if not statements.charge(run.account_id, 1, tokens, within_limits=True):
            raise BudgetExceeded(_USED_UP)
        if _site_is_limited():
            _charge_site(tokens)
    run.is_limited = asking.charged = True


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
