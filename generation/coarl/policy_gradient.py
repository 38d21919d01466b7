"""The loop of phase 3 for an encoder-decoder: RLOO, and PPO with a value head as the mode `paper`.

All randomness of a step follows from the seed and the number of the step. So a run that was killed goes on from its
newest checkpoint to the same bits as one that was not, with the same number of threads on the same machine.
"""

import random
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from peft import get_peft_model_state_dict, set_peft_model_state_dict
from torch import nn
from tqdm import tqdm

from generation.coarl.evaluations import Progress
from generation.coarl.language_models import device
from generation.coarl.learning_rules import adapted, clipped_loss, generalised_advantages, leave_one_out
from generation.coarl.policy import Policy, Tokens
from generation.coarl.reward_parts import Reward, as_tensor
from generation.coarl.settings_file import Reinforce
from generation.coarl.training_cost import TrainingCost
from generation.coarl.training_data import Example


@dataclass
class Learner:
    """All that changes while learning."""

    policy: Policy
    optimiser: torch.optim.Optimizer
    coefficient: float
    value_head: nn.Linear | None = None
    step: int = 0
    best: dict[str, torch.Tensor] = field(default_factory=dict)
    """The adapter at the last evaluation whose KL was below the ceiling."""


@dataclass(frozen=True)
class Batch:
    """Replies that were drawn in a step, with what is needed to learn from them."""

    instructions: Sequence[str]
    replies: Tokens
    rewards: torch.Tensor
    old: torch.Tensor
    reference: torch.Tensor

    @property
    def kl(self) -> torch.Tensor:
        """The log-ratio of each reply, in nats; its mean estimates the KL."""
        return (self.old - self.reference).sum(1)


def learn(
    settings: Reinforce,
    policy: Policy,
    examples: Sequence[Example],
    reward: Reward,
    progress: Progress,
    cost: TrainingCost,
) -> dict[str, Any]:
    """Learn, from the newest checkpoint on if there is one. Return the figures of the run."""
    learner = _learner(settings, policy)
    progress.begin(learner.step)
    for step in tqdm(range(learner.step + 1, settings.steps + 1), initial=learner.step, total=settings.steps):
        with cost.step():
            batch = _step(settings, learner, examples, reward, progress)
        cost.add(int(batch.replies.mask.sum()))
        if step % settings.evaluate_steps == 0 or step == settings.steps:
            if progress.evaluate(step):
                break
            learner.best = adapter_of(policy)
        if step % settings.save_steps == 0:
            _save(settings.out, learner)
    if progress.stopped:
        set_peft_model_state_dict(policy.model, progress.kept(learner.best))
    return progress.summary() | {"steps": learner.step}


def _step(
    settings: Reinforce, learner: Learner, examples: Sequence[Example], reward: Reward, progress: Progress
) -> Batch:
    learner.step += 1
    batch = _drawn(settings, learner, examples, reward)
    loss = _updated(settings, learner, batch)
    kl = float(batch.kl.mean())
    rule = {"target": settings.kl.target, "horizon": settings.kl.horizon}
    learner.coefficient = adapted(learner.coefficient, kl, replies=len(batch.kl), **rule)
    drawn = {"loss": loss, "reward": float(batch.rewards.nanmean()), "kl": kl, "kl_coefficient": learner.coefficient}
    progress.log.add(learner.step, **{name: value for name, value in drawn.items() if value == value})  # no NaN
    return batch


def _learner(settings: Reinforce, policy: Policy) -> Learner:
    """Return the start, or what the newest checkpoint holds."""
    weights: list[Any] = [weight for weight in policy.model.parameters() if weight.requires_grad]
    head = None
    if settings.algorithm == "paper":
        width = int(getattr(policy.model.config, "d_model", 0) or policy.model.config.hidden_size)
        head = nn.Linear(width, 1).to(device())
        nn.init.zeros_(head.weight)
        weights += list(head.parameters())
    learner = Learner(policy, torch.optim.AdamW(weights, lr=settings.learning_rate), settings.kl.coefficient, head)
    saved = sorted((settings.out / "checkpoints").glob("step-*"))
    if saved:
        _restore(learner, torch.load(saved[-1] / "state.pt", weights_only=True, map_location=device()))
    return learner


def _restore(learner: Learner, state: Mapping[str, Any]) -> None:
    set_peft_model_state_dict(learner.policy.model, state["adapter"])
    learner.optimiser.load_state_dict(state["optimiser"])
    learner.step, learner.coefficient, learner.best = state["step"], state["coefficient"], state["best"]
    if learner.value_head is not None:
        learner.value_head.load_state_dict(state["value_head"])


def _save(out: Path, learner: Learner) -> None:
    """Write a checkpoint under another name and rename it: one that is there is whole. The last two are kept."""
    folder = out / "checkpoints"
    part, whole = folder / ".part", folder / f"step-{learner.step:07d}"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    state = {
        "step": learner.step,
        "coefficient": learner.coefficient,
        "adapter": adapter_of(learner.policy),
        "optimiser": learner.optimiser.state_dict(),
        "best": learner.best,
        "value_head": learner.value_head.state_dict() if learner.value_head is not None else {},
    }
    torch.save(state, part / "state.pt")
    part.replace(whole)
    for old in sorted(folder.glob("step-*"))[:-2]:
        shutil.rmtree(old)


def adapter_of(policy: Policy) -> dict[str, torch.Tensor]:
    """Return a copy of the adapter that is learnt."""
    return {name: weight.detach().clone() for name, weight in get_peft_model_state_dict(policy.model).items()}


def _drawn(settings: Reinforce, learner: Learner, examples: Sequence[Example], reward: Reward) -> Batch:
    """Draw the step's posts and replies."""
    step = learner.step
    torch.manual_seed(settings.seed * 1_000_003 + step)
    chosen = posts_of(settings, examples, step)
    rows = [row for row in chosen for _ in range(settings.sampling.replies_per_post)]
    asked = [row.instruction for row in rows]
    replies = learner.policy.sample(asked, settings.sampling)
    reward.begin_step(step)
    rewards = as_tensor(reward([row.post for row in rows], learner.policy.texts(replies)))
    with torch.no_grad():
        old, _states = learner.policy.log_probabilities(asked, replies)
        with learner.policy.as_reference():
            reference, _states = learner.policy.log_probabilities(asked, replies)
    return Batch(asked, replies, rewards, old, reference)


def posts_of(settings: Reinforce, examples: Sequence[Example], step: int) -> list[Example]:
    """Return the prompts of a step: every prompt once before any comes again, in an order that the seed gives."""
    size, count = settings.prompts_per_step, len(examples)
    first = (step - 1) * size
    orders: dict[int, list[Example]] = {}
    chosen = []
    for number in range(first, first + size):
        turn = number // count
        order = orders.setdefault(turn, random.Random(f"{settings.seed}/{turn}").sample(list(examples), count))
        chosen.append(order[number % count])
    return chosen


def _updated(settings: Reinforce, learner: Learner, batch: Batch) -> float:
    """Update the policy on the batch. Return the last loss."""
    targets = _targets(settings, learner, batch)
    loss = torch.zeros(())
    for _update in range(settings.updates):
        new, states = learner.policy.log_probabilities(batch.instructions, batch.replies)
        loss = clipped_loss(new, batch.old, targets["advantages"], batch.replies.mask, settings.clip)
        if learner.value_head is not None and settings.ppo is not None:
            values = learner.value_head(states.float()).squeeze(-1)
            error = ((values - targets["returns"]) ** 2 * batch.replies.mask).sum() / batch.replies.mask.sum()
            loss = loss + settings.ppo.value_coefficient * 0.5 * error
        learner.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(learner.optimiser.param_groups[0]["params"], settings.gradient_norm)
        learner.optimiser.step()
    return float(loss.detach())


def _targets(settings: Reinforce, learner: Learner, batch: Batch) -> dict[str, torch.Tensor]:
    """Return the advantage of each token; for PPO also what the value head learns."""
    mask = batch.replies.mask
    if learner.value_head is None:
        penalised = batch.rewards - learner.coefficient * batch.kl
        groups = penalised.view(-1, settings.sampling.replies_per_post)
        return {"advantages": leave_one_out(groups).view(-1, 1) * mask}
    assert settings.ppo is not None, "the mode paper asks for it"
    with torch.no_grad():
        _new, states = learner.policy.log_probabilities(batch.instructions, batch.replies)
        values = learner.value_head(states.float()).squeeze(-1) * mask
    rewards = -learner.coefficient * (batch.old - batch.reference)
    last = mask.sum(1, keepdim=True).clamp(min=1) - 1
    rewards = rewards.scatter_add(1, last, torch.nan_to_num(batch.rewards, nan=0.0).unsqueeze(1).to(rewards.dtype))
    rule = {"gamma": settings.ppo.gamma, "lam": settings.ppo.lam}
    advantages = generalised_advantages(rewards, values, mask, **rule)
    returns = advantages + values
    known = advantages[mask.bool()]
    scaled = (advantages - known.mean()) / (known.std() + 1e-8)
    return {"advantages": scaled * mask, "returns": returns}
