"""Phase 3: learn from the reward of equation 3, held near the policy of phase 2.

`rloo` is the default: for a decoder trl's trainer (`trl_rloo.py`), for an encoder-decoder our own loop
(`policy_gradient.py`), since trl has none. `paper` is PPO with a value head, as in the paper. It was seen to collapse.
"""

import logging
import random
from pathlib import Path
from typing import Any

import torch

from generation.coarl import policy_gradient, trl_rloo
from generation.coarl.ablations import read_phase
from generation.coarl.evaluations import Progress
from generation.coarl.language_models import LEARNT, device, open_policy, with_lora, with_reference
from generation.coarl.phase_card import finish_phase
from generation.coarl.policy import Policy
from generation.coarl.reward_parts import Reward
from generation.coarl.settings_file import BadSettings, Reinforce
from generation.coarl.training_cost import TrainingCost
from generation.coarl.training_data import BadData, Example, TrainingData, prompts
from generation.coarl.training_log import write_plot

_LOG = logging.getLogger(__name__)
PAPER_WARNING = (
    "The mode `paper` (PPO with a value head) was seen to collapse to short empty replies on small models. Compare its "
    "held-out reward with that of rloo before you use what it gives."
)


def reinforce(settings: Reinforce, data: TrainingData) -> dict[str, Any]:
    """Run phase 3. Return its figures: held-out reward before and after, KL, and why it ended."""
    if settings.threads:
        torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    if settings.algorithm == "paper":
        if settings.ppo is None:
            raise BadSettings('algorithm = "paper" needs [ppo].')
        _LOG.warning(PAPER_WARNING)
    learnt_from = prompts(data, "train", settings.data)
    if not learnt_from:
        raise BadData("Phase 3 has no post of the split train.")
    held_out, where = _held_out(settings, data)
    reward = Reward(settings.reward)
    other = Reward(settings.held_out) if settings.held_out else None
    policy = _policy(settings)
    progress = Progress(settings, policy, held_out, reward, other)
    by_trl = settings.algorithm == "rloo" and not policy.language_model.seq2seq
    loop = trl_rloo.learn if by_trl else policy_gradient.learn
    cost = TrainingCost()
    figures = loop(settings, policy, learnt_from, reward, progress, cost)
    figures |= {"algorithm": settings.algorithm, "evaluated_on": where, "reward_sources": dict(reward.names)}
    figures |= {"held_out_sources": dict(other.names)} if other else {}
    _save(settings, policy)
    seq2seq = policy.language_model.seq2seq
    finish_phase(settings.out, "reinforce", settings, data, figures, cost, base=_base(settings.policy), seq2seq=seq2seq)
    return figures


def _policy(settings: Reinforce) -> Policy:
    opened = open_policy(settings.policy, trainable=True)
    if (settings.policy / "adapter").is_dir():
        with_reference(opened, settings.policy)
    elif settings.lora is not None:
        with_lora(opened, settings.lora)
    else:
        raise BadSettings("Phase 2 trained every weight: [lora] says which adapter phase 3 learns.")
    opened.model.to(device()).eval()  # without dropout the ratio of new and old policy is 1 at the first update
    return Policy(opened, settings.length, settings.sampling.temperature)


def _base(policy: Path) -> str:
    """Return the base on which the learnt adapter lies: that of phase 2, or phase 2 itself if it has no adapter."""
    return str(read_phase(policy)["base"]) if (policy / "adapter").is_dir() else str(policy)


def _held_out(settings: Reinforce, data: TrainingData) -> tuple[list[Example], str]:
    """Return prompts of posts that are not learnt from; where there are none, of some that are, which the card says."""
    found, where = prompts(data, "validation", settings.data), "posts of the split validation"
    if not found:
        found, where = prompts(data, "train", settings.data), "posts that it learnt from: there are no others"
        _LOG.warning("No post stands in the split validation: figures are of posts that the policy learns from.")
    draw = random.Random(settings.seed)
    return draw.sample(found, min(settings.evaluate_posts, len(found))), where


def _save(settings: Reinforce, policy: Policy) -> None:
    folder = settings.out / "adapter"
    policy.model.save_pretrained(folder, selected_adapters=[LEARNT])
    policy.language_model.tokenizer.save_pretrained(folder)
    write_plot(settings.out, "reinforce: training and held-out posts")
