"""BERTScore where it is installed, where it is not, and where its weights are not: the package itself is no part."""

from collections.abc import Sequence
from typing import Any

import pytest

from providers.messages import ProviderError
from providers.vendors import bertscore


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bertscore, "_score", None)
    with pytest.raises(ProviderError, match="install the extra `bertscore`") as refused:
        bertscore.f1([["a"]], ["a"], "en")
    assert refused.value.code == "bad_request"


def test_each_reply_is_held_to_all_of_its_references_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def score(replies: list[str], references: list[list[str]], lang: str) -> tuple[Any, Any, Sequence[float]]:
        asked.append((replies, references, lang))
        return [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]  # precision, recall, F1

    monkeypatch.setattr(bertscore, "_score", score)
    assert bertscore.f1([["one", "two"], ["three"]], ["eins", "drei"], "de") == [0.5, 0.6]
    assert asked == [(["eins", "drei"], [["one", "two"], ["three"]], "de")]
    assert bertscore.f1([], [], "en") == [] and len(asked) == 1


def test_missing_weights_are_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def score(*given: Any, **named: Any) -> Any:
        raise OSError("We couldn't connect to load this file.")

    monkeypatch.setattr(bertscore, "_score", score)
    with pytest.raises(ProviderError, match="put its weights in place"):
        bertscore.f1([["a"]], ["a"], "en")
