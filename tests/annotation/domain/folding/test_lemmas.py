"""Dictionaries of European words: kept as files, and there without them."""

from pathlib import Path

import pytest
import simplemma

from annotation.domain.folding.lemmas import _Dictionaries, by_dictionary, by_rules

LANGUAGE = "ms"
"""One with a small dictionary."""


def kept(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_dictionary_is_made_once_and_kept_as_a_file(tmp_path: Path) -> None:
    made = _Dictionaries(tmp_path).get_dictionary(LANGUAGE)
    [file] = kept(tmp_path)
    written = file.stat().st_mtime_ns
    opened = _Dictionaries(tmp_path).get_dictionary(LANGUAGE)
    assert kept(tmp_path) == [file] and file.stat().st_mtime_ns == written
    as_table = simplemma.strategies.DefaultDictionaryFactory().get_dictionary(LANGUAGE)
    words = list(as_table)[:200]
    assert [made[word] for word in words] == [opened[word] for word in words] == [as_table[word] for word in words]
    assert len(made) == len(as_table) > len(words)
    assert opened.get("no-such-word") is None


def test_a_process_loads_each_dictionary_once(tmp_path: Path) -> None:
    dictionaries = _Dictionaries(tmp_path)
    assert dictionaries.get_dictionary(LANGUAGE) is dictionaries.get_dictionary(LANGUAGE)


@pytest.mark.parametrize("damage", [b"", b"no trie"])
def test_a_damaged_file_costs_time_only(damage: bytes, tmp_path: Path) -> None:
    whole = _Dictionaries(tmp_path).get_dictionary(LANGUAGE)
    [file] = kept(tmp_path)
    file.write_bytes(damage)
    assert len(_Dictionaries(tmp_path).get_dictionary(LANGUAGE)) == len(whole)


def test_a_disk_that_refuses_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "no folder").write_bytes(b"")
    assert _Dictionaries(tmp_path / "no folder").get_dictionary(LANGUAGE)


@pytest.mark.parametrize("word", ["\0", "going\0", "\0going"])
def test_a_word_with_nul_is_in_no_dictionary(word: str) -> None:
    assert (by_dictionary(word, "en"), by_rules(word, "en")) == (None, word)
