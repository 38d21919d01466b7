"""What the processes count: requests, claims, labels, model calls. Loaded only where METRICS_… switches it on.

No label has values without bound: views, roles, methods and outcomes are names in the code, models are those that the
settings name. People, projects and posts are in no label.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.dispatch import Signal
from prometheus_client import CollectorRegistry, Counter, Histogram

from annotation.core import signals as acts
from config.monitoring import counter_files
from config.monitoring.model_labels import model_label
from runs import signals as runs
from runs.domain.prices import Prices, cost_of

counter_files.use_folder(settings.METRICS_FOLDER)

# What the numbers of this process alone are registered in; a scrape reads the files of all processes.
_OWN = CollectorRegistry()

REQUESTS = Counter(
    "interplay_http_requests", "Requests answered, by name of the view.", ("view", "method", "status"), registry=_OWN
)
REQUEST_SECONDS = Histogram(
    "interplay_http_request_seconds",
    "Seconds until the answer of a request began.",
    ("view",),
    buckets=(0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30),
    registry=_OWN,
)
CLAIMS = Counter("interplay_claims", "Seats given to annotators.", ("ahead",), registry=_OWN)
LABELS = Counter("interplay_labels", "Seats filled with a label.", ("closed",), registry=_OWN)
CALLS = Counter(
    "interplay_model_calls", "Calls of providers that came to an end.", ("role", "model", "outcome"), registry=_OWN
)
CALL_SECONDS = Histogram(
    "interplay_model_call_seconds",
    "Seconds of the model calls that brought a reply.",
    ("model",),
    buckets=(0.5, 1, 2.5, 5, 10, 30, 60, 120, 240),
    registry=_OWN,
)
REFUSALS = Counter("interplay_model_refusals", "Calls that a model or provider refused.", ("model",), registry=_OWN)
TOKENS = Counter("interplay_model_tokens", "Tokens of replies.", ("model", "direction"), registry=_OWN)
SPEND = Counter(
    "interplay_model_spend", "Cost of replies, in the currency of MODEL_PRICES.", ("model", "currency"), registry=_OWN
)
RUNS_ENDED = Counter("interplay_runs_ended", "Runs that a worker ended.", ("method", "state"), registry=_OWN)
ALL = (REQUESTS, REQUEST_SECONDS, CLAIMS, LABELS, CALLS, CALL_SECONDS, REFUSALS, TOKENS, SPEND, RUNS_ENDED)


def listen() -> None:
    """Count what the signals of the apps tell."""
    listeners: Mapping[Signal, Any] = {
        acts.seat_claimed: _count_claim,
        acts.label_stored: _count_label,
        runs.call_ended: _count_call,
        runs.run_ended: _count_run,
    }
    for signal, listener in listeners.items():
        signal.connect(listener, dispatch_uid=f"{__name__}.{listener.__name__}")


def _count_claim(ahead: bool, **_: Any) -> None:
    CLAIMS.labels(_word(ahead)).inc()


def _count_label(closed: bool, **_: Any) -> None:
    LABELS.labels(_word(closed)).inc()


def _word(fact: bool) -> str:
    return "yes" if fact else "no"


def _count_call(role: str, model: str, outcome: str, reply: Any, **_: Any) -> None:
    name = model_label(model)
    CALLS.labels(role, name, outcome).inc()
    if outcome in ("refused", "provider_blocked"):
        REFUSALS.labels(name).inc()
    if reply is None:
        return
    usage = reply.usage
    CALL_SECONDS.labels(name).observe(reply.seconds)
    TOKENS.labels(name, "in").inc(usage.input_tokens)
    TOKENS.labels(name, "out").inc(usage.output_tokens)
    prices: Prices = settings.MODEL_PRICES
    if model in prices:
        cost: Decimal = cost_of(prices[model], usage.input_tokens, usage.output_tokens, usage.cached_tokens).amount
        SPEND.labels(name, settings.MODEL_PRICE_CURRENCY).inc(float(cost))


def _count_run(run: Any, state: str, **_: Any) -> None:
    RUNS_ENDED.labels(run.method, str(state)).inc()
