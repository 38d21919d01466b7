"""The rules of phase 3, worked by hand."""

import math

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`: make test-train")

from generation.coarl.learning_rules import (  # noqa: E402
    adapted,
    clipped_loss,
    generalised_advantages,
    leave_one_out,
)

pytestmark = pytest.mark.train
NONE = math.nan


def test_a_reply_is_compared_with_the_mean_of_the_others_to_its_post() -> None:
    # 1 - mean(0, 0.5) = 0.75; 0 - mean(1, 0.5) = -0.75; 0.5 - mean(1, 0) = 0. The second post is judged by itself.
    found = leave_one_out(torch.tensor([[1.0, 0.0, 0.5], [9.0, 9.0, 9.0]]))
    assert torch.allclose(found, torch.tensor([[0.75, -0.75, 0.0], [0.0, 0.0, 0.0]]))


def test_a_reply_that_no_critic_read_neither_learns_nor_counts() -> None:
    found = leave_one_out(torch.tensor([[1.0, 0.0, NONE], [1.0, NONE, NONE]]))
    assert torch.equal(found, torch.tensor([[1.0, -1.0, 0.0], [0.0, 0.0, 0.0]]))


def test_the_loss_gains_nothing_beyond_the_clip_and_leaves_tokens_outside_the_mask_out() -> None:
    old = torch.zeros(1, 3)
    new = torch.log(torch.tensor([[2.0, 1.1, 5.0]]))
    advantages, mask = torch.ones(1, 3), torch.tensor([[1, 1, 0]])
    assert float(clipped_loss(new, old, advantages, mask, 0.2)) == pytest.approx(-(1.2 + 1.1) / 2)
    # A loss is not clipped away: with a negative advantage the ratio of 2 counts in full.
    assert float(clipped_loss(new, old, -advantages, mask, 0.2)) == pytest.approx((2.0 + 1.1) / 2)


def test_the_penalty_grows_above_the_target_and_shrinks_below_it_by_a_fifth_at_most() -> None:
    rule = {"target": 2.0, "horizon": 100.0, "replies": 50}
    assert adapted(0.1, 2.2, **rule) == pytest.approx(0.1 * (1 + 0.1 * 50 / 100))
    assert adapted(0.1, 90.0, **rule) == pytest.approx(0.1 * (1 + 0.2 * 50 / 100))
    assert adapted(0.1, 0.0, **rule) == pytest.approx(0.1 * (1 - 0.2 * 50 / 100))


def test_advantages_of_tokens_by_hand() -> None:
    # gamma 1, lambda 0.5. Errors: 0 + 0.4 - 0.2 = 0.2 at the first token, 1 + 0 - 0.4 = 0.6 at the last.
    rewards, values = torch.tensor([[0.0, 1.0, 7.0]]), torch.tensor([[0.2, 0.4, 7.0]])
    found = generalised_advantages(rewards, values, torch.tensor([[1, 1, 0]]), gamma=1.0, lam=0.5)
    assert torch.allclose(found, torch.tensor([[0.2 + 0.5 * 0.6, 0.6, 0.0]]))
