"""Texts as vectors: the built-in embedding, and what the vendors' embeddings share (design section 6).

Every vector has length 1, so that a dot product is a cosine; a text without anything to embed gives zeros, which is
near to nothing.
"""

from __future__ import annotations

import math
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from providers.messages import ProviderError

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS = 256
LONGEST = 4000
"""Characters of a text that are embedded; the rest is left out, since every vendor has a limit of its own."""

Vectors: TypeAlias = "NDArray[np.float32]"


class Embedder(Protocol):
    """Turns texts into vectors; vectors of embedders with different names must never be compared.

    `name` is `provider:model`, with the dimensions if they are not 256.
    """

    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, of length 1.

        Raises ProviderError, ProviderBusy, ProviderPaused or Refused.
        """
        ...


class Sender(Protocol):
    """One exchange with a vendor about a few texts, none of them empty."""

    name: str
    batch: int

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, as the vendor gives them."""
        ...


class Batched:
    """A vendor's embedding: any number of texts in batches of the size that the vendor accepts."""

    def __init__(self, sender: Sender, *, dimensions: int = DIMENSIONS) -> None:
        self._sender = sender
        self._dimensions = dimensions
        own = "" if dimensions == DIMENSIONS else f"/{dimensions or 'own'}"
        self.name = f"{sender.name}{own}"

    def through(self, wrap: Callable[[Sender], Sender]) -> Batched:
        """Return the same embedding with each exchange made by what `wrap` returns for the vendor's."""
        wrapped = copy(self)
        wrapped._sender = wrap(self._sender)
        return wrapped

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors; see `Embedder.embed`. Blank texts are not sent."""
        sent = [(place, text[:LONGEST]) for place, text in enumerate(texts) if text.strip()]
        size = self._sender.batch
        parts = [self._sender.vectors([text for _, text in sent[at : at + size]]) for at in range(0, len(sent), size)]
        width = parts[0].shape[1] if parts else self._dimensions or DIMENSIONS
        if any(part.shape[1] != width for part in parts):
            raise ProviderError(f"{self.name} answered with vectors of different dimensions")
        vectors = np.zeros((len(texts), width), np.float32)
        if sent:
            vectors[[place for place, _ in sent]] = np.vstack(parts)
        return normalised(vectors)


class LocalEmbedding:
    """Hashed character n-grams: no model, no network, always the same. Near means spelled alike, not meant alike.

    Texts are normalised (NFKD, so that Korean syllables become letters; case; white space). CRC-32 maps each 2- and
    3-gram to one of 256 dimensions with a sign, where it counts 1 + ln(its frequency).
    """

    name = "local:ngrams-1"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors; see `Embedder.embed`."""
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            folded = " ".join(unicodedata.normalize("NFKD", text[:LONGEST]).casefold().split())
            if not folded:
                continue
            padded = f" {folded} "
            grams = Counter(padded[at : at + size] for size in _SIZES for at in range(len(padded) - size + 1))
            for gram, count in grams.items():
                code = zlib.crc32(gram.encode("utf-8", "surrogatepass"))
                row[code % DIMENSIONS] += (1 if code >> 16 & 1 else -1) * (1 + math.log(count))
        return normalised(vectors)


_SIZES = (2, 3)


def normalised(vectors: Vectors) -> Vectors:
    """Return the rows scaled to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def read_vectors(provider: str, rows: Iterable[tuple[object, object]], count: int, dimensions: int) -> Vectors:
    """Return the vectors of a vendor's answer, given as (index, numbers); `dimensions` 0 accepts any.

    Raises ProviderError if one is missing, extra, of another length, or not a number: such a vector would silently make
    everything near or far.
    """
    by_index: dict[int, object] = {}
    for index, numbers in rows:
        if not isinstance(index, int) or index in by_index:
            raise ProviderError(f"{provider} answered with vectors that cannot be told apart")
        by_index[index] = numbers
    if sorted(by_index) != list(range(count)):
        raise ProviderError(f"{provider} answered {len(by_index)} vectors for {count} texts")
    try:
        vectors = np.array([by_index[place] for place in range(count)], np.float32)
    except (ValueError, TypeError) as fault:
        raise ProviderError(f"{provider} answered with vectors that are no rows of numbers") from fault
    if vectors.ndim != 2 or vectors.shape[1] != (dimensions or vectors.shape[1]) or not vectors.shape[1]:
        width = vectors.shape[1] if vectors.ndim == 2 else "no"
        raise ProviderError(
            f"{provider} answered vectors of {width} dimensions, not of {dimensions}: set MODEL_EMBEDDING_DIMENSIONS "
            "to 0 for a model that has its own"
        )
    if not np.isfinite(vectors).all():
        raise ProviderError(f"{provider} answered vectors that hold no finite numbers")
    return vectors
