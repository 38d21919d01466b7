"""Texts as vectors by meaning, without a vendor: means of word vectors from the wheel of wordllama, an optional extra.

The vectors know English and nearly no other language, so only texts in Latin letters get them; all others are compared
by their spelling. The package itself is not imported: it sets up logging and looks for missing files on the network.
Only its two files are read, and both lie in the wheel.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from providers.messages import ProviderError
from providers.vendors.embeddings import DIMENSIONS, LONGEST, LocalEmbedding, Vectors, normalised

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "wordllama"
MISSING = f"{PACKAGE} is not installed here: install the extra `embeddings`, or set MODEL_EMBEDDING to local."
_WEIGHTS, _TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
_AT_ONCE = 500


class WordVectorEmbedding:
    """English by meaning, all other scripts by spelling: nothing leaves the machine, always the same.

    A vector has two halves, of which one is zeros: by meaning for texts in Latin letters, else by spelling. Texts of
    different scripts are therefore never near.
    """

    name = f"local:{PACKAGE}-l2-supercat-256+{LocalEmbedding.name.partition(':')[2]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors; see `Embedder.embed`.

        Raises ProviderError if the package or its files are missing.
        """
        vectors = np.zeros((len(texts), 2 * DIMENSIONS), np.float32)
        latin = [row for row, text in enumerate(texts) if _is_latin(text[:LONGEST])]
        others = sorted(set(range(len(texts))) - set(latin))
        vectors[latin, :DIMENSIONS] = by_meaning([texts[row] for row in latin])
        vectors[others, DIMENSIONS:] = LocalEmbedding().embed([texts[row] for row in others])
        return vectors


def by_meaning(texts: Sequence[str]) -> Vectors:
    """Return the scaled mean of the word vectors of each text, whatever its script.

    Raises ProviderError if the package or its files are missing.
    """
    table, encode = _loaded()
    vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
    for start in range(0, len(texts), _AT_ONCE):
        part = [_encodable(text[:LONGEST]) for text in texts[start : start + _AT_ONCE]]
        for row, encoding in enumerate(encode(part, add_special_tokens=False), start):
            known = [token for token in encoding.ids if token < len(table)]
            if known:
                vectors[row] = table[known].mean(axis=0, dtype=np.float32)
    return normalised(vectors)


def _is_latin(text: str) -> bool:
    """Return whether more than half of the text's letters are Latin; U+024F is the last of them."""
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(letter <= "\u024f" for letter in letters) > len(letters)


def _encodable(text: str) -> str:
    """Return the text without white space around it; half of a surrogate pair becomes a question mark."""
    return text.strip().encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=1)
def _loaded() -> tuple[NDArray[np.float16], Callable[..., Any]]:
    """Return the table of word vectors, and the function that turns texts into rows of it. Read once per process."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ProviderError(MISSING, code="bad_request")
    folder = Path(spec.submodule_search_locations[0])
    if missing := [name for name in (_WEIGHTS, _TOKENIZER) if not (folder / name).is_file()]:
        raise ProviderError(f"{PACKAGE} lacks its file {missing[0]}: install another release.", code="bad_request")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads would not survive a fork
    with import_module("safetensors").safe_open(folder / _WEIGHTS, framework="np") as file:
        table = file.get_tensor("embedding.weight")
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(folder / _TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return table, tokenizer.encode_batch
