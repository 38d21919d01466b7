"""Vectors of texts: the built-in embedding, and both vendors' over the wire."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from providers import bindings, wiring
from providers.messages import ProviderError, ProviderPaused, Refused
from providers.vendors.embeddings import DIMENSIONS, LONGEST, LocalEmbedding
from wire.server import Behaviour, WireServer, status, vectors

Choose = Callable[..., None]


def test_the_same_text_always_has_the_same_vector_of_length_one():
    [first] = LocalEmbedding().embed(["weeds in the white roses"])
    _other, second = LocalEmbedding().embed(["x", "Weeds in  THE white roses"])
    assert first.shape == (DIMENSIONS,)
    assert first.dtype == np.float32
    assert np.array_equal(first, second)
    assert np.linalg.norm(first) == pytest.approx(1, abs=1e-6)


def test_n_grams_lie_where_their_checksum_says():
    # " ab ": CRC-32 of " a", "ab", "b ", " ab", "ab "; the place is the checksum mod 256, the sign its bit 16.
    [vector] = LocalEmbedding().embed(["ab"])
    assert {int(place): round(float(vector[place]), 4) for place in vector.nonzero()[0]} == {
        18: -0.4472,
        96: -0.4472,
        109: 0.4472,
        147: -0.4472,
        232: 0.4472,
    }


def test_texts_that_are_spelled_alike_are_near_and_an_empty_one_is_near_to_nothing():
    found = LocalEmbedding().embed(["잡초를 뽑아야 한다", "잡초를 뽑자", "a lovely afternoon", " \n"])
    assert found[0] @ found[1] > 0.4 > found[0] @ found[2]
    assert not found[3].any()
    assert LocalEmbedding().embed([]).shape == (0, DIMENSIONS)


@pytest.fixture
def choose(settings: Any, wire: WireServer, vendor: str) -> Choose:
    """Sets up a vendor's embedding behind the wire server."""

    def setup(model: str = "some-model", *, dimensions: int = DIMENSIONS) -> None:
        settings.OPENAI_API_KEY = settings.DASHSCOPE_API_KEY = "sk-CANARY-2"
        settings.OPENAI_BASE_URL, settings.DASHSCOPE_HTTP_BASE_URL = wire.openai_url, wire.dashscope_url
        settings.MODEL_EMBEDDING, settings.MODEL_EMBEDDING_DIMENSIONS = f"{vendor}:{model}", dimensions
        settings.MODEL_BACKOFF, settings.MODEL_READ_SECONDS, settings.MODEL_WALL_SECONDS = 0, 1, 2

    return setup


def test_many_texts_go_in_batches_and_come_back_in_order(choose: Choose, wire: WireServer, vendor: str):
    choose()
    wire.queue(vectors(lambda rows: rows[::-1]))  # the order of an answer says nothing, its indices do
    texts = [f"word{number} rest" for number in range(40)]
    embedder = wiring.embedder()
    found = embedder.embed([*texts[:3], "  ", *texts[3:]])
    assert found.shape == (41, 256)
    assert not found[3].any()  # white space is not sent
    assert [text for heard in wire.heard for text in heard.texts] == texts
    assert [len(heard.texts) for heard in wire.heard] == ([32, 8] if vendor == "openai" else [10, 10, 10, 10])
    assert {heard.dimensions for heard in wire.heard} == {256}
    [again] = embedder.embed([texts[20]])
    assert np.array_equal(again, found[21])
    assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1, 1, 0, *[1] * 37], abs=1e-6)


def test_a_model_with_dimensions_of_its_own_is_not_asked_for_others(choose: Choose, wire: WireServer):
    choose(dimensions=0)
    wire.queue(vectors(dimensions=384))
    assert wiring.embedder().embed(["a"]).shape == (1, 384)
    assert wire.heard[0].dimensions == 0
    assert wiring.embedder().name.endswith("/own")


def test_of_a_long_text_the_beginning_is_sent(choose: Choose, wire: WireServer):
    choose()
    wiring.embedder().embed(["x" * (LONGEST + 1)])
    assert wire.heard[0].texts == ["x" * LONGEST]


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (vectors(lambda rows: rows[1:]), "1 vectors for 2 texts"),
        (vectors(lambda rows: [*rows, (2, rows[0][1])]), "3 vectors for 2 texts"),
        (vectors(lambda rows: [rows[0], rows[0]]), "told apart"),
        (vectors(dimensions=1024), "1024 dimensions, not of 256"),
        (vectors(lambda rows: [(0, [float("nan")] * 256), rows[1]]), "no finite"),
        (vectors(lambda rows: [(0, ["a"] * 256), rows[1]]), "no rows of numbers"),  # type: ignore[list-item]
        (vectors(lambda rows: [(0, [0.5]), rows[1]]), "no rows of numbers"),
    ],
    ids=["fewer", "more", "twice", "dimensions", "nan", "words", "ragged"],
)
def test_vectors_that_cannot_be_used_are_a_fault(choose: Choose, wire: WireServer, behaviour: Behaviour, said: str):
    choose()
    wire.queue(behaviour)
    with pytest.raises(ProviderError, match=said):
        wiring.embedder().embed(["a", "b"])
    assert len(wire.heard) == 1


def test_a_passing_fault_is_asked_again(choose: Choose, wire: WireServer):
    choose()
    wire.queue("503", "garbage", "html", "list")
    assert wiring.embedder().embed(["a"]).shape == (1, 256)
    assert len(wire.heard) == 5


def test_a_server_without_embeddings_is_asked_once(choose: Choose, wire: WireServer):
    choose()
    wire.queue(status(501, "not_supported_error", "This server does not support embeddings."))
    with pytest.raises(ProviderError, match="does not support embeddings") as fault:
        wiring.embedder().embed(["a"])
    assert (fault.value.code, len(wire.heard)) == ("bad_request", 1)


def test_a_filter_is_a_refusal_and_a_bad_key_is_told_at_once(choose: Choose, wire: WireServer):
    choose()
    wire.queue("blocked")
    with pytest.raises(Refused):
        wiring.embedder().embed(["a"])
    wire.queue(status(401, "invalid_api_key", "Incorrect API key provided: sk-CANARY-2"))
    with pytest.raises(ProviderPaused) as paused:
        wiring.embedder().embed(["a"])
    assert (len(wire.heard), paused.value.is_final) == (2, True)
    assert "CANARY" not in str(paused.value)


def test_without_a_setting_the_built_in_embedding_is_used(settings: Any):
    for name in ("", "local", "local:ngrams-1"):
        settings.MODEL_EMBEDDING = name
        assert wiring.embedder().name == "local:ngrams-1"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai", "must be"),
        ("acme:x", "must be"),
        ("openai:x", "OPENAI_API_KEY"),
        ("dashscope:x", "DASHSCOPE_API_KEY"),
    ],
)
def test_an_embedding_that_cannot_be_asked_is_said_at_once(settings: Any, name: str, said: str):
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = settings.DASHSCOPE_API_KEY = ""
    settings.MODEL_EMBEDDING = name
    with pytest.raises(bindings.NotConfigured, match=said):
        wiring.embedder()
