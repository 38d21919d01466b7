"""The draw of the arm of prior display: repeatable, exact in its share, blind to order."""

from uuid import UUID, uuid5

from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.choices import PriorArm, PriorDisplay
from annotation.domain.priors.arms import draw_arm, draws_check, share

PEOPLE = [uuid5(UUID(int=1), f"person {number}") for number in range(100)]
ITEMS = [uuid5(UUID(int=2), f"item {number}") for number in range(300)]
seeds = st.text(min_size=1, max_size=64)


@given(seeds, st.uuids(), st.uuids(), st.integers(0, 100), st.sampled_from(PriorDisplay))
def test_the_same_pair_always_falls_into_the_same_arm(seed, member, item, percent, display):
    arms = {draw_arm(seed, member, item, percent, display) for _ in range(3)}
    assert len(arms) == 1
    shown = PriorArm.HIDDEN if display is PriorDisplay.AFTER_FIRST_ANSWER else PriorArm.SHOWN
    assert arms <= {shown, PriorArm.WITHHELD}


@given(seeds, st.uuids(), st.uuids(), st.sampled_from(PriorDisplay))
def test_nobody_is_withheld_anything_at_zero_percent_and_everybody_everything_at_a_hundred(seed, member, item, display):
    assert draw_arm(seed, member, item, 0, display) is not PriorArm.WITHHELD
    assert draw_arm(seed, member, item, 100, display) is PriorArm.WITHHELD


@given(seeds, st.uuids(), st.uuids(), st.integers(0, 99))
def test_a_greater_share_only_adds_pairs(seed, member, item, percent):
    if draw_arm(seed, member, item, percent, PriorDisplay.SHOWN) is PriorArm.WITHHELD:
        assert draw_arm(seed, member, item, percent + 1, PriorDisplay.SHOWN) is PriorArm.WITHHELD


def test_over_thirty_thousand_pairs_the_share_is_what_was_asked_for():
    # 30,000 draws at 20 %: the standard deviation is sqrt(0.2 · 0.8 / 30,000) = 0.0023; four of them are 0.0092.
    drawn = [draw_arm("seed", person, item, 20, PriorDisplay.SHOWN) for person in PEOPLE for item in ITEMS]
    assert abs(drawn.count(PriorArm.WITHHELD) / len(drawn) - 0.20) < 0.0092
    for person in PEOPLE[:10]:  # 300 draws each: four deviations are 0.092
        mine = [draw_arm("seed", person, item, 20, PriorDisplay.SHOWN) for item in ITEMS]
        assert abs(mine.count(PriorArm.WITHHELD) / 300 - 0.20) < 0.092


def test_another_seed_draws_another_set():
    def withheld(seed: str) -> set[UUID]:
        return {item for item in ITEMS if draw_arm(seed, PEOPLE[0], item, 50, PriorDisplay.SHOWN) is PriorArm.WITHHELD}

    assert withheld("a") != withheld("b")


def test_parts_are_kept_apart():
    assert share("a", "bc") != share("ab", "c")


def test_checks_come_at_the_rate_that_was_asked_for():
    # 10,000 draws at 10 %: four standard deviations are 4 · sqrt(0.1 · 0.9 / 10,000) = 0.012.
    drawn = [draws_check("seed", person, "2026-11-21", number, 10) for person in PEOPLE for number in range(100)]
    assert abs(sum(drawn) / len(drawn) - 0.10) < 0.012


def test_a_draw_falls_below_the_next_whole_percent_and_not_below_its_own():
    for number in range(200):
        drawn = int(share("seed", "check", PEOPLE[0], "day", number) * 100)
        assert not draws_check("seed", PEOPLE[0], "day", number, drawn)
        assert draws_check("seed", PEOPLE[0], "day", number, drawn + 1)
    for item in ITEMS:
        drawn = int(share("seed", "arm", PEOPLE[0], item) * 100)
        assert draw_arm("seed", PEOPLE[0], item, drawn, PriorDisplay.SHOWN) is PriorArm.SHOWN
        assert draw_arm("seed", PEOPLE[0], item, drawn + 1, PriorDisplay.SHOWN) is PriorArm.WITHHELD
