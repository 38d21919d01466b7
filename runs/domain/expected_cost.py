"""What runs take before they start: calls at most, tokens and money by what earlier calls took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_MILLION = 1_000_000


@dataclass(frozen=True)
class CallSize:
    """The tokens of one call. `measured`: the mean of earlier calls; else it is assumed."""

    input_tokens: float
    output_tokens: float
    measured: bool = True


ASSUMED = CallSize(1500, 400, measured=False)
"""A prompt with its rules and a post, and a short structured answer."""


@dataclass(frozen=True)
class ArmCalls:
    """The calls of runs of a kind: for each run, how often each role is asked at most, of which model, and how much."""

    name: str
    runs: int
    calls: Mapping[str, float]
    models: Mapping[str, str]
    sizes: Mapping[str, CallSize]
    shared: bool = False
    """Whether it judges the debate of another line and asks its judge alone."""


@dataclass(frozen=True)
class ExpectedSpending:
    """Calls, tokens and money of one line or of all. The cost is None if a model has no price."""

    runs: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    unpriced: tuple[str, ...]
    assumed: bool
    """Whether the tokens of some role are assumed, because no earlier call says how many it takes."""


def expected_spending(arm: ArmCalls, prices: Mapping[str, tuple[float, ...]]) -> ExpectedSpending:
    """Return what the line takes; `prices` are for a million tokens in and out, by model."""
    tokens_in = tokens_out = cost = 0.0
    unpriced = set()
    for role, calls in arm.calls.items():
        size, model = arm.sizes.get(role, ASSUMED), arm.models.get(role, "")
        given, taken = (arm.runs * calls * tokens for tokens in (size.input_tokens, size.output_tokens))
        tokens_in, tokens_out = tokens_in + given, tokens_out + taken
        if model in prices:
            cost += (given * prices[model][0] + taken * prices[model][1]) / _MILLION
        elif not model.startswith("keyword:"):
            unpriced.add(model)
    return ExpectedSpending(
        runs=arm.runs,
        calls=round(arm.runs * sum(arm.calls.values())),
        input_tokens=round(tokens_in),
        output_tokens=round(tokens_out),
        cost=None if unpriced else cost,
        unpriced=tuple(sorted(unpriced)),
        assumed=any(not arm.sizes.get(role, ASSUMED).measured for role in arm.calls),
    )


def total_spending(parts: Sequence[ExpectedSpending]) -> ExpectedSpending:
    """Return the sum of all lines."""
    costs = [part.cost for part in parts]
    return ExpectedSpending(
        runs=sum(part.runs for part in parts),
        calls=sum(part.calls for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        cost=None if None in costs else sum(cost or 0.0 for cost in costs),
        unpriced=tuple(sorted({name for part in parts for name in part.unpriced})),
        assumed=any(part.assumed for part in parts),
    )
