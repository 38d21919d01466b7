"""Texts by meaning without a vendor: read from the wheel's two files, offline, and one clear sentence without them."""

import logging
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from providers import bindings, wiring
from providers.messages import ProviderError
from providers.vendors import word_vectors
from providers.vendors.embeddings import DIMENSIONS, LONGEST, LocalEmbedding
from providers.vendors.word_vectors import WordVectorEmbedding, by_meaning

WORDS = ["<unk>", "roses", "weeds", "장미"]


@pytest.fixture(autouse=True)
def _read_anew() -> Iterator[None]:
    word_vectors._loaded.cache_clear()
    yield
    word_vectors._loaded.cache_clear()


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of the same form with four words; word n has a 1 at place n, and the last one another vector."""
    folder = tmp_path / "wordllama"
    for name in ("weights", "tokenizers"):
        (folder / name).mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('the package itself is never imported')")
    table = np.eye(3, DIMENSIONS, dtype=np.float16)  # the tokenizer knows one word more than the table has
    save_file({"embedding.weight": table}, folder / "weights/l2_supercat_256.safetensors")
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizers/l2_supercat_tokenizer_config.json"))
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_a_text_is_the_mean_of_its_words_scaled_to_length_one(wheel: Path):
    [vector, other, blank] = by_meaning(["roses roses weeds", " weeds\n", "  "])
    # Twice place 1, once place 2: (2, 1)/√5.
    assert vector[:3] == pytest.approx([0, 2 / 5**0.5, 1 / 5**0.5])
    assert other[:3] == pytest.approx([0, 0, 1])
    assert not blank.any()
    assert by_meaning([]).shape == (0, DIMENSIONS)
    assert "wordllama" not in sys.modules


def test_a_word_outside_the_table_counts_for_nothing(wheel: Path):
    [known, alone] = by_meaning(["roses 장미", "장미"])
    assert known[1] == pytest.approx(1)
    assert not alone.any()


def test_latin_letters_go_by_meaning_and_all_others_by_spelling(wheel: Path):
    texts = ["roses!", "장미가 피었다", "", "🌹🌹", "rosa 장미가 피었다", "Розы"]
    vectors = WordVectorEmbedding().embed(texts)
    assert vectors.shape == (6, 2 * DIMENSIONS)
    halves = [(bool(row[:DIMENSIONS].any()), bool(row[DIMENSIONS:].any())) for row in vectors]
    assert halves == [(True, False), (False, True), (False, False), (False, True), (False, True), (False, True)]
    assert np.array_equal(vectors[1, DIMENSIONS:], LocalEmbedding().embed([texts[1]])[0])
    assert vectors[0] @ vectors[1] == 0
    assert WordVectorEmbedding().embed([]).shape == (0, 2 * DIMENSIONS)


def test_many_long_and_broken_texts_are_embedded_in_order(wheel: Path):
    texts = [*["roses"] * 700, "weeds", "\ud800 roses", "weeds " * LONGEST]
    vectors = WordVectorEmbedding().embed(texts)
    assert [int(np.argmax(vectors[row])) for row in (0, 699, 700, 702)] == [1, 1, 2, 2]
    assert vectors[701].any()


def test_it_is_chosen_by_its_name_and_stored_apart_from_other_embeddings(settings: Any, wheel: Path):
    settings.MODEL_EMBEDDING = "local:wordllama"
    embedder = wiring.embedder()
    assert embedder.name == "local:wordllama-l2-supercat-256+ngrams-1" != LocalEmbedding().name
    assert embedder.embed(["roses"]).shape == (1, 2 * DIMENSIONS)


def test_without_the_extra_the_setting_is_refused_in_one_sentence(settings: Any, monkeypatch: pytest.MonkeyPatch):
    settings.MODEL_EMBEDDING = "local:wordllama"
    for module in (wiring, word_vectors):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(bindings.NotConfigured, match="install the extra embeddings"):
        wiring.embedder()
    with pytest.raises(ProviderError, match="install the extra `embeddings`, or set MODEL_EMBEDDING to local"):
        by_meaning(["roses"])


def test_another_layout_of_the_package_is_named_and_nothing_is_fetched(
    wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("somebody opened a connection"))
    (wheel / "tokenizers/l2_supercat_tokenizer_config.json").unlink()
    with pytest.raises(ProviderError, match="lacks its file tokenizers/l2_supercat"):
        by_meaning(["roses"])


def test_a_local_embedding_of_another_name_is_refused(settings: Any):
    settings.MODEL_EMBEDDING = "local:bert"
    with pytest.raises(bindings.NotConfigured, match="local:wordllama"):
        wiring.embedder()


def test_the_real_wheel_is_read_offline_and_knows_what_words_mean(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("somebody opened a connection"))
    monkeypatch.setenv("HOME", str(tmp_path))
    handlers = list(logging.getLogger().handlers)
    weather, sun, market = by_meaning(["the weather is lovely", "it is sunny today", "the stock market fell"])
    assert weather @ sun > 0.3 > 0.2 > weather @ market
    assert logging.getLogger().handlers == handlers
    assert not list(tmp_path.iterdir())
