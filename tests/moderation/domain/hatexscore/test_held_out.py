"""Explanations and refusals by writers who had not read the rules: the figures do not fall below those once reached.

`docs/hatexscore.md` has the figures of the first reading of each set, before any rule was changed for its texts. The
sets `a-` and `b-` were written later than the first one, `c-` after the last change, then `d-`, `e-` and `f-`: before,
between and after the changes by which a sentence that is unsure states nothing. They cost the earlier sets a few rows.
`i-` and `j-` came before and with the rules on what follows a conclusion, whose post is meant, and what a rule says.
Of sets that are called `kept` no table of weights learns. `kept-q-` was sealed until the second opinion stood.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from labelled_explanations import rules_alone
from moderation.domain.hatexscore.htc import verdict
from providers.structured_output import is_refusal

FOLDER = Path(__file__).with_name("held_out")
SETS = ("", "a-", "b-", "d-", "e-", "f-", "h-", "i-", "j-", "k-", "m-", "o-", "p-", "kept-q-")
NOT_FOUND = {
    "e-": ["ko-er05"],
    "f-": ["en-fr05"],
    "j-": ["en-jr13"],
    "kept-q-": ["en-qr04", "en-qr07", "en-qr10", "ko-qr03"],
}
TAKEN = {"kept-q-": ["en-ql10", "en-ql13", "ko-ql09", "ko-ql11", "ko-ql17"]}
"""Verdicts that are taken for a refusal."""


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("conclusions-en", 109, 0),
        ("conclusions-ko", 108, 1),
        ("conclusions-zh", 112, 0),
        ("a-conclusions-en", 54, 0),
        ("a-conclusions-ko", 57, 0),
        ("a-conclusions-zh", 58, 0),
        ("b-conclusions-en", 57, 0),
        ("b-conclusions-ko", 61, 0),
        ("b-conclusions-zh", 57, 1),
        ("c-conclusions-en", 14, 0),
        ("c-conclusions-ko", 13, 0),
        ("c-conclusions-zh", 15, 0),
        ("d-conclusions-en", 67, 1),
        ("d-conclusions-ko", 69, 0),
        ("d-conclusions-zh", 71, 1),
        ("e-conclusions-en", 37, 0),
        ("e-conclusions-ko", 40, 0),
        ("e-conclusions-zh", 38, 0),
        ("f-conclusions-en", 35, 0),
        ("f-conclusions-ko", 33, 0),
        ("f-conclusions-zh", 34, 0),
        ("g-conclusions-en", 34, 0),
        ("g-conclusions-ko", 34, 0),
        ("g-conclusions-zh", 34, 0),
        ("h-conclusions-en", 69, 0),
        ("h-conclusions-ko", 39, 0),
        ("h-conclusions-zh", 36, 0),
        ("i-conclusions-en", 23, 0),
        ("i-conclusions-ko", 27, 0),
        ("i-conclusions-zh", 28, 0),
        ("j-conclusions-en", 14, 0),
        ("j-conclusions-ko", 11, 0),
        ("j-conclusions-zh", 11, 0),
        ("k-conclusions-en", 13, 0),
        ("k-conclusions-ko", 14, 0),
        ("k-conclusions-zh", 13, 0),
        ("l-conclusions-en", 25, 0),
        ("l-conclusions-ko", 22, 0),
        ("l-conclusions-zh", 20, 0),
        ("m-conclusions-en", 14, 0),
        ("m-conclusions-ko", 13, 0),
        ("m-conclusions-zh", 11, 0),
        ("n-conclusions-en", 13, 0),
        ("n-conclusions-ko", 8, 0),
        ("n-conclusions-zh", 8, 1),
        ("o-conclusions-en", 13, 0),
        ("o-conclusions-ko", 14, 0),
        ("o-conclusions-zh", 13, 0),
        ("p-conclusions-en", 21, 0),
        ("p-conclusions-ko", 21, 0),
        ("p-conclusions-zh", 21, 0),
        ("kept-conclusions-en", 29, 1),
        ("kept-conclusions-ko", 30, 0),
        ("kept-conclusions-zh", 30, 0),
        ("kept-q-conclusions-en", 38, 1),
        ("kept-q-conclusions-ko", 39, 3),
        ("kept-q-conclusions-zh", 40, 1),
    ],
)
def test_what_the_rules_alone_answer_stays_right(name: str, right: int, wrong: int) -> None:
    read = [(row["hateful"], rules_alone(row["text"])) for row in rows(name)]
    assert sum(said is not None and said is meant for meant, said in read) >= right
    assert sum(said is not None and said is not meant for meant, said in read) <= wrong


@pytest.mark.parametrize(("language", "right", "wrong"), [("en", 36, 0), ("ko", 37, 1), ("zh", 38, 1)])
def test_with_a_second_opinion_less_is_wrong(language: str, right: int, wrong: int) -> None:
    """Of the set from which the weights learn nothing, and that was read once when they stood."""
    read = [(row["hateful"], verdict(row["text"])) for row in rows(f"kept-q-conclusions-{language}")]
    assert sum(said is not None and said is meant for meant, said in read) >= right
    assert sum(said is not None and said is not meant for meant, said in read) <= wrong


@pytest.mark.parametrize("name", SETS)
def test_refusals_are_told_from_verdicts_that_begin_like_one(name: str) -> None:
    missed = [row["id"] for row in rows(f"{name}refusals") if not is_refusal(row["text"])]
    assert missed == NOT_FOUND.get(name, [])
    taken = [row.get("id", row["text"]) for row in rows(f"{name}like-refusals") if is_refusal(row["text"])]
    assert taken == TAKEN.get(name, [])


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("language", ["en", "ko", "zh"])
def test_no_verdict_is_taken_for_a_refusal(name: str, language: str) -> None:
    verdicts = [row["text"] for row in rows(f"{name}conclusions-{language}") if row["hateful"] is not None]
    assert [text for text in verdicts if is_refusal(text)] == []
