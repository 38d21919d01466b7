"""What calls cost, worked by hand; prices are for a million tokens."""

from decimal import Decimal

from runs.domain.prices import Cost, cost_of


def test_cached_tokens_cost_their_own_price_and_the_rest_is_saved() -> None:
    # 1 million in, 0.8 of it cached at 0.25 instead of 2.5, and 0.1 million out at 10: 0.5 + 0.2 + 1, and 0.8 x 2.25.
    assert cost_of((2.5, 10.0, 0.25), 1_000_000, 100_000, 800_000) == Cost(Decimal("1.7"), Decimal("1.8"))


def test_without_a_price_of_their_own_cached_tokens_cost_as_much_as_all_others() -> None:
    assert cost_of((2.5, 10.0), 1_000_000, 100_000, 800_000) == Cost(Decimal("3.5"), Decimal(0))


def test_costs_add_up() -> None:
    assert Cost(Decimal(1), Decimal(2)) + Cost(Decimal(3), Decimal(4)) == Cost(Decimal(4), Decimal(6))
