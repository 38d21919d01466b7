"""The rules of phase 3 as functions of numbers: advantages, losses, the adaptive penalty."""

import torch

_LEAST_KNOWN = 2


def leave_one_out(rewards: torch.Tensor) -> torch.Tensor:
    """Return the advantages of RLOO (Ahmadian et al. 2024), shape (posts, replies) like `rewards`.

    That is a reply's reward less the mean reward of the other replies to its post. NaN means that a critic gave no
    answer: such a reply neither learns nor counts for the others.
    """
    known = ~torch.isnan(rewards)
    filled = torch.where(known, rewards, torch.zeros_like(rewards))
    count = known.sum(1, keepdim=True)
    others = (filled.sum(1, keepdim=True) - filled) / (count - 1).clamp(min=1)
    return torch.where(known & (count >= _LEAST_KNOWN), filled - others, torch.zeros_like(rewards))


def clipped_loss(
    new: torch.Tensor, old: torch.Tensor, advantages: torch.Tensor, mask: torch.Tensor, clip: float
) -> torch.Tensor:
    """Return PPO's clipped loss (Schulman et al. 2017), a mean over the tokens of replies.

    Shapes (replies, tokens).
    """
    ratio = torch.exp(new - old)
    gain = torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    return -(gain * mask).sum() / mask.sum().clamp(min=1)


def adapted(coefficient: float, kl: float, *, target: float, horizon: float, replies: int) -> float:
    """Return the penalty after a step (Ziegler et al. 2019): it grows while the KL is above its target."""
    error = min(0.2, max(-0.2, kl / target - 1))
    return coefficient * (1 + error * replies / horizon)


def generalised_advantages(
    rewards: torch.Tensor, values: torch.Tensor, mask: torch.Tensor, *, gamma: float, lam: float
) -> torch.Tensor:
    """Return GAE (Schulman et al. 2016) for each token, 0 outside the mask. Shapes (replies, tokens)."""
    advantages = torch.zeros_like(rewards)
    following = later = torch.zeros_like(rewards[:, 0])
    for place in reversed(range(rewards.shape[1])):
        error = rewards[:, place] + gamma * later - values[:, place]
        following = (error + gamma * lam * following) * mask[:, place]
        advantages[:, place] = following
        later = values[:, place] * mask[:, place]
    return advantages
