"""What a study is expected to take, worked by hand."""

import pytest

from runs.domain.expected_cost import ArmCalls, CallSize, expected_spending, total_spending

COURT = ArmCalls(
    "court",
    runs=60,
    calls={"prosecutor": 3, "judge": 1},
    models={"prosecutor": "a:small", "judge": "a:big"},
    sizes={"prosecutor": CallSize(1000, 200), "judge": CallSize(3000, 100)},
)
PRICES = {"a:small": (1.0, 2.0), "a:big": (10.0, 20.0)}


def test_calls_tokens_and_money_by_hand() -> None:
    # Each run: 3·(1000 in, 200 out) and (3000 in, 100 out); 60 runs.
    spending = expected_spending(COURT, PRICES)
    assert (spending.runs, spending.calls) == (60, 240)
    assert (spending.input_tokens, spending.output_tokens) == (360_000, 42_000)
    # 180,000·1 + 36,000·2 = 252,000; 180,000·10 + 6,000·20 = 1,920,000; over a million.
    assert spending.cost == pytest.approx(2.172, rel=1e-9)
    assert (spending.unpriced, spending.assumed) == ((), False)


def test_without_a_price_there_is_no_sum_and_without_earlier_calls_the_tokens_are_assumed() -> None:
    spending = expected_spending(COURT, {"a:small": (1.0, 2.0)})
    assert (spending.cost, spending.unpriced) == (None, ("a:big",))
    fresh = expected_spending(ArmCalls("b", 2, {"baseline": 1}, {"baseline": "keyword:cues-1"}, {}), {})
    assert (fresh.calls, fresh.input_tokens, fresh.output_tokens) == (2, 3000, 800)
    assert (fresh.cost, fresh.assumed, COURT.shared) == (0.0, True, False)
    assert total_spending([fresh, fresh]).cost == 0.0
    both = total_spending([spending, fresh])
    assert (both.runs, both.calls, both.cost, both.unpriced, both.assumed) == (62, 242, None, ("a:big",), True)
    assert total_spending([expected_spending(COURT, PRICES)] * 2).cost == pytest.approx(4.344)
