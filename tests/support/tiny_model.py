"""Write a language model of random weights as a GGUF file, for servers that run such files.

    python tests/support/tiny_model.py FILE [--seed 1]

It is a Llama of one layer and a few hundred kilobytes, whose tokens are bytes and some words. It knows nothing: a
server that holds it to a grammar makes it answer in the form that was asked for, with words at random.
"""

import argparse
import struct
from pathlib import Path
from typing import Any

import numpy as np

_WIDTH, _HEADS, _INNER = 64, 2, 64
_CONTEXT = 32768
_ALIGNED = 32
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
_WORDS = (
    "the post speaks of a garden roses weeds people street sign white and not hateful because it says so this claim "
    "quotes words picture reason attack group newcomers meant readers plain joke insult argument evidence reply calm "
    "question fair kind about their them who what where open hidden quoted harmless clear weak strong point case"
)
_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)
_LIKELY = {'"': 1.3, "0": 2.0, "{": 0.5, "]}": 0.0, ",": -0.7, "123456789": -0.5, ".-+eE \n\t\\": -3.0}
_FIRST_BYTE = 3
_UINT32, _FLOAT32, _BOOL, _STRING, _ARRAY, _INT32 = 4, 6, 7, 8, 9, 5


def write_model(path: Path, seed: int = 1) -> None:
    """Write the model; the same seed writes the same file."""
    tokens, kinds = _vocabulary()
    fields = _fields(tokens, kinds)
    tensors = _tensors(tokens, np.random.default_rng(seed))
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(fields))
    head += b"".join(_text(name) + value for name, value in fields.items())
    place = 0
    for name, tensor in tensors.items():
        sides = tensor.shape[::-1]  # the file counts them from the innermost
        head += _text(name) + struct.pack(f"<I{len(sides)}QIQ", len(sides), *sides, 0, place)
        place += -(-tensor.nbytes // _ALIGNED) * _ALIGNED
    with path.open("wb") as file:
        file.write(_padded(head))
        for tensor in tensors.values():
            file.write(_padded(tensor.tobytes()))


def _vocabulary() -> tuple[list[str], list[int]]:
    bytes_ = [f"<0x{number:02X}>" for number in range(256)]
    words = ["\u2581", *(f"\u2581{word}" for word in dict.fromkeys(_WORDS.split()))]
    kinds = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_NORMAL] * len(words)]
    return ["<unk>", "<s>", "</s>", *bytes_, *words], kinds


def _fields(tokens: list[str], kinds: list[int]) -> dict[str, bytes]:
    counts = {
        "vocab_size": len(tokens),
        "context_length": _CONTEXT,
        "embedding_length": _WIDTH,
        "block_count": 1,
        "feed_forward_length": _INNER,
        "attention.head_count": _HEADS,
        "attention.head_count_kv": _HEADS,
        "rope.dimension_count": _WIDTH // _HEADS,
    }
    return {
        "general.architecture": _string("llama"),
        "general.name": _string("random"),
        **{f"llama.{name}": struct.pack("<II", _UINT32, count) for name, count in counts.items()},
        "llama.attention.layer_norm_rms_epsilon": struct.pack("<If", _FLOAT32, 1e-5),
        "tokenizer.ggml.model": _string("llama"),
        "tokenizer.ggml.tokens": _array(_STRING, [_text(token) for token in tokens]),
        "tokenizer.ggml.scores": _array(_FLOAT32, [struct.pack("<f", 0.0)] * len(tokens)),
        "tokenizer.ggml.token_type": _array(_INT32, [struct.pack("<i", kind) for kind in kinds]),
        "tokenizer.ggml.unknown_token_id": struct.pack("<II", _UINT32, 0),
        "tokenizer.ggml.bos_token_id": struct.pack("<II", _UINT32, 1),
        "tokenizer.ggml.eos_token_id": struct.pack("<II", _UINT32, 2),
        "tokenizer.ggml.add_bos_token": struct.pack("<I?", _BOOL, True),
        "tokenizer.ggml.add_space_prefix": struct.pack("<I?", _BOOL, False),
        "tokenizer.chat_template": _string(_TEMPLATE),
    }


def _tensors(tokens: list[str], random: np.random.Generator) -> dict[str, Any]:
    def drawn(rows: int, columns: int, scale: float) -> Any:
        return random.normal(0.0, scale, (rows, columns))

    embedding, output = drawn(len(tokens), _WIDTH, 1.0), drawn(len(tokens), _WIDTH, 0.4)
    # One direction that all tokens share tells how likely each is as such: mostly words, now and then the end of a
    # sentence; where a number is wanted, a 0; where a list may be empty, an entry, and then the end of the list.
    embedding[:, 0], output[:, 0] = 6.0, -1.0
    output[_FIRST_BYTE + 128 : _FIRST_BYTE + 256, 0] = -9.0  # bytes that are no text by themselves
    output[_FIRST_BYTE + 256 :, 0] = 0.6
    for signs, likely in _LIKELY.items():
        output[[_FIRST_BYTE + ord(sign) for sign in signs], 0] = likely
    output[tokens.index("\u2581"), 0], output[tokens.index("</s>"), 0] = -2.0, 1.5
    block = {
        "attn_norm.weight": np.ones(_WIDTH),
        **{f"attn_{name}.weight": drawn(_WIDTH, _WIDTH, 0.15) for name in ("q", "k", "v", "output")},
        "ffn_norm.weight": np.ones(_WIDTH),
        **{f"ffn_{name}.weight": drawn(_INNER, _WIDTH, 0.1) for name in ("gate", "up", "down")},
    }
    tensors = {
        "token_embd.weight": embedding,
        "output_norm.weight": np.ones(_WIDTH),
        "output.weight": output,
        **{f"blk.0.{name}": tensor for name, tensor in block.items()},
    }
    return {name: tensor.astype("<f4") for name, tensor in tensors.items()}


def _padded(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % _ALIGNED)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _string(text: str) -> bytes:
    return struct.pack("<I", _STRING) + _text(text)


def _array(kind: int, values: list[bytes]) -> bytes:
    return struct.pack("<IIQ", _ARRAY, kind, len(values)) + b"".join(values)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write_model(options.file, options.seed)
