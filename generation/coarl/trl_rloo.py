"""RLOO by trl's trainer, for decoder-only models. The reward, the penalty and the evaluations are those of our loop.

trl copies the adapter of phase 2 as its reference. It has no adaptive penalty and no ceiling: a callback sets the
trainer's coefficient after each step, evaluates, and stops.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import set_peft_model_state_dict
from transformers import TrainerCallback
from trl import RLOOConfig, RLOOTrainer

from generation.coarl.evaluations import Progress
from generation.coarl.learning_rules import adapted
from generation.coarl.policy import Policy
from generation.coarl.policy_gradient import adapter_of
from generation.coarl.reward_parts import Reward
from generation.coarl.settings_file import Reinforce
from generation.coarl.supervised import last_whole_checkpoint, mark_whole
from generation.coarl.training_cost import TrainingCost
from generation.coarl.training_data import Example


def learn(
    settings: Reinforce,
    policy: Policy,
    examples: Sequence[Example],
    reward: Reward,
    progress: Progress,
    cost: TrainingCost,
) -> dict[str, Any]:
    """Learn, from the newest whole checkpoint on if there is one. Return the figures of the run."""
    checkpoint = last_whole_checkpoint(settings.out)
    callback = _EachStep(settings, policy, progress, cost)
    trainer = RLOOTrainer(
        model=policy.model,
        reward_funcs=_judge(reward),
        args=_arguments(settings),
        train_dataset=_data_set(policy, examples),
        processing_class=policy.language_model.tokenizer,
        callbacks=[callback],
    )
    callback.trainer = trainer
    begun = int(checkpoint.name.split("-")[1]) // settings.updates if checkpoint else 0
    if begun:
        callback.restore(checkpoint)
    progress.begin(begun)
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    policy.language_model.model = trainer.accelerator.unwrap_model(trainer.model).eval()
    if progress.stopped:
        set_peft_model_state_dict(policy.model, progress.kept(callback.best))
    return progress.summary() | {"steps": trainer.state.global_step // settings.updates}


def _arguments(settings: Reinforce) -> RLOOConfig:
    on_cpu = not torch.cuda.is_available()
    chosen = settings.sampling
    return RLOOConfig(
        output_dir=str(settings.out / "checkpoints"),
        max_steps=settings.steps * settings.updates,
        num_iterations=settings.updates,
        per_device_train_batch_size=settings.prompts_per_step * chosen.replies_per_post,
        gradient_accumulation_steps=1,
        num_generations=chosen.replies_per_post,
        max_completion_length=chosen.new_tokens,
        temperature=chosen.temperature,
        top_k=chosen.top_k,
        top_p=chosen.top_p,
        beta=settings.kl.coefficient,
        epsilon=settings.clip,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="constant",
        max_grad_norm=settings.gradient_norm,
        save_steps=settings.save_steps * settings.updates,
        save_total_limit=2,
        logging_steps=1,
        report_to="none",
        seed=settings.seed,
        use_cpu=on_cpu,
        bf16=not on_cpu,
        gradient_checkpointing=False,
        disable_dropout=True,
        dataloader_pin_memory=not on_cpu,
        remove_unused_columns=False,
        disable_tqdm=False,
    )


def _data_set(policy: Policy, examples: Sequence[Example]) -> Dataset:
    """Return prompts with their posts. With a chat template trl renders it, as `prompt_text` does."""
    model, longest = policy.language_model, policy.length.source
    chat = bool(model.tokenizer.chat_template)
    rows = []
    for row in examples:
        cut = model.cut(row.instruction, longest)
        prompt: Any = [{"role": "user", "content": cut}] if chat else model.prompt_text(row.instruction, longest)
        rows.append({"prompt": prompt, "post": row.post})
    return Dataset.from_list(rows)


def _judge(reward: Reward) -> Any:
    def equation_3(completions: Sequence[Any], post: Sequence[str], **more: Any) -> list[float | None]:
        texts = [one if isinstance(one, str) else one[-1]["content"] for one in completions]
        state = more.get("trainer_state")
        reward.begin_step(state.global_step if state is not None else 0)
        return [one.reward for one in reward(post, [text.strip() for text in texts])]

    return equation_3


class _EachStep(TrainerCallback):
    """Adapts the penalty, logs, evaluates, stops above the ceiling, and marks whole checkpoints."""

    def __init__(self, settings: Reinforce, policy: Policy, progress: Progress, cost: TrainingCost) -> None:
        self._settings, self._policy, self._progress, self._cost = settings, policy, progress, cost
        self.trainer: Any = None
        self.best: dict[str, torch.Tensor] = {}

    def on_step_begin(self, _args: Any, _state: Any, _control: Any, **_more: Any) -> None:
        """Start the clock: trl draws and scores the replies inside the step."""
        self._cost.begin_step()

    def on_log(self, _args: Any, state: Any, _control: Any, logs: dict[str, Any] | None = None, **_more: Any) -> None:
        """Take trl's figures of a step: its `kl` is a mean a token, ours is a reply's."""
        if not logs or "kl" not in logs:
            return
        rule = {"target": self._settings.kl.target, "horizon": self._settings.kl.horizon}
        kl = float(logs["kl"]) * float(logs["completions/mean_length"])
        replies = self._settings.prompts_per_step * self._settings.sampling.replies_per_post
        self.trainer.beta = adapted(self.trainer.beta, kl, replies=replies, **rule)
        known = {name: float(logs[name]) for name in ("loss", "reward") if logs.get(name) is not None}
        self._cost.add(float(logs["completions/mean_length"]) * replies)
        self._progress.log.add(self._step(state), **known, kl=kl, kl_coefficient=self.trainer.beta)

    def on_step_end(self, _args: Any, state: Any, control: Any, **_more: Any) -> None:
        """Evaluate where a step ends that is to be evaluated."""
        self._cost.end_step()
        step, chosen = self._step(state), self._settings
        if state.global_step % chosen.updates or (step % chosen.evaluate_steps and step != chosen.steps):
            return
        self._policy.model.eval()
        if self._progress.evaluate(step):
            control.should_training_stop = True
        else:
            self.best = adapter_of(self._policy)
        self._policy.model.train()

    def on_save(self, _args: Any, state: Any, _control: Any, **_more: Any) -> None:
        """Add our own state to the checkpoint, then mark it as whole."""
        folder = self._settings.out / "checkpoints" / f"checkpoint-{state.global_step}"
        torch.save({"beta": self.trainer.beta, "best": self.best}, folder / "coarl.pt")
        mark_whole(folder)

    def restore(self, checkpoint: Path | None) -> None:
        """Take our own state from the checkpoint."""
        assert checkpoint is not None, "it was found"
        saved = torch.load(checkpoint / "coarl.pt", weights_only=True)
        self.trainer.beta, self.best = saved["beta"], saved["best"]

    def _step(self, state: Any) -> int:
        return int(state.global_step) // self._settings.updates
