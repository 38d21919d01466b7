"""Models of both kinds, encoder-decoder (FLAN-T5, as in the paper) and decoder-only, behind one way of use.

The folder of a phase holds `phase.json` and either `model/` (every weight) or `adapter/` (LoRA on a base).
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, TaskType, get_peft_model
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from generation.coarl.ablations import BadModel, is_finished, read_phase
from generation.coarl.settings_file import LoraSettings

REFERENCE = "reference"
"""The name of the frozen copy of the adapter of phase 2, to which the KL is measured."""
LEARNT = "default"
"""The name of the adapter that is learnt, as peft calls the first one."""


@dataclass
class LanguageModel:
    """A model with its tokenizer. `model` may carry adapters."""

    model: Any
    tokenizer: Any
    seq2seq: bool

    def prompt_ids(self, instruction: str, longest: int) -> list[int]:
        """Return the tokens of an instruction, cut to `longest`; an encoder gets them with its end mark."""
        if self.seq2seq:
            return self._ids(instruction)[: longest - 1] + [self.tokenizer.eos_token_id]
        return self._ids(self.prompt_text(instruction, longest))

    def prompt_text(self, instruction: str, longest: int) -> str:
        """Return what a decoder is given: its chat template as a server of the OpenAI protocol renders it.

        Without a template it is the instruction and an empty line.
        """
        cut = self.cut(instruction, longest)
        if not self.tokenizer.chat_template:
            return f"{cut}\n\n"
        said = [{"role": "user", "content": cut}]
        return str(self.tokenizer.apply_chat_template(said, add_generation_prompt=True, tokenize=False))

    def cut(self, text: str, longest: int) -> str:
        """Return the text, cut to `longest` tokens."""
        ids = self._ids(text)
        return text if len(ids) <= longest else str(self.tokenizer.decode(ids[:longest]))

    def reply_ids(self, text: str, longest: int) -> list[int]:
        """Return the tokens of an answer, cut to `longest`, with the end mark."""
        return self._ids(text)[: longest - 1] + [self.tokenizer.eos_token_id]

    def text(self, ids: list[int]) -> str:
        """Return the text of answer tokens."""
        return str(self.tokenizer.decode(ids, skip_special_tokens=True)).strip()

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def open_model(name: str) -> LanguageModel:
    """Open a base: the folder of a phase that trained every weight, any folder with a model, or a model's name."""
    path = Path(name)
    source = str(path / "model") if is_finished(path) else name
    try:
        seq2seq = bool(AutoConfig.from_pretrained(source).is_encoder_decoder)
        kind = AutoModelForSeq2SeqLM if seq2seq else AutoModelForCausalLM
        return LanguageModel(kind.from_pretrained(source), _tokenizer(source), seq2seq)
    except (OSError, ValueError) as fault:
        raise BadModel(f"{name} holds no model that can be opened: {str(fault).splitlines()[0][:200]}") from None


def _tokenizer(source: str) -> Any:
    tokenizer = AutoTokenizer.from_pretrained(source)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def open_policy(folder: Path, *, trainable: bool = False) -> LanguageModel:
    """Open the result of any phase, with its adapter if it has one. Raises BadModel."""
    phase = read_phase(folder)
    if not (folder / "adapter").is_dir():
        return open_model(str(folder))
    base = open_model(phase["base"])
    base.model = PeftModel.from_pretrained(base.model, str(folder / "adapter"), is_trainable=trainable)
    return base


def with_lora(language_model: LanguageModel, lora: LoraSettings) -> None:
    """Freeze the model and put a new adapter on it: A random, B zero, bias none (CoARL, section 4, phase 2)."""
    task = TaskType.SEQ_2_SEQ_LM if language_model.seq2seq else TaskType.CAUSAL_LM
    config = LoraConfig(
        task_type=task,
        r=lora.r,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules=list(lora.targets),
        bias="none",
    )
    try:
        language_model.model = get_peft_model(language_model.model, config)
    except ValueError as fault:
        raise BadModel(f"lora.targets: {str(fault)[:200]}") from None


def with_reference(language_model: LanguageModel, folder: Path) -> None:
    """Add the frozen adapter of phase 2 under the name `reference`."""
    language_model.model.load_adapter(str(folder / "adapter"), REFERENCE, is_trainable=False)
    language_model.model.set_adapter(LEARNT)
    for name, weight in language_model.model.named_parameters():
        weight.requires_grad_(f".{LEARNT}." in name)


def base_digest(model: Any) -> str:
    """Return a SHA-256 of the weights that belong to no adapter, by name, type and bits."""
    digest = hashlib.sha256()
    weights = {name.replace("base_model.model.", "").replace(".base_layer", ""): weight
               for name, weight in model.state_dict().items() if ".lora_" not in name}  # fmt: skip
    for name in sorted(weights):
        weight = weights[name].detach().cpu().contiguous()
        digest.update(f"{name} {weight.dtype} {tuple(weight.shape)}".encode())
        digest.update(weight.view(torch.uint8).numpy().tobytes() if weight.ndim else bytes(weight.numpy().tobytes()))
    return digest.hexdigest()


def device() -> torch.device:
    """Return the accelerator, or the processor where there is none."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
