import re

import pytest

from vocabulary.late_patterns import late


def test_a_late_pattern_finds_what_the_compiled_one_finds() -> None:
    pattern, compiled = late(r"(ro)se", re.IGNORECASE), re.compile(r"(ro)se", re.IGNORECASE)
    text = "Rose, rose"
    assert pattern.findall(text) == compiled.findall(text) == ["Ro", "ro"]
    assert pattern.sub("x", text) == compiled.sub("x", text)
    assert (pattern.pattern, pattern.flags, pattern.search("tulip")) == (compiled.pattern, compiled.flags, None)


def test_it_is_compiled_at_its_first_use_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, compile_now = [], re.compile
    pattern = late("rose")
    monkeypatch.setattr(re, "compile", lambda *asked: compiled.append(asked[0]) or compile_now(*asked))
    for _ in range(2):
        pattern.search("a rose")
        pattern.match("a rose")
    assert compiled == ["rose"]


def test_a_wrong_pattern_is_told_when_it_is_used() -> None:
    with pytest.raises(re.error):
        late("(rose").search("a rose")
