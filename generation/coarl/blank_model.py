"""Small models from random weights, with a tokenizer trained on the training files: for tests and for a first try.

They know no language before they are trained: what they show is that the phases work, not how good the method is.
"""

from pathlib import Path
from typing import Any, Literal

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from generation.coarl.ablations import BadModel
from generation.coarl.training_data import TrainingData

Architecture = Literal["t5", "gpt2"]
PAD, END, UNKNOWN = "<pad>", "</s>", "<unk>"


def write_blank_model(
    architecture: Architecture, data: TrainingData, out: Path, *, width: int, layers: int, vocabulary: int, seed: int
) -> int:
    """Write a model and its tokenizer into a folder. Return the number of weights."""
    tokenizer = _tokenizer_of(data, vocabulary)
    torch.manual_seed(seed)
    ends = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id}
    if architecture == "t5":
        config = T5Config(
            vocab_size=len(tokenizer), d_model=width, d_kv=width // 4, d_ff=4 * width, num_layers=layers, num_heads=4,
            feed_forward_proj="gated-gelu", dropout_rate=0.0, decoder_start_token_id=tokenizer.pad_token_id, **ends,
        )  # fmt: skip
        model = T5ForConditionalGeneration(config)
    else:
        config = GPT2Config(
            vocab_size=len(tokenizer), n_embd=width, n_layer=layers, n_head=4, n_positions=1024,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=tokenizer.eos_token_id, **ends,
        )  # fmt: skip
        model = GPT2LMHeadModel(config)
    return _saved(model, tokenizer, out)


def write_blank_architecture(config_file: Path, data: TrainingData, out: Path, *, seed: int) -> int:
    """Write a public architecture at its own size, from its `config.json`. Return the number of weights.

    Raises BadModel if no model can be made of the file. The tokenizer has at most as many tokens as the model.
    """
    try:
        config = AutoConfig.from_pretrained(str(config_file))
        tokenizer = _tokenizer_of(data, config.vocab_size)
        config.update({
            "pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id,
            "bos_token_id": tokenizer.eos_token_id, "decoder_start_token_id": tokenizer.pad_token_id,
        })  # fmt: skip
        torch.manual_seed(seed)
        kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
        return _saved(kind.from_config(config), tokenizer, out)
    except (OSError, ValueError, AttributeError) as fault:
        raise BadModel(f"{config_file} describes no model: {str(fault).splitlines()[0][:200]}") from None


def _saved(model: Any, tokenizer: PreTrainedTokenizerFast, out: Path) -> int:
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    return sum(weight.numel() for weight in model.parameters())


def _tokenizer_of(data: TrainingData, vocabulary: int) -> PreTrainedTokenizerFast:
    rows = (*data.explanations, *data.replies)
    return trained_tokenizer([text for row in rows for text in (row.instruction, row.target)], vocabulary)


def trained_tokenizer(texts: list[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """Return a BPE tokenizer over bytes, trained on the texts; every text can be written with it."""
    tokenizer = Tokenizer(models.BPE(unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=max(vocabulary, 256 + 3),
        special_tokens=[PAD, END, UNKNOWN],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token=PAD, eos_token=END, unk_token=UNKNOWN, padding_side="left"
    )
