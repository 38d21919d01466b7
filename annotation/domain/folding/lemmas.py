"""Basic forms of European words, by the dictionaries and rules of simplemma.

A dictionary is a trie in a file: it takes some megabytes, and a hundred as a table. The first process that asks for a
language makes the file, in ten seconds at the most. The others open it. Where no file can be kept (`FOLDER` is None,
or the disk refuses), each process makes its tries for itself.
"""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import simplemma

FOLDER: Path | None = None
"""Where the files are kept, in a folder for each version of simplemma. The app sets it when it starts."""


class _Dictionaries:
    """The dictionaries that a process has asked for; simplemma asks it for them."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder and folder / simplemma.__version__
        self._loaded: dict[str, Mapping[str, str]] = {}
        self._lock = Lock()

    def get_dictionary(self, lang: str) -> Mapping[str, str]:
        """Return the dictionary of a language: word → basic form. Each is loaded once."""
        if lang not in self._loaded:
            with self._lock:
                if lang not in self._loaded:
                    self._loaded[lang] = self._load(lang)
        return self._loaded[lang]

    def _load(self, language: str) -> Mapping[str, str]:
        if self._folder is None:
            return _tries(None).get_dictionary(language)
        kept = self._folder / f"{language}.dic"
        try:
            if not kept.exists():
                self._keep(language, kept)
            return _tries(self._folder).get_dictionary(language)
        except (OSError, RuntimeError):  # the disk refuses, or the file is no trie
            return _tries(None).get_dictionary(language)

    def _keep(self, language: str, kept: Path) -> None:
        """Write a dictionary beside its place and move it there, so that no process opens half of one."""
        kept.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as unfinished:
            _tries(Path(unfinished)).get_dictionary(language)
            os.replace(Path(unfinished) / kept.name, kept)


def _tries(folder: Path | None) -> "simplemma.strategies.dictionaries.DictionaryFactory":
    return simplemma.strategies.dictionaries.TrieDictionaryFactory(
        use_disk_cache=folder is not None, disk_cache_dir=None if folder is None else str(folder)
    )


@cache
def _dictionaries() -> _Dictionaries:
    return _Dictionaries(FOLDER)


@cache
def _lookup() -> Any:
    return simplemma.strategies.DictionaryLookupStrategy(_dictionaries())


@cache
def _lemmatizer() -> Any:
    return simplemma.Lemmatizer(
        lemmatization_strategy=simplemma.strategies.DefaultStrategy(dictionary_factory=_dictionaries())
    )


@cache
def languages() -> frozenset[str]:
    """Return the codes of the languages that have a dictionary."""
    return frozenset(simplemma.strategies.dictionaries.dictionary_factory.SUPPORTED_LANGUAGES)


def by_dictionary(word: str, language: str) -> str | None:
    """Return the basic form of a word by the dictionary alone. Returns None if it does not have the word."""
    # NUL ends the words within the dictionary's file.
    basic: str | None = None if "\0" in word else _lookup().get_lemma(word, language)
    return basic


def by_rules(word: str, language: str) -> str:
    """Return the basic form of a word by dictionary, then by the rules of the language; else the word itself."""
    basic: str = word if "\0" in word else _lemmatizer().lemmatize(word, lang=language)
    return basic
