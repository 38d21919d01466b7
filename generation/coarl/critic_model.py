"""A small critic of replies: PC and AQ of a reply to a post, T and the intent of a reply alone.

An encoder, the mean of its states, and a linear head for each. PC lies in [-1, 1] by tanh, AQ and T in [0, 1] by the
logistic function, as equation 3 takes them. T and the intent do not see the post, as the site's critics do not.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModel, AutoTokenizer

from generation.coarl.language_models import device
from generation.coarl.supervised import padded
from generation.domain.counterspeech.intents import Intent

INTENTS = list(Intent)
_HEADS = {"pc": 1, "aq": 1, "t": 1, "intent": len(INTENTS)}


class Critic(nn.Module):
    """The encoder with its heads."""

    def __init__(self, encoder: Any, tokenizer: Any, longest: int) -> None:
        super().__init__()
        self.encoder, self.tokenizer, self.longest = encoder, tokenizer, longest
        width = int(getattr(encoder.config, "d_model", 0) or encoder.config.hidden_size)
        self.heads = nn.ModuleDict({name: nn.Linear(width, size) for name, size in _HEADS.items()})

    def raw(self, posts: Sequence[str], replies: Sequence[str]) -> dict[str, torch.Tensor]:
        """Return the heads' outputs before they are brought into their ranges, shape (replies, head)."""
        pair = self._mean_states([[*self._ids(post, 2), *self._ids(reply, 2)] for post, reply in
                                  zip(posts, replies, strict=True)])  # fmt: skip
        alone = self._mean_states([self._ids(reply, 1) for reply in replies])
        return {name: head(pair if name in ("pc", "aq") else alone) for name, head in self.heads.items()}

    @torch.no_grad()
    def values(self, part: str, posts: Sequence[str], replies: Sequence[str]) -> list[float]:
        """Return PC, AQ or T of each reply, in its range."""
        found: list[float] = []
        for start in range(0, len(replies), 64):
            raw = self.raw(posts[start : start + 64], replies[start : start + 64])[part].squeeze(-1)
            found += (torch.tanh(raw) if part == "pc" else torch.sigmoid(raw)).tolist()
        return found

    @torch.no_grad()
    def intents(self, replies: Sequence[str]) -> list[str]:
        """Return the intent that the critic sees in each reply; it is told neither the post nor the wanted one."""
        raw = self.raw([""] * len(replies), replies)["intent"]
        return [INTENTS[place].value for place in raw.argmax(-1).tolist()]

    def _ids(self, text: str, share: int) -> list[int]:
        ids = list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        return ids[: self.longest // share - 1] + [self.tokenizer.eos_token_id or self.tokenizer.sep_token_id]

    def _mean_states(self, rows: Sequence[list[int]]) -> torch.Tensor:
        where = self.heads["pc"].weight.device
        ids = padded(rows, self.tokenizer.pad_token_id or 0).to(where)
        mask = padded([[1] * len(row) for row in rows], 0).to(where)
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        weight = mask.unsqueeze(-1).to(states.dtype)
        return (states * weight).sum(1) / weight.sum(1)


def new_critic(encoder: str, longest: int) -> Critic:
    """Return a critic on a base's encoder, with heads that know nothing yet."""
    path = Path(encoder)
    source = str(path / "model") if (path / "phase.json").is_file() else encoder
    model = AutoModel.from_pretrained(source)
    if AutoConfig.from_pretrained(source).is_encoder_decoder:
        model = model.get_encoder()
    critic = Critic(model, AutoTokenizer.from_pretrained(source), longest)
    critic.to(device())
    return critic


def save_critic(critic: Critic, folder: Path, encoder: str) -> None:
    """Write the weights and what is needed to open them."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(critic.state_dict(), folder / "critic.pt")
    facts = {"encoder": encoder, "longest": critic.longest}
    (folder / "critic.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")


def open_critic(folder: Path) -> Critic:
    """Open a trained critic."""
    facts = json.loads((folder / "critic.json").read_text(encoding="utf-8"))
    critic = new_critic(facts["encoder"], facts["longest"])
    critic.load_state_dict(torch.load(folder / "critic.pt", weights_only=True, map_location=device()))
    critic.eval()
    return critic
