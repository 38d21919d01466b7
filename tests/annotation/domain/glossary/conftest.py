"""Dictionaries of ten languages take a gigabyte: they go with the file whose tests asked for them."""

import gc
from collections.abc import Iterator

import pytest

from annotation.domain.glossary import endings


@pytest.fixture(autouse=True, scope="module")
def _no_dictionary_outlives_the_file() -> Iterator[None]:
    yield
    for kept in (endings._dictionaries, endings._dictionary, endings._lemmatizer):
        kept.cache_clear()
    gc.collect()
