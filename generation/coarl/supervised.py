"""Phases 1 and 2: learn explanations, then replies by intent, by cross-entropy on the answer's tokens (equations 1, 2).

The loop is `transformers.Trainer`. Its checkpoints hold weights, optimiser, schedule and random states. One that a
killed process left half written has no mark `whole` and is not used.
"""

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import Trainer, TrainerCallback, TrainingArguments

from generation.coarl.language_models import LanguageModel, base_digest, open_model, with_lora
from generation.coarl.phase_card import finish_phase
from generation.coarl.settings_file import Supervised
from generation.coarl.training_cost import TrainingCost
from generation.coarl.training_data import BadData, Example, TrainingData
from generation.coarl.training_log import TrainingLog, write_plot

_WHOLE = "whole"
_IGNORED = -100  # labels that cross-entropy leaves out


class ChangedBase(RuntimeError):
    """Phase 2 changed weights of the frozen base: its result is not used."""


@dataclass(frozen=True)
class Outcome:
    """What a supervised phase gave: losses per token, on posts that it learnt from and on those it did not."""

    loss_before: float | None
    loss_after: float | None
    steps: int
    weights_learnt: int


def explain(settings: Supervised, data: TrainingData) -> Outcome:
    """Run phase 1: seven explanation tasks in one sum. The result is a folder with every weight."""
    return _run(settings, data.explanations, "explain", data)


def adapt(settings: Supervised, data: TrainingData) -> Outcome:
    """Run phase 2: replies by intent, by LoRA on the frozen base, or by every weight as the ablation without it."""
    return _run(settings, data.replies, "adapt", data)


def _run(settings: Supervised, examples: Sequence[Example], phase: str, data: TrainingData) -> Outcome:
    by_split = {name: [row for row in examples if row.split == name] for name in ("train", "validation")}
    if not by_split["train"]:
        raise BadData(f"The phase {phase} has nothing to learn: no row of the split train.")
    if settings.threads:
        torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    opened = open_model(settings.base)
    before = base_digest(opened.model) if settings.lora else ""
    if settings.lora:
        with_lora(opened, settings.lora)
    checkpoint = last_whole_checkpoint(settings.out)
    cost = TrainingCost()
    trainer = _trainer(settings, opened, by_split, checkpoint, cost)
    first = _first_loss(settings, trainer, checkpoint)
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    after = _loss(trainer)
    if settings.lora and base_digest(opened.model) != before:
        raise ChangedBase(f"{settings.out}: weights of the frozen base changed.")
    learnt = sum(weight.numel() for weight in opened.model.parameters() if weight.requires_grad)
    outcome = Outcome(first, after, int(trainer.state.global_step), learnt)
    _save(settings, opened, phase, outcome, data, before, cost)
    return outcome


def _trainer(
    settings: Supervised,
    opened: LanguageModel,
    by_split: dict[str, list[Example]],
    checkpoint: Path | None,
    cost: TrainingCost,
) -> Trainer:
    chosen = settings.optimiser
    on_cpu = not torch.cuda.is_available()
    arguments = TrainingArguments(
        output_dir=str(settings.out / "checkpoints"),
        num_train_epochs=chosen.epochs,
        per_device_train_batch_size=chosen.batch_size,
        per_device_eval_batch_size=chosen.batch_size,
        gradient_accumulation_steps=chosen.accumulate,
        learning_rate=chosen.learning_rate,
        weight_decay=chosen.weight_decay,
        warmup_steps=chosen.warmup_share,
        lr_scheduler_type=chosen.schedule,
        max_grad_norm=chosen.gradient_norm,
        optim="adamw_torch",
        bf16=settings.precision == "bf16",
        use_cpu=on_cpu,
        dataloader_pin_memory=not on_cpu,
        seed=settings.seed,
        data_seed=settings.seed,
        save_steps=settings.save_steps,
        save_total_limit=2,
        eval_strategy="steps" if by_split["validation"] else "no",
        eval_steps=settings.evaluate_steps,
        logging_steps=max(1, settings.evaluate_steps // 2),
        report_to="none",
        remove_unused_columns=False,
    )
    encoded = {name: [_encoded(opened, row, settings) for row in rows] for name, rows in by_split.items()}
    return Trainer(
        model=opened.model,
        args=arguments,
        train_dataset=encoded["train"],
        eval_dataset=encoded["validation"] or None,
        data_collator=_Batches(opened),
        callbacks=[_Log(settings, checkpoint), _Clock(cost, sum(map(_tokens, encoded["train"])))],
    )


def _encoded(opened: LanguageModel, row: Example, settings: Supervised) -> dict[str, list[int]]:
    source = opened.prompt_ids(row.instruction, settings.length.source)
    return {"source": source, "target": opened.reply_ids(row.target, settings.length.target)}


def _tokens(row: dict[str, list[int]]) -> int:
    return len(row["source"]) + len(row["target"])


class _Batches:
    """Pads examples. An encoder-decoder gets source and labels; a decoder gets both in a row, the source unlabelled."""

    def __init__(self, opened: LanguageModel) -> None:
        self._seq2seq, self._pad = opened.seq2seq, opened.tokenizer.pad_token_id

    def __call__(self, rows: Sequence[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
        sources = [row["source"] for row in rows]
        labels = [row["target"] for row in rows]
        if not self._seq2seq:
            labels = [[_IGNORED] * len(row["source"]) + row["target"] for row in rows]
            sources = [row["source"] + row["target"] for row in rows]
        return {
            "input_ids": padded(sources, self._pad),
            "attention_mask": padded([[1] * len(row) for row in sources], 0),
            "labels": padded(labels, _IGNORED),
        }


def padded(rows: Sequence[Sequence[int]], filler: int, *, left: bool = False) -> torch.Tensor:
    """Return the rows as one tensor, filled up at the right, or at the left."""
    longest = max(map(len, rows))
    fill = [[filler] * (longest - len(row)) for row in rows]
    return torch.tensor([[*gap, *row] if left else [*row, *gap] for row, gap in zip(rows, fill, strict=True)])


class _Log(TrainerCallback):
    """Writes the log as the training goes, and marks every checkpoint that is whole."""

    def __init__(self, settings: Supervised, checkpoint: Path | None) -> None:
        self._out = settings.out
        self._log = TrainingLog(settings.out, resumed_from=int(checkpoint.name.split("-")[1]) if checkpoint else 0)

    def on_log(self, _args: Any, state: Any, _control: Any, logs: dict[str, float] | None = None, **_more: Any) -> None:
        named = {"loss": "loss", "eval_loss": "loss@validation", "learning_rate": "learning_rate"}
        figures = {ours: logs[theirs] for theirs, ours in named.items() if logs and theirs in logs}
        if figures:
            self._log.add(state.global_step, **figures)

    def on_save(self, _args: Any, state: Any, _control: Any, **_more: Any) -> None:
        mark_whole(self._out / "checkpoints" / f"checkpoint-{state.global_step}")


class _Clock(TrainerCallback):
    """Measures the steps of this process; `tokens` are those of an epoch, questions and answers together."""

    def __init__(self, cost: TrainingCost, tokens: int) -> None:
        self._cost, self._tokens = cost, tokens
        self._first_epoch = 0.0

    def on_train_begin(self, _args: Any, state: Any, _control: Any, **_more: Any) -> None:
        self._first_epoch = float(state.epoch or 0)

    def on_step_begin(self, _args: Any, _state: Any, _control: Any, **_more: Any) -> None:
        self._cost.begin_step()

    def on_step_end(self, _args: Any, _state: Any, _control: Any, **_more: Any) -> None:
        self._cost.end_step()

    def on_train_end(self, _args: Any, state: Any, _control: Any, **_more: Any) -> None:
        self._cost.add((float(state.epoch) - self._first_epoch) * self._tokens)


def mark_whole(checkpoint: Path) -> None:
    """Mark a checkpoint that was written to its end, after its files have reached the disk."""
    os.sync()
    (checkpoint / _WHOLE).touch()


def last_whole_checkpoint(out: Path) -> Path | None:
    """Return the newest checkpoint that was written to its end, and remove those that were not."""
    checkpoints = sorted((out / "checkpoints").glob("checkpoint-*"), key=lambda path: int(path.name.split("-")[1]))
    for path in checkpoints:
        if not (path / _WHOLE).exists():
            shutil.rmtree(path)
    return next((path for path in reversed(checkpoints) if path.exists()), None)


def _loss(trainer: Trainer) -> float | None:
    return float(trainer.evaluate()["eval_loss"]) if trainer.eval_dataset is not None else None


def _first_loss(settings: Supervised, trainer: Trainer, checkpoint: Path | None) -> float | None:
    """Return the loss on held-out posts before the first step. A file keeps it for a run that is resumed."""
    file = settings.out / "first_loss.json"
    if checkpoint is not None and file.exists():
        first: float | None = json.loads(file.read_text(encoding="utf-8"))
        return first
    loss = _loss(trainer)
    file.write_text(json.dumps(loss), encoding="utf-8")
    return loss


def _save(
    settings: Supervised,
    opened: LanguageModel,
    phase: str,
    outcome: Outcome,
    data: TrainingData,
    base: str,
    cost: TrainingCost,
) -> None:
    model = opened.model
    if settings.lora and phase == "explain":
        model = model.merge_and_unload()  # phase 2 needs a base without adapter
    folder = settings.out / ("adapter" if settings.lora and phase == "adapt" else "model")
    model.save_pretrained(folder)
    opened.tokenizer.save_pretrained(folder)
    write_plot(settings.out, f"{phase}: loss a token")
    more = {**asdict(outcome), "base_sha256": base} if base else asdict(outcome)
    finish_phase(settings.out, phase, settings, data, more, cost, base=settings.base, seq2seq=opened.seq2seq)
