"""A policy that writes replies: samples them, and gives the log-probability of each of their tokens."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from peft import PeftModel

from generation.coarl.language_models import LEARNT, REFERENCE, LanguageModel
from generation.coarl.settings_file import LengthSettings, SamplingSettings
from generation.coarl.supervised import padded


@dataclass(frozen=True)
class Tokens:
    """Replies as tokens. `mask` is 1 at tokens of the reply, the end mark included. Shapes (replies, longest)."""

    ids: torch.Tensor
    mask: torch.Tensor


@dataclass
class Policy:
    """A language model with its lengths."""

    language_model: LanguageModel
    length: LengthSettings
    temperature: float = 1.0
    """By which replies are drawn while it learns; log-probabilities are those of the policy at this temperature."""

    @property
    def model(self) -> Any:
        return self.language_model.model

    def prompts(self, instructions: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return instructions as tokens with their mask. A decoder needs them filled up at the left."""
        rows = [self.language_model.prompt_ids(text, self.length.source) for text in instructions]
        left = not self.language_model.seq2seq
        ids = padded(rows, self.language_model.tokenizer.pad_token_id, left=left)
        mask = padded([[1] * len(row) for row in rows], 0, left=left)
        return ids.to(self.model.device), mask.to(self.model.device)

    @torch.no_grad()
    def sample(self, instructions: Sequence[str], sampling: SamplingSettings) -> Tokens:
        """Draw one reply for each instruction."""
        return self._generated(
            instructions,
            sampling.new_tokens,
            do_sample=True,
            temperature=sampling.temperature,
            top_k=sampling.top_k,
            top_p=sampling.top_p,
        )

    @torch.no_grad()
    def greedy(self, instructions: Sequence[str], new_tokens: int) -> list[str]:
        """Return the most likely reply to each instruction, as the paper does when it evaluates (appendix F)."""
        return self.texts(self._generated(instructions, new_tokens, do_sample=False))

    def _generated(self, instructions: Sequence[str], new_tokens: int, **how: Any) -> Tokens:
        ids, mask = self.prompts(instructions)
        made = self.model.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=new_tokens,
            pad_token_id=self.language_model.tokenizer.pad_token_id,
            **how,
        )
        made = made[:, 1:] if self.language_model.seq2seq else made[:, ids.shape[1] :]
        return Tokens(made, self._until_end(made))

    def _until_end(self, ids: torch.Tensor) -> torch.Tensor:
        """Return 1 up to the first end mark and with it, 0 after it."""
        ended = (ids == self.language_model.tokenizer.eos_token_id).long()
        return ((ended.cumsum(1) - ended) == 0).long()

    def texts(self, replies: Tokens) -> list[str]:
        """Return the replies as text."""
        rows = zip(replies.ids.tolist(), replies.mask.tolist(), strict=True)
        return [self.language_model.text([token for token, kept in zip(ids, mask, strict=True) if kept])
                for ids, mask in rows]  # fmt: skip

    def log_probabilities(self, instructions: Sequence[str], replies: Tokens) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the log-probability of each reply token, 0 outside the mask, and the state before it.

        Shapes (replies, longest) and (replies, longest, width).
        """
        ids, mask = self.prompts(instructions)
        if self.language_model.seq2seq:
            start = torch.full_like(replies.ids[:, :1], self.model.config.decoder_start_token_id)
            out = self.model(
                input_ids=ids,
                attention_mask=mask,
                decoder_input_ids=torch.cat([start, replies.ids[:, :-1]], 1),
                output_hidden_states=True,
            )
            logits, states = out.logits, out.decoder_hidden_states[-1]
        else:
            whole_mask = torch.cat([mask, replies.mask], 1)
            out = self.model(
                input_ids=torch.cat([ids, replies.ids], 1),
                attention_mask=whole_mask,
                position_ids=(whole_mask.cumsum(1) - 1).clamp(min=0),
                output_hidden_states=True,
            )
            before = slice(ids.shape[1] - 1, -1)
            logits, states = out.logits[:, before], out.hidden_states[-1][:, before]
        chosen = (
            torch.log_softmax(logits.float() / self.temperature, -1).gather(-1, replies.ids.unsqueeze(-1)).squeeze(-1)
        )
        return chosen * replies.mask, states

    @contextmanager
    def as_reference(self) -> Iterator[None]:
        """Use the policy of phase 2: its frozen adapter, or the model without the adapter that is learnt."""
        assert isinstance(self.model, PeftModel), "phase 3 learns an adapter"
        if REFERENCE in self.model.peft_config:
            self.model.set_adapter(REFERENCE)
            try:
                yield
            finally:
                self.model.set_adapter(LEARNT)
                for name, weight in self.model.named_parameters():
                    weight.requires_grad_(f".{LEARNT}." in name)
        else:
            with self.model.disable_adapter():
                yield
