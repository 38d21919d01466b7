"""HateXScore as a whole: the paper's worked examples, both rules, weights, and the properties that must hold."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.masking import mask
from moderation.domain.hatexscore.qf import UnreadableProbability, probability
from moderation.domain.hatexscore.score import Measure, Reading, Score, Scored, Weights, combined, read, score, sweep

LISTS = ("un", "un_extended")


def parts(found: Score) -> tuple[float, ...]:
    return found.htc, found.qf, found.tgi, found.cc, found.score


# ── The paper's Tables 3, 4 and 7, read from the paper itself ────────────────


def paper_rows(shared_data: Path) -> list[list[str]]:
    text = (shared_data.parent / "papers" / "hatexscore.txt").read_text(encoding="utf-8")
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines() if "|" in line]


def printed(metrics: str) -> tuple[float, ...]:
    return tuple(float(number) for number in re.findall(r": ?([\d.]+)", metrics))


@pytest.mark.shared_data
@pytest.mark.parametrize("listed", LISTS)
def test_tables_3_and_4_come_out_as_printed(shared_data: Path, listed: str) -> None:
    checked, text, explanation = 0, "", ""
    for name, *cells in paper_rows(shared_data):
        if name == "Text" and len(cells) == 1:
            text = re.sub(r"^“(.*)”.*$", r"\1", cells[0])
        elif name.startswith(("Explanation", "Original", "Perturbed")):
            explanation = cells[0]
        elif name == "Metrics" and explanation:
            reading = read(text, explanation, listed=group_list_files.built_in(listed))
            # Masked or not there at all: with p given, 1 before and 0 after (notes 1.4).
            assert parts(score(reading, True, 1.0, 0.0)) == printed(cells[0]), explanation
            checked, explanation = checked + 1, ""
    assert checked == 4


@pytest.mark.shared_data
@pytest.mark.parametrize("listed", LISTS)
def test_table_7_comes_out_as_printed(shared_data: Path, listed: str) -> None:
    checked = 0
    for cells in paper_rows(shared_data):
        if len(cells) == 5 and cells[4].startswith("HTC:"):
            text = cells[0].strip("“”")
            reading = read(text, cells[3], listed=group_list_files.built_in(listed))
            assert parts(score(reading, cells[2] == "Hateful", 1.0, 0.0)) == printed(cells[4]), text
            checked += 1
    assert checked == 3


# ── The same shapes in words of our own ──────────────────────────────────────

POST = "Calling new weeds neighbours is an insult to gardeners! The rose club is awful."
TWINS = [
    # a quote and the group it means: everything holds
    ("The phrase “new weeds” demeans the migrants. In conclusion, the text is hateful.", (1, 1, 1, 1, 1)),
    # the quote is not in the post
    ("The phrase “old thorns” demeans the migrants. In conclusion, the text is hateful.", (1, 0, 1, 0, 0.5)),
    # the group stands only inside the quote
    ("The phrase “new weeds” is a slur, “migrants” too. In conclusion, the text is hateful.", (1, 1, 0, 0, 0.5)),
    # no conclusion: (0 + 1 + 1 + 1) / 4
    ("The phrase “new weeds” demeans the migrants.", (0, 1, 1, 1, 0.75)),
]


@pytest.mark.parametrize(("explanation", "expected"), TWINS)
def test_each_part_falls_where_its_ground_is_taken_away(explanation: str, expected: tuple[float, ...]) -> None:
    assert parts(score(read(POST, explanation), True, 1.0, 0.0)) == expected


def test_a_quote_of_the_whole_raw_text_is_trivial_and_one_without_its_full_stop_is_not() -> None:
    said = "“{}” insults migrants. Conclusion: hateful"
    whole = read("Weeds go home.", said.format("Weeds go home."))
    assert not whole.has_evidence and parts(score(whole, True)) == (1, 0, 1, 0, 0.5)
    nearly = read("Weeds go home.", said.format("Weeds go home"))
    assert nearly.has_evidence and parts(score(nearly, True, 1, 0)) == (1, 1, 1, 1, 1)


def test_a_word_quoted_beside_the_whole_text_singles_something_out() -> None:
    reading = read("Weeds go home.", "“Weeds go home.” insults migrants by “weeds”. Conclusion: hateful")
    assert reading.has_evidence and parts(score(reading, True, 1, 0)) == (1, 1, 1, 1, 1)


def test_where_nothing_is_quoted_the_longest_shared_words_stand_for_quotes() -> None:
    reading = read("The new weeds are choking the roses.", "He says the new weeds are bad. It is hateful.")
    assert [each.quote for each in reading.rationales] == ["The new weeds are"]
    assert reading.masked == "[MASK] choking the roses."
    assert read("It is what it is.", "It is what it is, and hateful.").rationales == ()  # no word with content


def test_without_evidence_no_probability_is_needed_and_qf_is_0() -> None:
    reading = read("A garden.", "It says “weeds”. Conclusion: non-hateful")
    assert parts(score(reading, False)) == (1, 0, 0, 1, 0.5)


def test_without_a_prediction_qf_and_cc_are_0() -> None:
    reading = read("New weeds.", "“weeds” means migrants.")
    assert parts(score(reading, None, 1, 0)) == (0, 0, 1, 0, 0.25)


def test_the_label_of_a_structured_answer_is_appended_as_a_conclusion() -> None:
    reading = read("New weeds.", "“weeds” demeans migrants.", label=True)
    assert reading.appended and reading.explanation.endswith("\nConclusion: hateful")
    assert parts(score(reading, True, 0.75, 0.25)) == (1, 0.5, 1, 1, 0.875)


@pytest.mark.parametrize(
    ("rule", "threshold", "prediction", "qf", "tgi", "cc"),
    [
        # hateful: both, under either rule; τ is reached by equality
        ("paper", None, True, 0.3, 1, 1),
        ("paper", None, True, 0.29, 1, 0),
        ("paper", None, True, 0.9, 0, 0),
        ("released", None, True, 0.45, 1, 1),
        ("released", None, True, 0.44, 1, 0),
        # not hateful: one of the two, or both
        ("paper", None, False, 0.1, 0, 1),
        ("paper", None, False, 0.3, 1, 1),
        ("paper", None, False, 0.29, 1, 0),
        ("released", None, False, 0.45, 0, 1),
        ("released", None, False, 0.44, 0, 0),
        ("released", None, False, 0.9, 1, 0),
        # a threshold of one's own
        ("released", 0.2, False, 0.2, 0, 1),
        ("paper", 1.0, True, 0.99, 1, 0),
        ("paper", None, None, 1, 1, 0),
    ],
)
def test_the_two_rules(
    rule: str, threshold: float | None, prediction: bool | None, qf: float, tgi: int, cc: int
) -> None:
    assert combined(1, qf, tgi, prediction, Measure(Rule(rule), threshold)).cc == cc


def test_weights_make_a_weighted_mean() -> None:
    # (1·1 + 0.5·2 + 1·3 + 1·0) / 6 = 5/6
    found = combined(1, 0.5, 1, True, Measure(weights=Weights(1, 2, 3, 0)))
    assert found.score == pytest.approx(5 / 6)


@pytest.mark.parametrize("weights", [(0, 0, 0, 0), (-1, 1, 1, 1), (float("nan"), 1, 1, 1), (float("inf"), 1, 1, 1)])
def test_weights_that_mean_nothing_are_refused(weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="Weights"):
        Weights(*weights)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_is_a_share(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        Measure(threshold=threshold)


@pytest.mark.parametrize("wrong", [None, "0.5", True, -0.01, 1.01, 85, float("nan"), float("inf")])
def test_a_probability_that_cannot_be_read_is_an_error_and_no_number(wrong: Any) -> None:
    with pytest.raises(UnreadableProbability):
        probability(wrong)
    with pytest.raises(UnreadableProbability):
        score(read("New weeds.", "“weeds” is hateful."), True, 0.5, wrong)


def test_the_sweep_by_hand() -> None:
    scores = [Scored(1, 0.6, 1, True), Scored(1, 0.2, 0, False)]
    rows = sweep(scores, Measure(), (0.1, 0.7))
    # 0.1: cc 1 and 1, scores 0.9 and 0.55; 0.7: cc 0 and 1 (no group), scores 0.65 and 0.55
    assert [row["cc"] for row in rows] == [1, 0.5]
    assert [row["score"] for row in rows] == [pytest.approx(0.725), pytest.approx(0.6)]
    assert sweep([], Measure()) == []


# ── Properties ───────────────────────────────────────────────────────────────

_FILLERS = ("garden", "says", "loud", "the", "street", "and")
_TERMS = ("migrants", "women", "Muslims", "refugees")
_HOSTILE = ("insult", "attack", "derogatory")
_PIECES = st.lists(
    st.one_of(
        st.sampled_from(_FILLERS),
        st.sampled_from(_TERMS),
        st.sampled_from(_HOSTILE),
        st.sampled_from(["“weeds”", "“white roses”", "“not there”", ".\n", "It is hateful.", "It is not hateful."]),
    ),
    max_size=14,
)
_TEXT = "The weeds choke the white roses of the garden street."
_P = st.floats(0, 1)
_PREDICTION = st.sampled_from([True, False, None])


def reading_of(pieces: list[str]) -> Reading:
    return read(_TEXT, " ".join(pieces), language="en")


@settings(max_examples=60)
@given(_PIECES, _PREDICTION, _P, _P, st.sampled_from(Rule), _P)
def test_every_part_and_the_score_are_between_0_and_1(
    pieces: list[str], prediction: bool | None, p: float, p_masked: float, rule: Rule, threshold: float
) -> None:
    found = score(reading_of(pieces), prediction, p, p_masked, Measure(rule, threshold))
    assert all(0 <= part <= 1 for part in parts(found))
    assert {found.htc, found.tgi, found.cc} <= {0, 1}


@settings(max_examples=60)
@given(_PIECES, st.integers(0, 14), _PREDICTION, _P, _P)
def test_a_quote_that_is_not_in_the_text_never_raises_qf(
    pieces: list[str], at: int, prediction: bool | None, p: float, p_masked: float
) -> None:
    before = score(reading_of(pieces), prediction, p, p_masked)
    after = score(reading_of([*pieces[:at], "“thorns of the motorway”", *pieces[at:]]), prediction, p, p_masked)
    assert after.qf <= before.qf


@settings(max_examples=60)
@given(_PIECES, _PREDICTION)
def test_removing_every_group_term_never_raises_tgi(pieces: list[str], prediction: bool | None) -> None:
    left = [piece for piece in pieces if piece not in _TERMS]
    after = score(reading_of(left), prediction, 1, 0)
    assert after.tgi == 0 <= score(reading_of(pieces), prediction, 1, 0).tgi


@settings(max_examples=60)
@given(st.floats(0, 1), st.sampled_from([0, 1]), _P, _P, st.sampled_from(Rule), st.booleans())
def test_a_higher_threshold_never_raises_cc(
    qf: float, tgi: int, low: float, high: float, rule: Rule, prediction: bool
) -> None:
    low, high = sorted((low, high))
    at_low, at_high = (combined(1, qf, tgi, prediction, Measure(rule, tau)).cc for tau in (low, high))
    assert at_high <= at_low


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ("Weeds 👩🏽‍🌾 go home 🏴󠁧󠁢󠁥󠁮󠁧󠁿!", "“👩🏽‍🌾 go home” attacks migrants. Conclusion: hateful"),
        ("mauvaises he\u0301rbes", "« mauvaises hérbes » attaque les migrants. Conclusion: hateful"),
        ("الأعشاب الضارة تخنق الورود", "“الأعشاب الضارة” attacks migrants. Conclusion: hateful"),
        ("העשבים הרעים", "“העשבים הרעים” attacks migrants. Conclusion: hateful"),
        ("Weeds " * 3333, "“weeds” attacks migrants. Conclusion: hateful"),
        ("w" * 20_000, "“www” attacks migrants. Conclusion: hateful"),
    ],
)
def test_all_writing_is_scored(text: str, explanation: str) -> None:
    reading = read(text, explanation)
    found = score(reading, True, 0.75, 0.25)
    assert (found.htc, found.tgi) == (1, 1)
    assert found.qf == (0.5 if reading.has_evidence else 0)
    assert mask(reading.masked, [each.quote for each in reading.rationales]).text == reading.masked


def test_long_explanations_are_scored() -> None:
    explanation = "“weeds” attacks migrants, and the text is hateful! " * 392  # 19,992 characters
    found = score(read("The weeds of 20,000 characters.", explanation), True, 1, 0)
    assert parts(found) == (1, 1, 1, 1, 1)


# ── Chinese, worked by hand; Korean has a file of its own ────────────────────


def worked(language: str) -> list[Any]:
    lines = (Path(__file__).with_name(f"worked_{language}.jsonl")).read_text(encoding="utf-8").splitlines()
    return [pytest.param(json.loads(line), id=str(number)) for number, line in enumerate(lines, 1)]


@pytest.mark.parametrize("case", worked("zh"))
def test_chinese_explanations_come_out_as_worked_by_hand(case: dict[str, Any]) -> None:
    reading = read(case["text"], case["explanation"])
    found = score(reading, case["prediction"], case["p"], case["p_masked"])
    assert reading.language == "zh"
    assert [each.quote for each in reading.rationales] == case["rationales"]
    assert (found.htc, found.qf, found.tgi, found.cc) == (
        case["htc"],
        pytest.approx(case["qf"]),
        case["tgi"],
        case["cc"],
    )
    assert found.score == pytest.approx((case["htc"] + case["qf"] + case["tgi"] + case["cc"]) / 4)
