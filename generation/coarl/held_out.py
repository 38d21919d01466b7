"""What a policy does on posts that it does not learn from: reward and its parts, KL, length, distinct-2, samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import torch

from generation.coarl.policy import Policy
from generation.coarl.reply_figures import distinct_2, mean_length
from generation.coarl.reward_parts import PARTS, Judged, Reward
from generation.coarl.settings_file import Reinforce
from generation.coarl.training_data import Example

_AT_ONCE = 32


@dataclass(frozen=True)
class HeldOut:
    """An evaluation. `by_prompt` is the mean reward of each prompt, for paired tests.

    `other_by_prompt` is the same of the critic that is not trained against; empty if there is none.
    """

    figures: Mapping[str, float]
    by_prompt: Sequence[float]
    other_by_prompt: Sequence[float]
    samples: Sequence[Mapping[str, Any]]

    @property
    def kl(self) -> float:
        """The KL to the policy of phase 2, in nats a reply."""
        return self.figures["kl"]


def evaluate_policy(
    policy: Policy, examples: Sequence[Example], settings: Reinforce, reward: Reward, other: Reward | None
) -> HeldOut:
    """Sample replies to the prompts and judge them. The draw is the same every time, so figures can be compared.

    The random state of the training is put back afterwards.
    """
    with torch.random.fork_rng(enabled=True):
        torch.manual_seed(settings.seed)
        replies, kl, probable = _sampled(policy, examples, settings)
    rows = [example for example in examples for _ in range(settings.sampling.replies_per_post)]
    reward.begin_step(-1)
    judged = reward([row.post for row in rows], replies)
    figures = {
        "reward": _mean([one.reward for one in judged]),
        **{part: _mean([getattr(one, part) for one in judged]) for part in PARTS},
        "kl": kl,
        "log_probability": probable,
        "length": mean_length(replies),
        "distinct_2": distinct_2(replies),
    }
    size = settings.sampling.replies_per_post
    others: list[Judged] = []
    if other is not None:
        others = other([row.post for row in rows], replies)
        figures["held_out_reward"] = _mean([one.reward for one in others])
    samples = _shown(rows, replies, judged, settings)
    return HeldOut(figures, _by_prompt(judged, size), _by_prompt(others, size), samples)


def _by_prompt(judged: Sequence[Judged], size: int) -> list[float]:
    return [_mean([one.reward for one in judged[start : start + size]]) for start in range(0, len(judged), size)]


def _sampled(policy: Policy, examples: Sequence[Example], settings: Reinforce) -> tuple[list[str], float, float]:
    """Return the replies, their mean KL in nats, and their mean log-probability."""
    asked = [row.instruction for row in examples for _ in range(settings.sampling.replies_per_post)]
    replies: list[str] = []
    kls: list[float] = []
    sums: list[float] = []
    for start in range(0, len(asked), _AT_ONCE):
        some = asked[start : start + _AT_ONCE]
        drawn = policy.sample(some, settings.sampling)
        replies += policy.texts(drawn)
        with torch.no_grad():
            own, _states = policy.log_probabilities(some, drawn)
            with policy.as_reference():
                theirs, _states = policy.log_probabilities(some, drawn)
        kls += (own - theirs).sum(1).tolist()
        sums += own.sum(1).tolist()
    return replies, fmean(kls), fmean(sums)


def _shown(
    rows: Sequence[Example], replies: Sequence[str], judged: Sequence[Judged], settings: Reinforce
) -> list[dict[str, Any]]:
    step = max(1, len(rows) // max(1, settings.show_samples))
    return [
        {"post": rows[place].post, "intent": rows[place].task, "reply": replies[place], "reward": judged[place].reward}
        for place in range(0, len(rows), step)
    ][: settings.show_samples]


def _mean(values: Sequence[float | None]) -> float:
    """Return the mean of what was judged; 0 where nothing was, which the figures of the sources then show."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else 0.0
